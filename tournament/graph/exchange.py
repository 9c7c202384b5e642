"""Annealed exchange of edges: the search that turns a feasible graph into a good one.

The state is a set of edges; a move takes one or two of them out and puts as many in, so the number of pairs never
changes. All moves of a batch are priced at once by `price`, the one numeric kernel: arrays in, arrays out.

For connectivity the quantity that falls is the barrier Φ_l = sum over i >= 2 of 1/(λ_i - l) (Batson, Spielman and
Srivastava), whose level l follows λ2 from below: far away it is nearly the A-criterion and smooth, close by only λ2
and the eigenvalues next to it count. With l = 0 it is the A-criterion itself (precision), and for order (D-criterion)
the product of the eigenvalues is what rises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournament.graph.problem import Criterion, Ints, Mask, Problem
from tournament.graph.spectrum import CONNECTED, Array

_POSITIONS = ((0, 1), (2, 3), (0, 2), (1, 3))
"""The pairs of the four nodes a b c d that a move may change: ab, cd, ac, bd."""


def _templates() -> Array:
    """Return (e_p - e_q)(e_p - e_q)^T for each of `_POSITIONS`, one flattened 4 x 4 matrix a row."""
    rows = np.zeros((4, 4, 4))
    for row, (p, q) in zip(rows, _POSITIONS, strict=True):
        row[p, p] = row[q, q] = 1.0
        row[p, q] = row[q, p] = -1.0
    return rows.reshape(4, 16)


_TEMPLATES = _templates()
_IDENTITY = np.eye(4)


def price(inverse: Array, square: Array, nodes: Ints, change: Array) -> tuple[Array, Array]:
    """Price a batch of moves, each of which changes the Laplacian on at most four nodes.

    inverse: K = (L - l)^-1 on the space orthogonal to the ones vector (N x N); square: K K.
    nodes: (B, 4), repeats allowed; change: (B, 4) weights added to the pairs `_POSITIONS` of them.
    Returns the change of tr K and det(L' - l)/det(L - l) on that space, both (B,). By Woodbury's identity,
    tr K' - tr K = -tr(P (I + S P)^-1 Q) with S, Q the 4 x 4 parts of K, K K and P the change. A ratio that is not
    positive says that some eigenvalue falls below l: the change of the trace is then infinite.
    """
    batch = len(nodes)
    perturbation = (change @ _TEMPLATES).reshape(batch, 4, 4)
    rows, columns = nodes[:, :, None], nodes[:, None, :]
    system = _IDENTITY + inverse[rows, columns] @ perturbation
    ratio = np.linalg.det(system)
    sound = ratio > 1e-9
    system[~sound] = _IDENTITY
    middle = perturbation @ np.linalg.inv(system)
    trace = -np.einsum("bij,bji->b", middle, square[rows, columns])
    return np.where(sound, trace, np.inf), np.where(sound, ratio, 0.0)


@dataclass(frozen=True)
class Moves:
    """A batch of moves: `nodes` a b c d (B, 4), whether each is a switch (B,), `change` as `price` reads it.

    An exchange takes ab out and puts cd in; a switch takes ab and cd out and puts ac and bd in.
    """

    nodes: Ints
    switch: Mask
    change: Array


class Exchange:
    """A set of edges under the constraints of a problem, and the random moves from it."""

    def __init__(self, problem: Problem, edges: Ints, random: np.random.Generator) -> None:
        self.problem = problem
        self.random = random
        self.chosen = np.zeros((problem.players, problem.players), dtype=bool)
        self.chosen[edges[:, 0], edges[:, 1]] = self.chosen[edges[:, 1], edges[:, 0]] = True
        self.kept = np.zeros_like(self.chosen)
        for i, j in problem.required:
            self.kept[i, j] = self.kept[j, i] = True
        self._refresh()

    def _refresh(self) -> None:
        self.open = self.problem.allowed & ~self.chosen
        self.slack = self.problem.cap - self.chosen.sum(axis=1)
        self.movable = np.argwhere(np.triu(self.chosen & ~self.kept))
        self.spare = np.argwhere(np.triu(self.open))

    @property
    def edges(self) -> Ints:
        """The edges (M, 2), i < j, sorted."""
        return np.argwhere(np.triu(self.chosen))

    @property
    def stuck(self) -> bool:
        """Whether there is nothing to take out or nothing to put in."""
        return not len(self.movable) or not len(self.spare)

    def laplacian(self) -> Array:
        """Return the Laplacian that is optimised."""
        weights = self.chosen * self.problem.weights
        return self.problem.fixed + np.diag(weights.sum(axis=1)) - weights

    def propose(self, count: int) -> Moves:
        """Return up to `count` random feasible moves: free exchanges, rotations (one end stays) and switches."""
        kinds = self.random.random(count)
        switch = kinds < 0.5
        other = np.where(switch[:, None], self._oriented(self.movable, count), self._oriented(self.spare, count))
        nodes = np.concatenate([self._oriented(self.movable, count), other], axis=1)
        rotate = kinds >= 0.75
        nodes[rotate, 2] = nodes[rotate, 0]
        good = np.where(switch, self._may_switch(nodes), self._may_exchange(nodes))
        return self._weighed(nodes[good], switch[good])

    def _oriented(self, edges: Ints, count: int) -> Ints:
        """Draw edges at random, each in a random direction."""
        drawn = edges[self.random.integers(len(edges), size=count)]
        turn = self.random.random(count) < 0.5
        drawn[turn] = drawn[turn, ::-1]
        return drawn

    def _may_exchange(self, nodes: Ints) -> Mask:
        """Tell where cd is open and c and d have room, a and b having one place more than now."""
        a, b, c, d = nodes.T
        room_c = self.slack[c] + (c == a) + (c == b)
        room_d = self.slack[d] + (d == a) + (d == b)
        return np.asarray(self.open[c, d] & (room_c > 0) & (room_d > 0))

    def _may_switch(self, nodes: Ints) -> Mask:
        """Tell where ac and bd are open and the four players differ."""
        a, b, c, d = nodes.T
        return np.asarray(self.open[a, c] & self.open[b, d] & (a != d) & (b != c))

    def _weighed(self, nodes: Ints, switch: Mask) -> Moves:
        """Attach the weights, in the order of `_POSITIONS`."""
        weights = self.problem.weights
        a, b, c, d = nodes.T
        change = np.zeros((len(nodes), 4))
        change[:, 0] = -weights[a, b]
        change[:, 1] = np.where(switch, -weights[c, d], weights[c, d])
        change[:, 2] = np.where(switch, weights[a, c], 0.0)
        change[:, 3] = np.where(switch, weights[b, d], 0.0)
        return Moves(nodes, switch, change)

    def apply(self, moves: Moves, index: int) -> None:
        """Make one move of a batch."""
        a, b, c, d = (int(node) for node in moves.nodes[index])
        switch = bool(moves.switch[index])
        self._set(a, b, False)
        self._set(c, d, not switch)
        if switch:
            self._set(a, c, True)
            self._set(b, d, True)
        self._refresh()

    def _set(self, i: int, j: int, value: bool) -> None:
        self.chosen[i, j] = self.chosen[j, i] = value


@dataclass(frozen=True)
class Schedule:
    """How long and how warm to anneal.

    `phases` of `steps` batches of `batch` moves; temperatures are relative changes of the objective; the level of the
    barrier stays `far` ... `near` mean eigenvalues below λ2. Both fall geometrically.
    """

    phases: int
    steps: int
    batch: int
    warm: float = 0.03
    cold: float = 0.0005
    far: float = 0.3
    near: float = 0.01

    def at(self, phase: int) -> tuple[float, float]:
        """Return the temperature and the distance of the level in mean eigenvalues."""
        fraction = phase / max(1, self.phases - 1)
        return self.warm * (self.cold / self.warm) ** fraction, self.far * (self.near / self.far) ** fraction


class Barrier:
    """K = (L - l)^-1 and K K on the space orthogonal to the ones vector, kept up to date through accepted moves."""

    def __init__(self, laplacian: Array, level: float) -> None:
        n = len(laplacian)
        lifted = laplacian - level * np.eye(n) + (level + 1.0) / n  # eigenvalue 1 for the ones vector
        self.inverse: Array = np.asarray(np.linalg.inv(lifted) - 1.0 / n, dtype=np.float64)
        self.square: Array = self.inverse @ self.inverse

    @property
    def trace(self) -> float:
        """The barrier Φ_l."""
        return float(self.inverse.trace())

    def update(self, nodes: Ints, change: Array) -> None:
        """Follow one move by Woodbury's identity, in O(N^2): K' = K - C M C^T with the four columns C of K."""
        perturbation = (change @ _TEMPLATES).reshape(4, 4)
        system = _IDENTITY + self.inverse[np.ix_(nodes, nodes)] @ perturbation
        columns = self.inverse[:, nodes]
        middle = perturbation @ np.linalg.inv(system)
        cross = self.square[:, nodes] @ middle @ columns.T  # K C M C^T, as K C are columns of K K
        self.inverse = self.inverse - columns @ middle @ columns.T
        self.square = self.square - cross - cross.T + columns @ (middle @ (columns.T @ columns) @ middle) @ columns.T


class Annealing:
    """One walk: the exchange state and the best graph seen so far."""

    def __init__(self, problem: Problem, criterion: Criterion, edges: Ints, random: np.random.Generator) -> None:
        self.criterion = criterion
        self.random = random
        self.state = Exchange(problem, edges, random)
        self.best_value, self.best_edges = (-np.inf, 0.0), self.state.edges
        self._note()

    def _note(self) -> Array:
        """Compare the present graph with the best one; return its eigenvalues but the zero one."""
        values = np.asarray(np.linalg.eigvalsh(self.state.laplacian())[1:], dtype=np.float64)
        value = self._value(values)
        if value > self.best_value:
            self.best_value, self.best_edges = value, self.state.edges
        return values

    def _value(self, values: Array) -> tuple[float, float]:
        """Return what is to be maximised: λ2 or the criterion, then (between equals) the precision."""
        if values[0] <= CONNECTED * values.mean():
            return (-np.inf, 0.0)
        precision = -float(np.sum(1.0 / values))
        if self.criterion == "connectivity":
            return (round(float(values[0]), 9), precision)
        return (float(np.sum(np.log(values))) if self.criterion == "order" else precision, precision)

    def run(self, schedule: Schedule, target: float = np.inf) -> None:
        """Anneal until the schedule ends or the first part of the value reaches `target`."""
        for phase in range(schedule.phases):
            if self.state.stuck or self.best_value[0] >= target:
                return
            temperature, gap = schedule.at(phase)
            self._walk(self._level(gap), temperature, schedule, target)
            self._note()

    def _level(self, gap: float) -> float:
        values = self._note()
        lowest, mean = float(values[0]), float(values.mean())
        if self.criterion == "connectivity":
            return lowest - gap * mean
        return 0.0 if lowest > CONNECTED * mean else -0.05 * mean

    def _walk(self, level: float, temperature: float, schedule: Schedule, target: float) -> None:
        """Take up to `steps` batches at one level: Metropolis' rule, move by move, in the order they were drawn."""
        barrier = Barrier(self.state.laplacian(), level)
        height = lowest = 0.0
        for _ in range(schedule.steps):
            moves = self.state.propose(schedule.batch)
            rise = self._rise(moves, barrier)
            accepted = np.flatnonzero(rise < -temperature * np.log(self.random.random(len(rise))))
            if not len(accepted):
                continue
            pick = int(accepted[0])
            self.state.apply(moves, pick)
            barrier.update(moves.nodes[pick], moves.change[pick])
            height += float(rise[pick])
            if height < lowest - 1e-12:
                lowest = height
                self._note_step(barrier, level)
                if self.best_value[0] >= target:
                    return

    def _note_step(self, barrier: Barrier, level: float) -> None:
        """Take note of the present graph without its eigenvalues where K tells enough: they are what takes time."""
        if self.criterion == "precision" and level == 0.0:
            if -barrier.trace > self.best_value[0]:
                self.best_value, self.best_edges = (-barrier.trace, -barrier.trace), self.state.edges
            return
        limit = np.inf  # the largest eigenvalue of K, 1/(λ2 - l), is at least tr K K / tr K
        if self.criterion == "connectivity":
            limit = level + barrier.trace / float(barrier.square.trace())
        if limit > self.best_value[0]:
            self._note()

    def _rise(self, moves: Moves, barrier: Barrier) -> Array:
        """Return by which logarithm each move makes the objective worse: tr K, or 1 / det."""
        trace, ratio = price(barrier.inverse, barrier.square, moves.nodes, moves.change)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.criterion == "order":
                return -np.log(ratio)
            return np.where(trace > -barrier.trace, np.log1p(trace / barrier.trace), np.inf)
