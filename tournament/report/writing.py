"""Write all derived files of a run into its folder, from its store alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from fiedler.support.errors import unwritable
from fiedler.support.files import remove, write_whole
from fiedler.tournament.graph.graphml import graphml
from fiedler.tournament.report.figures import NAMES, draw
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.page import page
from fiedler.tournament.report.pgn import pgn
from fiedler.tournament.report.played_graph import played_graph
from fiedler.tournament.report.ranking import Ranking, rank, ranking_json, ranking_text
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.tables import failures_json

FIGURES = "figures"
"""The folder of all figures with their numbers."""
BESIDE = ("ratings", "crosstable", "meeting-graph")
"""Figures that are also beside the report."""
KINDS = ("svg", "csv", "json")
"""The files of a figure."""


def write_report(folder: Path) -> Ranking:
    """Write games.pgn, ranking.txt, ranking.json, failures.json, the figures and report.html into a run's folder.

    Each file appears whole or not at all. Works at any time, also during games and before the end of the first one.
    Figures of an earlier report that the run no longer has are removed; other files stay. Returns the ranking.

    Raises:
        UsageError: the folder has no run.
        WorkError: a file cannot be written.

    """
    run = Run.read(folder)
    ranking = rank(run)
    written = set()
    for name, text in _files(Findings(run, ranking)):
        _make_folder((folder / name).parent)
        write_whole(folder / name, text)
        written.add(name)
    for name in sorted({f"{FIGURES}/{figure}.{kind}" for figure in NAMES for kind in KINDS} - written):
        remove(folder / name)
    return ranking


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:  # also if something else has this name
        raise unwritable(folder, error) from error


def write_graph(folder: Path, path: Path) -> None:
    """Write the meeting graph of a run's finished games as GraphML; raises as `write_report`."""
    run = Run.read(folder)
    write_whole(path, graphml(played_graph(Findings(run, rank(run, with_posterior=False)))))


def _files(found: Findings) -> Iterator[tuple[str, str | Iterable[str]]]:
    yield "games.pgn", pgn(found.run)
    yield "ranking.txt", ranking_text(found.ranking)
    yield "ranking.json", ranking_json(found.ranking)
    yield "failures.json", failures_json(found.failures)
    figures = draw(found)
    for figure in figures.values():
        if figure.name in BESIDE:
            yield f"{figure.name}.svg", figure.svg
        yield f"{FIGURES}/{figure.name}.svg", figure.svg
        yield f"{FIGURES}/{figure.name}.csv", figure.csv()
        yield f"{FIGURES}/{figure.name}.json", figure.json()
    yield "report.html", page(found, figures)
