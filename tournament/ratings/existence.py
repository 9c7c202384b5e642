"""The existence of a maximum of the likelihood; without one, the parameter to hold and a warning.

The likelihood is concave, so it has no maximum if and only if it never falls along some direction. Along a direction v
(ratings), alpha (advantage), delta (draw_elo), with u = v_first - v_second + alpha, it never falls if

    u >= delta for every win of the first,  u <= -delta for every win of the second,  |u| <= delta for every draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fiedler.tournament.ratings.pairs import Floats, Integers, Pairs

if TYPE_CHECKING:  # scipy is slow to import, and few fits need it
    from scipy.sparse import coo_array, csr_array

SMALL_PRIOR = 0.01
"""The prior instead of 0 if a rating would be infinite without a prior, in virtual draws."""


@dataclass(frozen=True, slots=True, eq=False)
class RatingProblem:
    """Counts with virtual draws, and the values of the held parameters (None: estimated)."""

    pairs: Pairs
    advantage: float | None
    draw_elo: float | None
    warnings: tuple[str, ...]


def with_maximum(
    real: Pairs, prior: float, advantage: float | None, draw_elo: float | None, held: tuple[float, float]
) -> RatingProblem:
    """Return a problem with a maximum: parameters without one are held, and a prior of 0 may grow, with warnings.

    `real` has the real games only. `held` = (advantage, draw_elo) are the values of parameters that cannot be
    estimated.
    """
    warnings = []
    if prior == 0 and not _ratings_bounded(real):
        prior = SMALL_PRIOR
        warnings.append(
            f"without a prior some ratings would be infinite (a player or group lost, or won, every game against the "
            f"others): prior {SMALL_PRIOR:g} was used, and the differences to the others mean nothing"
        )
    pairs = real.with_prior(prior)
    if draw_elo is None:
        draw_elo, warning = _draw_elo(real, pairs, held[1], advantage_free=advantage is None)
        warnings += warning
    if advantage is None and prior == 0 and not _advantage_bounded(pairs):
        advantage = held[0]
        warnings.append(f"the games do not determine the advantage (no maximum): {advantage:g} was used")
    return RatingProblem(pairs, advantage, draw_elo, tuple(warnings))


def _draw_elo(real: Pairs, pairs: Pairs, held: float, *, advantage_free: bool) -> tuple[float | None, list[str]]:
    if not pairs.draws() or not _draw_elo_bounded(pairs, advantage_free=advantage_free):
        return held, [f"the games do not determine draw_elo (no maximum): {held:g} was used"]
    if not real.draws():
        return None, ["no game was drawn, so the estimate of draw_elo rests on the prior's virtual draws alone"]
    return None, []


def _ratings_bounded(pairs: Pairs) -> bool:
    """Whether in every group each player scored against each other one, directly or through a chain of players."""
    margins = pairs.margins()
    low_took = margins[0] + margins[3] > 0
    high_took = margins[1] + margins[2] > 0
    start = np.concatenate([pairs.low[low_took], pairs.high[high_took]])
    end = np.concatenate([pairs.high[low_took], pairs.low[high_took]])
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(start.size), (start, end)), shape=(pairs.size, pairs.size))
    strong = connected_components(graph, connection="strong")[0]
    return bool(strong == connected_components(graph, connection="weak")[0])


def _draw_elo_bounded(pairs: Pairs, *, advantage_free: bool) -> bool:
    wins, _, losses, swapped_wins, _, swapped_losses = pairs.counts
    if ((wins > 0) & (losses > 0)).any() or ((swapped_wins > 0) & (swapped_losses > 0)).any():
        return True
    return _furthest(pairs, (0.0, 1.0), limits=(float(advantage_free), 1.0)) == 0


def _advantage_bounded(pairs: Pairs) -> bool:
    return all(_furthest(pairs, (sign, 0.0), limits=(1.0, 0.0)) == 0 for sign in (1.0, -1.0))


def _furthest(pairs: Pairs, aim: tuple[float, float], limits: tuple[float, float]) -> float:
    """Return the largest step, at most 1, along `aim` in (alpha, delta) without a fall of the likelihood.

    `limits` bound |alpha| and delta; a held parameter has 0.
    """
    from scipy.optimize import linprog

    rows = _never_falling(pairs)
    bounds = [(None, None)] * pairs.size + [(-limits[0], limits[0]), (0.0, limits[1])]
    cost = np.zeros(pairs.size + 2)
    cost[-2:] = -np.array(aim)
    answer = linprog(cost, A_ub=rows, b_ub=np.zeros(rows.shape[0]), bounds=bounds, method="highs")
    return round(-float(answer.fun), 6)


def _never_falling(pairs: Pairs) -> csr_array:
    """Return the inequalities of the module docstring as rows: row @ (v, alpha, delta) <= 0."""
    from scipy.sparse import csr_array, vstack

    blocks = []
    for first, second, counts in ((pairs.low, pairs.high, pairs.counts[:3]), (pairs.high, pairs.low, pairs.counts[3:])):
        wins, draws, losses = (np.asarray(count > 0) for count in counts)
        for there, of_u, of_delta in ((wins, -1, 1), (losses, 1, 1), (draws, 1, -1), (draws, -1, -1)):
            blocks.append(_rows(pairs.size, first[there], second[there], of_u, of_delta))
    return csr_array(vstack(blocks))


def _rows(size: int, first: Integers, second: Integers, of_u: int, of_delta: int) -> coo_array:
    from scipy.sparse import coo_array

    count = first.size
    row = np.tile(np.arange(count), 4)
    column = np.concatenate([first, second, np.full(count, size), np.full(count, size + 1)])
    value: Floats = np.repeat(np.array([of_u, -of_u, of_u, of_delta], dtype=np.float64), count)
    return coo_array((value, (row, column)), shape=(count, size + 2))
