"""The maximum of the likelihood by Newton's method: converged, unlike the original program's iteration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fiedler.support import stages
from fiedler.tournament.ratings.likelihood import Likelihood, Point, Slopes, information
from fiedler.tournament.ratings.origin import Origin
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.sparse import MANY, Adjacency, DiagonalSplit, conjugate_gradients

MAX_STEPS = 200
"""Steps after which the climb is given up."""
USUAL_STEPS = 8
"""Steps of a usual climb, for the display of progress."""
SMALL_STEP = 1e-10
"""Largest change by the last step in natural units: 2e-8 Elo."""
LONG_STEP = 10.0
"""Largest change by any step in natural units: without curvature a step has no limit."""
FAINT = 1e-100
"""Least curvature, instead of 0."""
DAMPINGS = (0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)
"""Relative dampings, tried in this order."""
SAFE_DECREMENT = 1e-6
"""Decrement below which full steps converge; the line search would only see rounding errors."""
ACCURACY = 1e-6
"""Relative accuracy of a step for many players; the next step corrects its error."""


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """The point of maximal likelihood (each floating group has mean 0), and whether the climb converged."""

    point: Point
    converged: bool


def maximise(
    likelihood: Likelihood,
    start: Point,
    *,
    fit_advantage: bool,
    fit_draw_elo: bool,
    origin: Origin | None = None,
    many: int = MANY,
) -> Maximum:
    """Maximise from `start`; advantage and draw_elo are fitted on request, and held players do not move.

    The likelihood must have a maximum (see `existence`). It is concave, so with a backtracking line search the climb
    converges from any point. `converged` is False if `MAX_STEPS` did not suffice. More players than `many` have sparse
    equations, with the same result but for rounding.
    """
    origin = Origin.of(likelihood.pairs) if origin is None else origin
    kind = _Climb if likelihood.pairs.size <= many else _SparseClimb
    return kind(likelihood, origin, fit_advantage=fit_advantage, fit_draw_elo=fit_draw_elo).run(start)


class _Climb:
    def __init__(self, likelihood: Likelihood, origin: Origin, *, fit_advantage: bool, fit_draw_elo: bool) -> None:
        self.likelihood = likelihood
        self.origin = origin
        self.size = likelihood.pairs.size
        free = np.array([True] * self.size + [fit_advantage, fit_draw_elo])
        free[origin.held] = False
        self.free = np.flatnonzero(free)

    def run(self, point: Point) -> Maximum:
        before = np.inf
        stages.begin("most likely ratings", USUAL_STEPS)
        for _ in range(MAX_STEPS):
            slopes = self.likelihood.slopes(point)
            step = self._step(slopes)
            decrement = float(slopes.gradient @ step)
            point = self._advance(point, step, decrement)
            stages.step()
            only_rounding = before <= decrement < SAFE_DECREMENT
            if only_rounding or np.max(np.abs(step), initial=0.0) < SMALL_STEP:
                return Maximum(self._centred(point), converged=True)
            before = decrement
        return Maximum(self._centred(point), converged=False)

    def _step(self, slopes: Slopes) -> Floats:
        step = self._solved(slopes)
        return np.asarray(step * (LONG_STEP / np.max(np.abs(step), initial=LONG_STEP)), dtype=np.float64)

    def _solved(self, slopes: Slopes) -> Floats:
        """Return Newton's step in all parameters, shape (players + 2,)."""
        step = np.zeros(self.size + 2)
        step[self.free] = _solve(self._curvature(slopes), slopes.gradient[self.free])
        return step

    def _curvature(self, slopes: Slopes) -> Floats:
        """Return minus the second derivatives in all free parameters, made definite (see `Origin.grounded`)."""
        size, pairs = self.size, self.likelihood.pairs
        of_ratings = self.origin.grounded(information(pairs, slopes.curvature))
        if np.array_equal(self.free, np.arange(size)):
            return of_ratings
        matrix = np.zeros((size + 2, size + 2))
        matrix[:size, :size] = of_ratings
        for column, values in ((size, slopes.with_advantage), (size + 1, slopes.with_draws)):
            matrix[:size, column] = matrix[column, :size] = pairs.per_player(values, -values)
        matrix[size:, size:] = slopes.parameters
        return np.asarray(matrix[np.ix_(self.free, self.free)])

    def _advance(self, point: Point, step: Floats, decrement: float) -> Point:
        """Return the point along the step with a sufficient rise and parameters in their range."""
        length = self.likelihood.room(point, step)
        if decrement < SAFE_DECREMENT:
            return self.likelihood.moved(point, step, length)
        before = self.likelihood.value(point)
        while length > SMALL_STEP:
            ahead = self.likelihood.moved(point, step, length)
            if self.likelihood.value(ahead) >= before + 1e-4 * length * decrement:
                return ahead
            length /= 2
        return self.likelihood.moved(point, step, length)

    def _centred(self, point: Point) -> Point:
        return Point(self.origin.centred(point.elo), point.advantage, point.draw_elo)


