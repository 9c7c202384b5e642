"""Graphs with a cyclic symmetry: small in description, excellent in connectivity.

N = s k players stand in s orbits of k; edges come in whole orbits (i, j, t) = {(i, a) to (j, a + t mod k)}, so that the
Laplacian falls into blocks of s x s, one for each frequency of Z_k (a *voltage lift* of a graph on s nodes). With s = 1
these are the circulants. Exchanging orbits instead of edges searches a far smaller space that holds many of the best
graphs known, and each trial costs a few small blocks instead of one large matrix.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tournament.graph.exchange import Schedule
from tournament.graph.problem import Ints, Problem
from tournament.graph.spectrum import Array

_ORBITS = 6
"""Largest s tried."""


class Lift:
    """All orbits of edges of s x k players, and the spectrum of a choice of them."""

    def __init__(self, s: int, k: int) -> None:
        self.s, self.k = s, k
        within = [(i, i, t) for i in range(s) for t in range(1, k // 2 + 1)]
        across = [(i, j, t) for i in range(s) for j in range(i + 1, s) for t in range(k)]
        self.orbits = np.array(within + across, dtype=np.int64)
        i, j, t = self.orbits.T
        half = (i == j) & (2 * t == k)
        self.sizes = np.where(half, k // 2, k)
        self.degrees = np.zeros((len(self.orbits), s), dtype=np.int64)
        rows = np.arange(len(self.orbits))
        np.add.at(self.degrees, (rows, i), 1)
        np.add.at(self.degrees, (rows, j), np.where(half, 0, 1))
        self.blocks = self._blocks()
        frequencies = np.arange(k // 2 + 1)
        self.multiplicity = np.where((frequencies == 0) | (2 * frequencies == k), 1.0, 2.0)

    def _blocks(self) -> NDArray[np.complex128]:
        """Return what each orbit adds to each block of the Laplacian: (orbits, k//2 + 1, s, s)."""
        i, j, t = self.orbits.T
        rows = np.arange(len(self.orbits))
        phase = np.exp(2j * np.pi * np.outer(t, np.arange(self.k // 2 + 1)) / self.k)
        blocks = np.zeros((len(rows), phase.shape[1], self.s, self.s), dtype=complex)
        blocks[:, :, np.arange(self.s), np.arange(self.s)] = self.degrees[:, None, :]
        loop = i == j
        half = loop & (2 * t == self.k)
        blocks[rows[~loop], :, i[~loop], j[~loop]] -= phase[~loop]
        blocks[rows[~loop], :, j[~loop], i[~loop]] -= phase[~loop].conj()
        blocks[rows[loop], :, i[loop], i[loop]] -= np.where(half, 1.0, 2.0)[loop, None] * phase[loop].real
        return blocks

    def eigenvalues(self, laplacians: NDArray[np.complex128]) -> Array:
        """Return the eigenvalues of a batch (B, F, s, s) as (B, F s), with inf for that of the ones vector."""
        values = np.asarray(np.linalg.eigvalsh(laplacians), dtype=np.float64)
        values[:, 0, 0] = np.inf
        return values.reshape(len(laplacians), -1)

    def edges(self, chosen: Ints) -> Ints:
        """Return the edges of some orbits (M, 2)."""
        steps = np.arange(self.k)
        pairs = set()
        for i, j, t in self.orbits[chosen]:
            for a in steps:
                u, v = int(i * self.k + a), int(j * self.k + (a + t) % self.k)
                pairs.add((min(u, v), max(u, v)))
        return np.array(sorted(pairs))

    def draw(self, pairs: int, cap: int, random: np.random.Generator) -> Ints:
        """Return random orbits with at most `pairs` edges and `cap` a player to which none can be added."""
        chosen = np.zeros(len(self.orbits), dtype=bool)
        degrees = np.zeros(self.s, dtype=np.int64)
        while True:
            fits = ~chosen & (self.sizes <= pairs) & ((degrees + self.degrees) <= cap).all(axis=1)
            if not fits.any():
                return np.flatnonzero(chosen)
            load = random.random(len(chosen))
            pick = int(np.where(fits, load, np.inf).argmin())
            chosen[pick] = True
            degrees += self.degrees[pick]
            pairs -= int(self.sizes[pick])

    def anneal(self, chosen: Ints, cap: int, schedule: Schedule, random: np.random.Generator) -> tuple[float, Ints]:
        """Exchange orbits under the barrier of `exchange`; return the best λ2 and its orbits."""
        walk = _Walk(self, chosen, cap, random)
        for phase in range(schedule.phases):
            temperature, gap = schedule.at(phase)
            walk.phase(temperature, gap, schedule)
        return walk.best, walk.best_chosen


class _Walk:
    """The state of one search among the orbits of a lift."""

    def __init__(self, lift: Lift, chosen: Ints, cap: int, random: np.random.Generator) -> None:
        self.lift, self.cap, self.random = lift, cap, random
        self.chosen = chosen.copy()
        self.others = np.setdiff1d(np.arange(len(lift.orbits)), chosen)
        self.laplacian = lift.blocks[chosen].sum(axis=0)
        self.best, self.best_chosen = -1.0, self.chosen.copy()
        self.weights = np.repeat(lift.multiplicity, lift.s)

    def phase(self, temperature: float, gap: float, schedule: Schedule) -> None:
        """Try `steps` batches of exchanges at one level of the barrier."""
        values = self.lift.eigenvalues(self.laplacian[None])
        self._note(float(values.min()))
        level = float(values.min()) - gap * float(values[np.isfinite(values)].mean())
        barrier = self._barrier(values, level)[0]
        for _ in range(schedule.steps):
            out, into = self._propose(schedule.batch)
            if not len(out):
                continue
            change = self.lift.blocks[self.others[into]] - self.lift.blocks[self.chosen[out]]
            values = self.lift.eigenvalues(self.laplacian + change)
            barriers = self._barrier(values, level)
            limit = barrier * (1 - temperature * np.log(self.random.random(len(out))))
            accepted = np.flatnonzero(barriers < limit)
            if len(accepted):
                pick = int(accepted[0])
                self.laplacian = self.laplacian + change[pick]
                self._exchange(int(out[pick]), int(into[pick]))
                barrier = barriers[pick]
                self._note(float(values[pick].min()))

    def _propose(self, count: int) -> tuple[Ints, Ints]:
        """Draw exchanges of orbits of the same size that keep the cap, as positions in `chosen` and `others`."""
        if not len(self.chosen) or not len(self.others):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        lift = self.lift
        out = self.random.integers(len(self.chosen), size=count)
        into = self.random.integers(len(self.others), size=count)
        old, new = self.chosen[out], self.others[into]
        degrees = lift.degrees[self.chosen].sum(axis=0) - lift.degrees[old] + lift.degrees[new]
        good = (lift.sizes[old] == lift.sizes[new]) & (degrees <= self.cap).all(axis=1)
        return out[good], into[good]

    def _barrier(self, values: Array, level: float) -> Array:
        """Return Φ_l of each row of eigenvalues; infinite where one is not above the level."""
        distance = values - level
        sound = distance.min(axis=1) > 0
        distance[~sound] = 1.0
        return np.where(sound, (self.weights / distance).sum(axis=1), np.inf)

    def _exchange(self, out: int, into: int) -> None:
        self.chosen[out], self.others[into] = self.others[into], self.chosen[out]

    def _note(self, value: float) -> None:
        if value > self.best:
            self.best, self.best_chosen = value, self.chosen.copy()


def lifts(problem: Problem, random: np.random.Generator, schedule: Schedule, draws: int) -> Iterator[Ints]:
    """Yield the best lift of each shape s x k = N, its nodes in random order; at most `pairs` edges, within the cap.

    Only for problems whose players are interchangeable.
    """
    n = problem.players
    mean_cap = min(problem.cap, -(-2 * problem.pairs // n))
    for s in range(1, _ORBITS + 1):
        if n % s or n // s < 3:
            continue
        lift = Lift(s, n // s)
        found = [
            lift.anneal(lift.draw(problem.pairs, mean_cap, random), mean_cap, schedule, random) for _ in range(draws)
        ]
        best = max(found, key=lambda item: item[0])
        if len(best[1]):
            yield random.permutation(n)[lift.edges(best[1])]
