"""Everything in a run's folder that is derived from its store, made again from nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tournament.report.crosstable_figure import crosstable_figure
from tournament.report.drawing import svg
from tournament.report.files import write_whole
from tournament.report.graph_figure import graph_figure
from tournament.report.page import page
from tournament.report.pgn import pgn
from tournament.report.ranking import Ranking, rank, ranking_json, ranking_text
from tournament.report.ratings_figure import ratings_figure
from tournament.report.run import Run
from tournament.report.statistics import crosstable


def write_report(folder: Path) -> Ranking:
    """Write games.pgn, ranking.txt, ranking.json, three figures and report.html into a run's folder.

    Each file appears whole or not at all. Works at any time, also while games are played and before the first one ends.
    Returns the ranking. Raises `UsageError` if the folder holds no run.
    """
    run = Run.read(folder)
    ranking = rank(run)
    for name, text in _files(run, ranking):
        write_whole(folder / name, text)
    return ranking


def _files(run: Run, ranking: Ranking) -> Iterator[tuple[str, str]]:
    yield "games.pgn", "".join(pgn(run))
    yield "ranking.txt", ranking_text(ranking)
    yield "ranking.json", ranking_json(ranking)
    figures = draw(run, ranking)
    yield from figures.items()
    yield "report.html", page(run, ranking, figures)


def draw(run: Run, ranking: Ranking) -> dict[str, str]:
    """Return the figures as SVG by file name."""
    table = crosstable(run, ranking.names)
    title = f"{run.name} ({run.game.id})"
    games = f"{title}, {len(run.games)} games"
    return {
        "ratings.svg": svg(lambda: ratings_figure(ranking, games), "ratings"),
        "crosstable.svg": svg(lambda: crosstable_figure(table, games), "crosstable"),
        "meeting-graph.svg": svg(lambda: graph_figure(ranking, table, title), "meeting-graph"),
    }
