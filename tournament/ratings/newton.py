"""The maximum of the likelihood by Newton's method: converged, unlike the original program's iteration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournament.ratings.likelihood import (
    BY_ADVANTAGE,
    BY_DIFFERENCE,
    NATURAL,
    Likelihood,
    Point,
    Slopes,
    grounded,
    information,
)
from tournament.ratings.pairs import Floats, Integers, Pairs

MAX_STEPS = 200
SMALL_STEP = 1e-10  # natural units: the last step moves no rating by more than 2e-8 Elo
SAFE_DECREMENT = 1e-6  # below it full steps converge, and the line search would only see rounding errors


@dataclass(frozen=True, slots=True, eq=False)
class Maximum:
    """Where the likelihood is highest (each group of players has mean 0), and whether that was reached."""

    point: Point
    converged: bool


def maximise(pairs: Pairs, start: Point, *, fit_advantage: bool, fit_draw_elo: bool) -> Maximum:
    """Climb from `start`; advantage and draw_elo move only if asked for.

    Expects games that have a maximum (see `existence`). A concave function and a backtracking line search make the
    climb safe from anywhere; `converged` is False if `MAX_STEPS` did not suffice.
    """
    return _Climb(pairs, fit_advantage=fit_advantage, fit_draw_elo=fit_draw_elo).run(start)


class _Climb:
    def __init__(self, pairs: Pairs, *, fit_advantage: bool, fit_draw_elo: bool) -> None:
        self.pairs = pairs
        self.likelihood = Likelihood(pairs)
        self.groups = pairs.groups()
        free = [True] * pairs.size + [fit_advantage, fit_draw_elo]
        self.free = np.flatnonzero(free)

    def run(self, point: Point) -> Maximum:
        for _ in range(MAX_STEPS):
            slopes = self.likelihood.slopes(point)
            step = self._step(slopes)
            decrement = float(slopes.gradient @ step)
            point = self._advance(point, step, decrement)
            if np.max(np.abs(step), initial=0.0) < SMALL_STEP:
                return Maximum(self._centred(point), converged=True)
        return Maximum(self._centred(point), converged=False)

    def _step(self, slopes: Slopes) -> Floats:
        matrix = self._curvature(slopes)
        step = np.zeros(self.pairs.size + 2)
        step[self.free] = _solve(matrix, slopes.gradient[self.free])
        return step

    def _curvature(self, slopes: Slopes) -> Floats:
        """Minus the second derivatives in all free parameters, made definite (see `grounded`)."""
        size, weight = self.pairs.size, slopes.weight
        matrix = np.zeros((size + 2, size + 2))
        matrix[:size, :size] = grounded(information(self.pairs, weight.sum(axis=0)), self.groups)
        with_advantage = (weight * BY_DIFFERENCE * BY_ADVANTAGE).sum(axis=0)
        with_draw = -(weight * BY_DIFFERENCE).sum(axis=0)
        for column, values in ((size, with_advantage), (size + 1, with_draw)):
            matrix[:size, column] = matrix[column, :size] = self.pairs.per_player(values, -values)
        matrix[size, size] = weight.sum()
        matrix[size, size + 1] = matrix[size + 1, size] = -(weight * BY_ADVANTAGE).sum()
        matrix[size + 1, size + 1] = weight.sum() + slopes.draw_curvature
        return np.asarray(matrix[np.ix_(self.free, self.free)])

    def _advance(self, point: Point, step: Floats, decrement: float) -> Point:
        """Go along the step as far as the likelihood rises enough and draw_elo stays positive."""
        length = 1.0
        fall = -step[-1] / NATURAL
        if fall > 0:
            length = min(1.0, 0.9 * point.draw_elo / fall)
        if decrement < SAFE_DECREMENT:
            return _moved(point, step, length)
        before = self.likelihood.value(point)
        while length > SMALL_STEP:
            ahead = _moved(point, step, length)
            if self.likelihood.value(ahead) >= before + 1e-4 * length * decrement:
                return ahead
            length /= 2
        return _moved(point, step, length)

    def _centred(self, point: Point) -> Point:
        return Point(centred(point.elo, self.groups), point.advantage, point.draw_elo)


def _solve(matrix: Floats, gradient: Floats) -> Floats:
    """Solve a system that is positive definite but for rounding: then with a little damping."""
    damping = 0.0
    scale = matrix.diagonal() + matrix.diagonal().max(initial=0.0)
    while True:
        try:
            step = np.linalg.solve(matrix + np.diag(damping * scale) if damping else matrix, gradient)
        except np.linalg.LinAlgError:
            step = np.full(gradient.size, np.nan)
        if gradient @ step >= 0:  # uphill; False for nan
            return np.asarray(step, dtype=np.float64)
        damping = max(1e-10, 100 * damping)


def centred(elo: Floats, groups: Integers) -> Floats:
    """Shift the ratings so that the mean of every group is 0."""
    means = np.bincount(groups, elo) / np.bincount(groups)
    return np.asarray(elo - means[groups], dtype=np.float64)


def _moved(point: Point, step: Floats, length: float) -> Point:
    change = length * step / NATURAL
    return Point(point.elo + change[:-2], point.advantage + float(change[-2]), point.draw_elo + float(change[-1]))
