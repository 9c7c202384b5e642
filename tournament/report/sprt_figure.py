"""sprt.svg: the log-likelihood ratio of a sequential test on its way to one of its bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fiedler.support.drawing import Plot
from fiedler.tournament.pairing.plan import Played
from fiedler.tournament.pairing.sprt import SprtTally, bounds
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.schedule.schedule import Sprt

POINTS = 100
"""Most points of the path, beside the one of the decision."""


def sprt_figure(games: Sequence[Played], name: str, test: Sprt, title: str, decided: int | None) -> Figure:
    """Draw the ratio over the finished games in the order of the plan; `name` is the tested player.

    Games after the first `decided` ones, if the test is decided, were under way: their part of the path is pale.
    """
    end = len(games) if decided is None else decided
    path = _path(games, name, test, {round(len(games) * part / POINTS) for part in range(POINTS + 1)} | {end})
    low, high = bounds(test)
    reach = max(abs(low), abs(high), *(abs(ratio) for _, ratio in path)) * 1.1
    plot = Plot((1000, 340), title, x=(0, max(len(games), 1)), y=(-reach, reach), margins=(44, 110, 46, 64))
    plot.text((8, 16), title, size=13, kind="title")
    plot.y_axis("log-likelihood ratio")
    plot.x_axis("games")
    for bound, accepted in ((high, f"H1: {test.elo1:g} Elo"), (low, f"H0: {test.elo0:g} Elo")):
        plot.line((plot.left, plot.y(bound)), (plot.right, plot.y(bound)), kind="axis dashed")
        plot.text((plot.right + 6, plot.y(bound)), accepted, size=11, kind="muted")
    plot.path([plot.spot(*point) for point in path if point[0] >= end], kind="line own0 band")
    plot.path([plot.spot(*point) for point in path if point[0] <= end], kind="line own0")
    last = next(point for point in path if point[0] == end)
    plot.circle(plot.spot(*last), 4.5, kind="fill0", tooltip=f"{last[1]:.2f}")
    return Figure("sprt", plot.svg(), ("games", "llr"), path)


def _path(games: Sequence[Played], name: str, test: Sprt, counts: Iterable[int]) -> list[tuple[int, float]]:
    """Return the ratio after each of these `counts` of games."""
    tally, path = SprtTally(name), []
    for count in sorted(counts):
        for game in games[tally.games : count]:
            tally.add(game)
        path.append((count, tally.ratio(test)))
    return path
