"""Initial graphs: random near-regular ones for any constraints, known families for interchangeable players."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fiedler.tournament.graph.errors import DesignError
from fiedler.tournament.graph.problem import Ints, Problem
from fiedler.tournament.graph.spectrum import Array, Edge

_ATTEMPTS = 20
"""Random growths before the search gives up."""


def grow(problem: Problem, random: np.random.Generator, seeds: Ints | None = None) -> Ints:
    """Return `pairs` edges: the required ones, `seeds` and random ones, within all constraints but connectedness.

    Raises:
        DesignError: no such graph was found within the caps and without the forbidden pairs.
    """
    for _ in range(_ATTEMPTS):
        growth = _Growth(problem, random, seeds)
        while growth.missing > 0 and growth.add():
            pass
        if growth.missing <= 0:
            return np.argwhere(np.triu(growth.chosen))
    raise DesignError(
        f"found no {problem.pairs} pairs that keep to {problem.cap} a player and are not forbidden: raise degree_cap"
    )


class _Growth:
    """Edges added one at a time, to the players of lowest degree first; a switch of edges resolves a dead end."""

    def __init__(self, problem: Problem, random: np.random.Generator, seeds: Ints | None) -> None:
        self.problem, self.random = problem, random
        self.chosen = np.zeros((problem.players, problem.players), dtype=bool)
        self.kept = np.zeros_like(self.chosen)
        self.degrees = np.zeros(problem.players, dtype=np.int64)
        self.missing = problem.pairs
        for i, j in problem.required:
            self.kept[i, j] = self.kept[j, i] = True
            self._set((i, j), True)
        for i, j in seeds if seeds is not None else ():
            self._set((int(i), int(j)), True)

    def _set(self, edge: Edge, value: bool) -> None:
        i, j = edge
        step = int(value) - int(self.chosen[i, j])
        self.chosen[i, j] = self.chosen[j, i] = value
        self.degrees[[i, j]] += step
        self.missing -= step

    def add(self) -> bool:
        """Add one edge, directly or by a switch; return whether that was possible."""
        room = self.degrees < self.problem.cap
        load = np.where(room, self.degrees + self.random.random(len(room)), np.inf)
        for i in np.argsort(load)[: int(room.sum())]:
            fits = self.problem.allowed[i] & ~self.chosen[i] & room
            if fits.any():
                self._set((int(i), int(np.where(fits, load, np.inf).argmin())), True)
                return True
        return self._open_up(np.flatnonzero(room))

    def _open_up(self, roomy: Ints) -> bool:
        """Switch edges for x and y, who have room but no open pair: replace ab by xa and yb."""
        spare = np.argwhere(self.chosen & ~self.kept)
        self.random.shuffle(spare)
        open_pairs = self.problem.allowed & ~self.chosen
        for x in roomy:
            for y in roomy:
                if x == y and self.degrees[x] + 2 > self.problem.cap:
                    continue
                fits = open_pairs[x, spare[:, 0]] & open_pairs[y, spare[:, 1]]
                if fits.any():
                    a, b = (int(node) for node in spare[int(fits.argmax())])
                    self._set((a, b), False)
                    self._set((int(x), a), True)
                    self._set((int(y), b), True)
                    return True
        return False


def sample(problem: Problem, spread: Array, random: np.random.Generator) -> Ints:
    """Return at most `pairs` edges drawn without repetition in proportion to `spread` (expected games per pair).

    No player gets more than its expected share of pairs, rounded up, so that the degrees follow the spread closely.
    """
    rows, columns = np.nonzero(np.triu(problem.allowed & (spread > 0)))
    share = 2 * problem.pairs * spread.sum(axis=1) / spread.sum()
    room = np.minimum(np.ceil(share), problem.cap).astype(np.int64)
    for i, j in problem.required:
        room[[i, j]] -= 1
    taken: list[Edge] = []
    keys = np.log(spread[rows, columns]) + random.gumbel(size=len(rows))
    for index in np.argsort(-keys):
        i, j = int(rows[index]), int(columns[index])
        fits = room[i] > 0 and room[j] > 0 and (i, j) not in problem.required
        if fits and len(taken) + len(problem.required) < problem.pairs:
            taken.append((i, j))
            room[[i, j]] -= 1
    return np.array(taken, dtype=np.int64).reshape(-1, 2)


def families(problem: Problem, random: np.random.Generator) -> Iterator[Ints]:
    """Yield known good graphs with at most `pairs` edges within the cap, their nodes in random order.

    They are complete bipartite graphs K_{k,N-k} (proved optimal for k(N-k) edges), complete multipartite graphs (dense
    optima) and biaffine planes (Pappus, Petersen, Hoffman-Singleton graph and their parts). The players must be
    interchangeable.
    """
    for edges in (*_bipartite(problem), *_multipartite(problem), *_biaffine(problem)):
        degrees = np.bincount(edges.ravel(), minlength=problem.players)
        if len(edges) <= problem.pairs and degrees.max() <= problem.cap:
            yield random.permutation(problem.players)[edges]


def _bipartite(problem: Problem) -> Iterator[Ints]:
    n = problem.players
    for k in range(n // 2, 0, -1):
        if k * (n - k) <= problem.pairs:
            yield np.array([(i, j) for i in range(k) for j in range(k, n)])
            return


def _multipartite(problem: Problem) -> Iterator[Ints]:
    """Yield the complete multipartite graph of the smallest near-equal parts that has at most `pairs` edges."""
    n = problem.players
    for parts in range(n, 2, -1):
        part = np.arange(n) % parts
        edges = np.argwhere(np.triu(part[:, None] != part[None, :]))
        if len(edges) <= problem.pairs:
            yield edges
            return


def _biaffine(problem: Problem) -> Iterator[Ints]:
    """Yield part of the biaffine plane of a prime order p, where N = 2 a p with a <= p: points (h, x), lines (i, y).

    Point (h, x) lies on line (i, x + h i mod p), so that two points share at most one line: a-regular, second adjacency
    eigenvalue at most sqrt(p). For p >= 5 also with a cycle through the p points of each h and the p lines of each i
    (step 1 and 2), which for p = 5 are parts of the Hoffman-Singleton graph (Robertson's pentagons and pentagrams).
    """
    n = problem.players
    for p in range(3, n // 2 + 1):
        a = n // (2 * p)
        if n != 2 * a * p or a > p or any(p % q == 0 for q in range(2, p)):
            continue
        points = np.arange(a * p).reshape(a, p)
        lines = points + a * p
        plane = [(points[h, x], lines[i, (x + h * i) % p]) for h in range(a) for i in range(a) for x in range(p)]
        yield np.array(plane)
        if p >= 5:
            cycles = [
                (row[x], row[(x + step) % p])
                for rows, step in ((points, 1), (lines, 2))
                for row in rows
                for x in range(p)
            ]
            yield np.sort(np.array(plane + cycles), axis=1)
