"""fit.svg: predicted against actual scores."""

from __future__ import annotations

from fiedler.support.drawing import Plot, nice
from fiedler.support.numbers import ROUNDED_Z95
from fiedler.support.text import counted
from fiedler.tournament.ratings import Fit
from fiedler.tournament.report.figure import Figure


def fit_figure(found: Fit, title: str) -> Figure:
    """Draw the scores of games with similar predictions; on the diagonal the predictions were right."""
    plot = Plot((520, 440), title, "predicted against actual score", x=(0, 1), y=(0, 1), margins=(44, 24, 46, 64))
    plot.text((8, 16), title, size=13, kind="title")
    plot.y_axis("actual score of the first player", percent=True)
    plot.x_axis("predicted score of the first player", percent=True)
    plot.path([plot.spot(0, 0), plot.spot(1, 1)], kind="axis dashed")
    for row in found.scores.bins:
        low, high = (min(1.0, max(0.0, row.actual + sign * ROUNDED_Z95 * row.error)) for sign in (-1, 1))
        plot.path([plot.spot(row.predicted, low), plot.spot(row.predicted, high)], kind="line own0")
        shares = f"{nice(100 * row.predicted, 1)} % predicted, {nice(100 * row.actual, 1)} % scored"
        tooltip = f"{counted(row.games, 'game')}: {shares}"
        plot.circle(plot.spot(row.predicted, row.actual), 4.5, kind="fill0", tooltip=tooltip)
    rows = [
        (what, row.low, row.high, row.games, row.predicted, row.actual, row.error)
        for what, found_here in (("score", found.scores), ("draws", found.draws))
        for row in found_here.bins
    ]
    return Figure("fit", plot.svg(), ("of", "low", "high", "games", "predicted", "actual", "error"), rows)