class _SparseClimb(_Climb):
    """The same climb with equations by conjugate gradients."""

    def __init__(self, likelihood: Likelihood, origin: Origin, *, fit_advantage: bool, fit_draw_elo: bool) -> None:
        super().__init__(likelihood, origin, fit_advantage=fit_advantage, fit_draw_elo=fit_draw_elo)
        self.adjacency = Adjacency(likelihood.pairs)
        self.moves = np.isin(np.arange(self.size + 2), self.free)

    def _solved(self, slopes: Slopes) -> Floats:
        gradient = np.where(self.moves, slopes.gradient, 0.0)
        gradient[:-2] = self.origin.centred(gradient[:-2])  # only rounding moves a floating group
        matrix = _Bordered(self, slopes)
        step = conjugate_gradients(matrix, gradient, tolerance=ACCURACY, most=2 * self.size + 100)
        if not (np.isfinite(step).all() and gradient @ step >= 0):
            step = gradient / matrix.diagonal
        step[:-2] = self.origin.centred(step[:-2])
        return step


class _Bordered(DiagonalSplit):
    """Minus the second derivatives: the players' sparse block, bordered by the two parameters."""

    def __init__(self, climb: _SparseClimb, slopes: Slopes) -> None:
        pairs = climb.likelihood.pairs
        own = pairs.per_player(slopes.curvature, slopes.curvature)
        super().__init__(np.concatenate([own, slopes.parameters.diagonal()]), climb.adjacency.of(slopes.curvature))
        self._climb = climb
        columns = (pairs.per_player(values, -values) for values in (slopes.with_advantage, slopes.with_draws))
        self._border = np.stack(list(columns), axis=1)
        self._across = slopes.parameters[0, 1] * np.array([[0.0, 1.0], [1.0, 0.0]])

    def apart(self, columns: Floats) -> Floats:
        """Return the rest times `columns`; held parameters are left out."""
        ratings, parameters = columns[:-2], columns[-2:]
        above = super().apart(ratings) - self._border @ parameters
        below = -self._border.T @ ratings - self._across @ parameters
        return np.where(self._climb.moves[:, None], np.concatenate([above, below]), 0.0)


def _solve(matrix: Floats, gradient: Floats) -> Floats:
    """Solve a positive definite system, with a little damping if rounding made it indefinite."""
    scale = matrix.diagonal() + matrix.diagonal().max(initial=0.0)
    for damping in DAMPINGS:
        try:
            step = np.linalg.solve(matrix + np.diag(damping * scale) if damping else matrix, gradient)
        except np.linalg.LinAlgError:
            continue
        if gradient @ step >= 0:  # uphill; False for nan
            return np.asarray(step, dtype=np.float64)
    return np.asarray(gradient / np.maximum(scale, FAINT), dtype=np.float64)
