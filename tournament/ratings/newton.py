"""The maximum of the likelihood by Newton's method: converged, unlike the original program's iteration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from support import stages
from tournament.ratings.frame import Frame
from tournament.ratings.likelihood import Likelihood, Point, Slopes, information
from tournament.ratings.pairs import Floats

MAX_STEPS = 200
USUAL_STEPS = 8  # for who waits
SMALL_STEP = 1e-10  # natural units: the last step moves no rating by more than 2e-8 Elo
LONG_STEP = 10.0  # natural units: no step goes further; where the curvature vanishes it would go anywhere
FAINT = 1e-100  # curvature that stands for none
DAMPINGS = (0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)
SAFE_DECREMENT = 1e-6  # below it full steps converge, and the line search would only see rounding errors


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """Where the likelihood is highest (each floating group has mean 0), and whether that was reached."""

    point: Point
    converged: bool


def maximise(
    likelihood: Likelihood, start: Point, *, fit_advantage: bool, fit_draw_elo: bool, frame: Frame | None = None
) -> Maximum:
    """Climb from `start`; advantage and draw_elo move only if asked for, players held by the frame never.

    Expects games that have a maximum (see `existence`). A concave function and a backtracking line search make the
    climb safe from anywhere; `converged` is False if `MAX_STEPS` did not suffice.
    """
    frame = Frame.of(likelihood.pairs) if frame is None else frame
    return _Climb(likelihood, frame, fit_advantage=fit_advantage, fit_draw_elo=fit_draw_elo).run(start)


class _Climb:
    def __init__(self, likelihood: Likelihood, frame: Frame, *, fit_advantage: bool, fit_draw_elo: bool) -> None:
        self.likelihood = likelihood
        self.frame = frame
        self.size = likelihood.pairs.size
        free = np.array([True] * self.size + [fit_advantage, fit_draw_elo])
        free[frame.held] = False
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
        matrix = self._curvature(slopes)
        step = np.zeros(self.size + 2)
        step[self.free] = _solve(matrix, slopes.gradient[self.free])
        return np.asarray(step * (LONG_STEP / np.max(np.abs(step), initial=LONG_STEP)), dtype=np.float64)

    def _curvature(self, slopes: Slopes) -> Floats:
        """Minus the second derivatives in all free parameters, made definite (see `Frame.grounded`)."""
        size, pairs = self.size, self.likelihood.pairs
        of_ratings = self.frame.grounded(information(pairs, slopes.curvature))
        if np.array_equal(self.free, np.arange(size)):
            return of_ratings
        matrix = np.zeros((size + 2, size + 2))
        matrix[:size, :size] = of_ratings
        for column, values in ((size, slopes.with_advantage), (size + 1, slopes.with_draws)):
            matrix[:size, column] = matrix[column, :size] = pairs.per_player(values, -values)
        matrix[size:, size:] = slopes.parameters
        return np.asarray(matrix[np.ix_(self.free, self.free)])

    def _advance(self, point: Point, step: Floats, decrement: float) -> Point:
        """Go along the step as far as the likelihood rises enough and the parameters stay in their range."""
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
        return Point(self.frame.centred(point.elo), point.advantage, point.draw_elo)


def _solve(matrix: Floats, gradient: Floats) -> Floats:
    """Solve a system that is positive definite but for rounding: then with a little damping."""
    scale = matrix.diagonal() + matrix.diagonal().max(initial=0.0)
    for damping in DAMPINGS:
        try:
            step = np.linalg.solve(matrix + np.diag(damping * scale) if damping else matrix, gradient)
        except np.linalg.LinAlgError:
            continue
        if gradient @ step >= 0:  # uphill; False for nan
            return np.asarray(step, dtype=np.float64)
    return np.asarray(gradient / np.maximum(scale, FAINT), dtype=np.float64)
