"""Scores, points per game from 0 to 1, with their 95 % interval."""

from __future__ import annotations

import math

from fiedler.support.numbers import Z95


def interval(total: float, squares: float, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of the mean of independent `trials`, each a score from 0 to 1; (0, 1) without any.

    `total` and `squares` are the sums of the scores and of their squares. This is Wilson's interval (1927), which never
    leaves 0 to 1. Draws make scores scatter less than wins and losses of the same mean: the trials count as
    proportionally more (an effective sample size; Dean and Pagano 2015). Half a win and half a loss are added to the
    scatter, so that a few equal scores never look certain.
    """
    if not trials:
        return 0.0, 1.0
    middle, square = (total + 0.5) / (trials + 1), (squares + 0.5) / (trials + 1)
    scatter = (square - middle * middle) / (middle * (1 - middle))
    weight, mean = Z95 * Z95 * scatter / trials, total / trials
    centre = (mean + weight / 2) / (1 + weight)
    reach = math.sqrt(max(0.0, weight * mean * (1 - mean)) + weight * weight / 4) / (1 + weight)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def score_text(mean: float, bounds: tuple[float, float], digits: int = 0) -> str:
    """Return a score with its interval: `49.5 ± 2.4 %`, or `98 % (91–100 %)` if the rounded sides differ."""
    if not math.isfinite(mean):
        return "?"
    shown, low, high = (round(100 * share, digits) for share in (mean, *bounds))
    below, above = round(shown - low, digits), round(high - shown, digits)
    if below == above:
        return f"{shown:.{digits}f} ± {above:.{digits}f} %"
    return f"{shown:.{digits}f} % ({low:.{digits}f}–{high:.{digits}f} %)"
