"""sprt.svg: the log-likelihood ratio of a sequential test on its way to one of its bounds."""

from __future__ import annotations

from tournament.pairing.sprt import Tally, bounds
from tournament.plan import Played
from tournament.report.drawing import Plot
from tournament.report.figure import Figure
from tournament.schedule import Sprt

POINTS = 100
"""of the path at most"""


def sprt_figure(games: list[Played], name: str, test: Sprt, title: str) -> Figure:
    """Draw the ratio over the finished games, `name` being the player that is tested."""
    steps = sorted({round(len(games) * part / POINTS) for part in range(POINTS + 1)})
    tally = Tally(name)
    path = [(count, tally.follow(games[:count]).ratio(test)) for count in steps]
    low, high = bounds(test)
    reach = max(abs(low), abs(high), *(abs(ratio) for _, ratio in path)) * 1.1
    plot = Plot((1000, 340), title, x=(0, max(len(games), 1)), y=(-reach, reach), margins=(44, 110, 46, 64))
    plot.text((8, 16), title, size=13, kind="title")
    plot.y_axis("log-likelihood ratio")
    plot.x_axis("games")
    for bound, accepted in ((high, f"H1: {test.elo1:g} Elo"), (low, f"H0: {test.elo0:g} Elo")):
        plot.line((plot.left, plot.y(bound)), (plot.right, plot.y(bound)), kind="axis dashed")
        plot.text((plot.right + 6, plot.y(bound)), accepted, size=11, kind="muted")
    plot.path([plot.spot(*step) for step in path], kind="line own0")
    plot.circle(plot.spot(*path[-1]), 4.5, kind="fill0", told=f"{path[-1][1]:.2f}")
    return Figure("sprt", plot.svg(), ("games", "llr"), path)
