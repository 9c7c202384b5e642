"""Annealed exchange of edges: the search that turns a feasible graph into a good one.

The state is a set of edges. A move replaces one or two of them, so the number of pairs never changes. The native core
draws, evaluates and makes the moves (`native/src/graph/exchange.hpp`). This module sets the temperatures, computes the
eigenvalues and keeps the best graph.

Connectivity is maximised by minimising the barrier Φ_l = sum over i >= 2 of 1/(λ_i - l) (Batson, Spielman and
Srivastava). Its level l follows λ2 from below. Far from λ2 the barrier is smooth and close to the A-criterion; near it
only λ2 and the eigenvalues next to it count. With l = 0 it is the A-criterion itself (precision). For order
(D-criterion) the product of the eigenvalues is maximised.

A prior is part of the fixed Laplacian. Contrasts W change the precision tr K to tr W K: the core then gets K W K in
place of K K. Its formulas hold for both, if W is scaled to tr W K = tr K.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fiedler import native
from fiedler.support.stages import step
from fiedler.tournament.graph.problem import Criterion, Ints, Problem
from fiedler.tournament.graph.spectrum import CONNECTED, Array, Edge, laplacian

_SLICE = 100_000
"""Trials in one call of the core, about ten milliseconds: an interruption takes effect between two calls."""
_REFRESH = 1000
"""Moves after which K is recomputed, because rounding errors accumulate."""


@dataclass(frozen=True)
class Cooling:
    """The length and the temperatures of an annealing.

    It has `phases` phases of `trials` trials. The temperature falls geometrically from `warm` to `cold`, relative
    changes of the objective. The distance of the barrier's level below λ2 falls geometrically from `far` to `near`, in
    mean eigenvalues.
    """

    phases: int
    trials: int
    warm: float = 0.03
    cold: float = 0.0005
    far: float = 0.3
    near: float = 0.01

    def at(self, phase: int) -> tuple[float, float]:
        """Return the temperature and the distance of the level in mean eigenvalues."""
        fraction = phase / max(1, self.phases - 1)
        return self.warm * (self.cold / self.warm) ** fraction, self.far * (self.near / self.far) ** fraction


def orbits(edges: Ints) -> NDArray[np.int32]:
    """Return edges (M, 2) in the form of the core (M, 3): i, j, 0."""
    rows = np.zeros((len(edges), 3), dtype=np.int32)
    rows[:, :2] = edges
    return rows


def _without(edges: Ints, required: tuple[Edge, ...]) -> Ints:
    """Return the edges without one of each required pair."""
    missing = set(required)
    rest = []
    for i, j in edges.tolist():
        if (i, j) in missing:
            missing.discard((i, j))
        else:
            rest.append((i, j))
    return np.array(rest, dtype=np.int64).reshape(-1, 2)


class Annealing:
    """One walk: the exchange state and the best graph so far.

    New edges are drawn from `partners` (C, 2), i < j, with repetitions; by default all pairs are equally likely. With
    `repeats` an edge may be chosen several times; a required edge is kept once. `contrasts` (N x N) are the W of the
    precision; by default all ratings matter equally.
    """

    def __init__(
        self,
        problem: Problem,
        criterion: Criterion,
        edges: Ints,
        seed: int,
        partners: Ints | None = None,
        repeats: bool = False,
        contrasts: Array | None = None,
    ) -> None:
        self.problem, self.criterion, self.contrasts = problem, criterion, contrasts
        self.kept = np.array(problem.required, dtype=np.int64).reshape(-1, 2)
        movable = _without(edges, problem.required)
        unweighted = bool((problem.weights == 1).all())
        self.core = native.Exchange(
            problem.players,
            1,
            np.full(problem.players, problem.cap, dtype=np.int32),
            orbits(movable),
            orbits(self.kept),
            seed,
            weights=None if unweighted else np.maximum(problem.weights, 1e-9 * problem.weights.max()),
            forbidden=~problem.allowed,
            partners=None if partners is None else orbits(partners),
            repeats=repeats,
        )
        self.stuck = not len(movable) or (not repeats and problem.allowed.sum() // 2 == len(edges))
        self.best_value, self.best_edges = (-np.inf, 0.0), edges
        self._note(edges, self._laplacian(edges))

    def _with_kept(self, chosen: NDArray[np.int32]) -> Ints:
        return np.concatenate([self.kept, chosen[:, :2]])

    def _laplacian(self, edges: Ints) -> Array:
        i, j = edges.T
        n = self.problem.players
        weights: Array = np.bincount(i * n + j, self.problem.weights[i, j], n * n).reshape(n, n).astype(np.float64)
        return self.problem.fixed + laplacian(weights + weights.T)

    def _note(self, edges: Ints, graph: Array) -> Array:
        """Keep the graph with this Laplacian if it is the best one; return its eigenvalues without the zero one."""
        values = np.asarray(np.linalg.eigvalsh(graph)[1:], dtype=np.float64)
        value = self._value(values, graph)
        if value > self.best_value:
            self.best_value, self.best_edges = value, edges[np.lexsort((edges[:, 1], edges[:, 0]))]
        return values

    def _connected(self, values: Array) -> bool:
        return self.problem.determined or bool(values[0] > CONNECTED * values.mean())

    def _value(self, values: Array, graph: Array) -> tuple[float, float]:
        """Return the objective, which is maximised: λ2 or the criterion, then (among equals) the precision."""
        if not self._connected(values):
            return (-np.inf, 0.0)
        if self.contrasts is not None:
            return (-float(np.sum(self.contrasts * _inverse(graph, 0.0))), 0.0)
        precision = -float(np.sum(1.0 / values))
        if self.criterion == "connectivity":
            return (round(float(values[0]), 9), precision)
        return (float(np.sum(np.log(values))) if self.criterion == "order" else precision, precision)

    def run(self, schedule: Cooling, target: float = np.inf) -> None:
        """Anneal until the schedule ends or the first part of the value reaches `target`."""
        for phase in range(schedule.phases):
            if self.stuck or self.best_value[0] >= target:
                return
            temperature, gap = schedule.at(phase)
            self._walk(gap, temperature, schedule.trials)
            step()

    def _walk(self, gap: float, temperature: float, trials: int) -> None:
        """Try `trials` moves at one level of the barrier."""
        edges = self._with_kept(self.core.chosen)
        graph = self._laplacian(edges)
        level = self._level(gap, self._note(edges, graph))
        while trials > 0:
            inverse = _inverse(graph, level)
            square = inverse @ inverse if self.contrasts is None else self._scaled_square(inverse)
            tried, _, lowest = self.core.walk(
                inverse[None], square[None], temperature, min(trials, _SLICE), _REFRESH, self.criterion == "order"
            )
            trials -= tried
            if lowest < 0:
                edges = self._with_kept(self.core.best)
                self._note(edges, self._laplacian(edges))
            if trials > 0:
                graph = self._laplacian(self._with_kept(self.core.chosen))

    def _scaled_square(self, inverse: Array) -> Array:
        """Return K W K for W scaled to tr W K = tr K."""
        assert self.contrasts is not None
        scale = float(inverse.trace()) / float(np.sum(self.contrasts * inverse))
        return inverse @ (scale * self.contrasts) @ inverse

    def _level(self, gap: float, values: Array) -> float:
        lowest, mean = float(values[0]), float(values.mean())
        if self.criterion == "connectivity":
            return lowest - gap * mean
        return 0.0 if self._connected(values) else -0.05 * mean


def _inverse(graph: Array, level: float) -> Array:
    """Return K = (L - l)^-1 on the space orthogonal to the ones vector."""
    n = len(graph)
    scale = float(graph.trace()) / n
    lifted = graph + (level + scale) / n  # eigenvalue `scale` for the ones vector
    lifted[np.diag_indices(n)] -= level
    return np.asarray(np.linalg.inv(lifted) - 1.0 / (n * scale), dtype=np.float64)
