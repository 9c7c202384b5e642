"""Graphs with a cyclic symmetry: short to describe, of high connectivity.

N = s k players form s orbits of k. Edges are whole orbits (i, j, t) = {(i, a) to (j, a + t mod k)}, so the Laplacian
decomposes into blocks of s x s, one for each frequency of Z_k (a *voltage lift* of a graph on s nodes). With s = 1
these are the circulants. Exchanging orbits instead of edges searches a far smaller space that contains many of the best
known graphs, and a trial costs a few small blocks instead of one large matrix.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fiedler import native
from fiedler.support.stages import begin, step
from fiedler.tournament.graph.exchange import Cooling
from fiedler.tournament.graph.problem import Ints
from fiedler.tournament.graph.spectrum import Array

Orbits = NDArray[np.int32]
Blocks = NDArray[np.complex128]

_LONGEST = 200
"""Players of the largest orbit: a few larger orbits form too few different graphs."""
_DRAWS = 12
"""Attempts to draw orbits with the full number of edges."""


class Lift:
    """The orbits of edges of s x k players, and the spectrum of a choice of orbits."""

    def __init__(self, s: int, k: int) -> None:
        self.s, self.k = s, k
        within = [(i, i, t) for i in range(s) for t in range(1, k // 2 + 1)]
        across = [(i, j, t) for i in range(s) for j in range(i + 1, s) for t in range(k)]
        self.orbits: Orbits = np.array(within + across, dtype=np.int32)
        self.half = self._half(self.orbits)
        self.sizes = np.where(self.half, k // 2, k)
        frequencies = np.arange(k // 2 + 1)
        self.multiplicity = np.where((frequencies == 0) | (2 * frequencies == k), 1.0, 2.0)
        self.phases: Blocks = np.exp(2j * np.pi * (np.outer(frequencies, np.arange(k)) % k) / k)

    def _half(self, orbits: Orbits) -> NDArray[np.bool_]:
        return np.asarray((orbits[:, 0] == orbits[:, 1]) & (2 * orbits[:, 2] == self.k))

    def blocks(self, chosen: Orbits) -> Blocks:
        """Return the blocks of the Laplacian of the chosen orbits, shape (k//2 + 1, s, s)."""
        i, j, t = chosen.T
        weight = np.where(self._half(chosen), 0.5, 1.0)
        phase = self.phases[:, t] * weight
        result = np.zeros((len(self.phases), self.s, self.s), dtype=complex)
        for place in range(len(chosen)):
            a, b = i[place], j[place]
            result[:, a, a] += weight[place]
            result[:, b, b] += weight[place]
            result[:, a, b] -= phase[:, place]
            result[:, b, a] -= phase[:, place].conj()
        return result

    def eigenvalues(self, blocks: Blocks) -> Array:
        """Return the eigenvalues of all blocks, shape (k//2 + 1, s); that of the ones vector is inf."""
        values = np.asarray(np.linalg.eigvalsh(blocks), dtype=np.float64)
        values[0, 0] = np.inf
        return values

    def inverse(self, blocks: Blocks, level: float) -> Blocks:
        """Return K = (L - l)^-1 in blocks, on the space orthogonal to the ones vector."""
        lifted = blocks - level * np.eye(self.s)
        lifted[0] += (level + 1.0) / self.s  # eigenvalue 1 for the ones vector
        result = np.linalg.inv(lifted)
        result[0] -= 1.0 / self.s
        return np.ascontiguousarray(result, dtype=np.complex128)

    def edges(self, chosen: Orbits) -> Ints:
        """Return the edges of the chosen orbits, shape (M, 2)."""
        steps = np.arange(self.k)
        found = [np.stack([i * self.k + steps, j * self.k + (steps + t) % self.k], axis=1) for i, j, t in chosen]
        return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)

    def draw(self, pairs: int, cap: int, random: np.random.Generator) -> Orbits:
        """Return random orbits with `pairs` edges, or the most that were found, and degrees of at most `cap`."""
        drawn = (self._draw(pairs, cap, random) for _ in range(_DRAWS))
        best = next(drawn)
        for other in drawn:
            if self._count(best) == pairs:
                break
            best = max(best, other, key=self._count)
        return best

    def _count(self, chosen: Orbits) -> int:
        return int(np.where(self._half(chosen), self.k // 2, self.k).sum())

    def _draw(self, pairs: int, cap: int, random: np.random.Generator) -> Orbits:
        """Add orbits one at a time, to the players of lowest degree first, while they fit."""
        i, j, _ = self.orbits.T
        taken = np.zeros(len(self.orbits), dtype=bool)
        ends = np.where(self.half, 0, 1)
        room = np.full(self.s, cap)
        while True:
            fits = ~taken & (self.sizes <= pairs) & (room[i] > 0) & (room[j] - (i == j) * ends >= 0)
            fits &= (i == j) | (room[j] > 0)
            fits &= ~((i == j) & ~self.half) | (room[i] >= 2)
            if not fits.any():
                return self.orbits[taken]
            load = random.random(len(taken)) - 0.7 * (room[i] + room[j])
            pick = int(np.where(fits, load, np.inf).argmin())
            taken[pick] = True
            room[i[pick]] -= 1
            room[j[pick]] -= ends[pick]
            pairs -= int(self.sizes[pick])

    def anneal(
        self, chosen: Orbits, cap: int, schedule: Cooling, seed: int, target: float = np.inf
    ) -> tuple[float, Orbits]:
        """Exchange orbits under the barrier of `exchange` until λ2 is `target`; return the best λ2 and its orbits."""
        core = native.Exchange(self.s, self.k, np.full(self.s, cap, dtype=np.int32), chosen, chosen[:0], seed)
        best, found = -1.0, chosen
        for phase in range(schedule.phases):
            temperature, gap = schedule.at(phase)
            blocks = self.blocks(core.chosen)
            values = self.eigenvalues(blocks)
            lowest = float(values.min())
            if lowest > best:
                best, found = lowest, core.chosen
            level = lowest - gap * float(values[np.isfinite(values)].mean())
            inverse = self.inverse(blocks, level)
            _, _, fall = core.walk(inverse, inverse @ inverse, temperature, schedule.trials, schedule.trials)
            if fall < 0:
                lowest = float(self.eigenvalues(self.blocks(core.best)).min())
                if lowest > best:
                    best, found = lowest, core.best
            step()
            if best >= target:
                break
        return best, found


@dataclass(frozen=True)
class LiftEffort:
    """The effort of the search: `draws` annealings of each shape with up to `most` orbits."""

    draws: int
    most: int
    schedule: Cooling


def lifts(n: int, pairs: int, cap: int, random: np.random.Generator, effort: LiftEffort) -> Iterator[Ints]:
    """Yield the best lift of each shape s x k = N with at most `pairs` edges within the cap, nodes in random order."""
    cap = min(cap, -(-2 * pairs // n))
    longest = max(_LONGEST, n // effort.most)
    shapes = [s for s in range(1, effort.most + 1) if n % s == 0 and 3 <= n // s <= longest]
    begin("symmetric graphs", len(shapes) * effort.draws * effort.schedule.phases)
    for s in shapes:
        lift = Lift(s, n // s)
        drawn = [lift.draw(pairs, cap, random) for _ in range(effort.draws)]
        seeds = random.integers(2**62, size=len(drawn)).tolist()
        found = [
            lift.anneal(chosen, cap, effort.schedule, seed)
            for chosen, seed in zip(drawn, seeds, strict=True)
            if len(chosen)
        ]
        if found:
            yield random.permutation(n)[lift.edges(max(found, key=lambda item: item[0])[1])]
