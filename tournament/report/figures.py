"""The figures of a run, in the order of the report."""

from __future__ import annotations

from collections.abc import Iterator

from fiedler.support.text import counted
from fiedler.tournament.report.board_figures import first_moves_figure, second_moves_figure
from fiedler.tournament.report.curve_figure import curve_figure
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.fit_figure import fit_figure
from fiedler.tournament.report.graph_figure import graph_figure
from fiedler.tournament.report.matrix_figures import crosstable_figure, los_figure
from fiedler.tournament.report.opening_figure import opening_figure
from fiedler.tournament.report.ratings_figure import ratings_figure
from fiedler.tournament.report.sprt_figure import sprt_figure

NAMES = (
    *("ratings", "crosstable", "meeting-graph", "curve", "sprt"),
    *("los", "fit", "openings", "first-moves", "second-moves"),
)
"""The names of all figures."""


def draw(found: Findings) -> dict[str, Figure]:
    """Return the figures by name."""
    return {figure.name: figure for figure in _each(found)}


def _each(found: Findings) -> Iterator[Figure]:
    title, ranking = found.title, found.ranking
    games = f"{title}, {counted(len(found.run.finished), 'game')}"
    yield ratings_figure(ranking, games)
    yield crosstable_figure(found.table, games)
    yield graph_figure(ranking, found.table, title)
    if not found.run.finished:
        return
    if found.series:
        yield curve_figure(found.series, found.others, f"Rating over checkpoints: {title}", ranking.posterior)
    if found.sprt is not None:
        test, decision = found.run.schedule.pairing.test, found.run.decision
        decided = None if decision is None else decision.games
        yield sprt_figure(found.sprt[1], found.run.schedule.names[0], test, f"SPRT: {title}", decided)
    yield los_figure(ranking, f"Likelihood of superiority in percent: {title}")
    if found.analysis is not None:
        yield fit_figure(found.analysis.fit, f"Predicted against actual: {title}")
    if len(found.tally.openings) > 1:
        yield opening_figure(found.tally, f"Openings: {games}", found.run.game)
    if found.board_game is not None and found.tally.beginnings:
        yield first_moves_figure(found.board_game, found.first_moves, f"First moves: {games}")
        yield second_moves_figure(found.board_game, found.second_moves, f"After two plies: {games}")
