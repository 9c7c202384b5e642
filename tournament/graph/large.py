"""Thousands of players: a draw by the information of games, then exchanges in patches of the graph.

A matrix of all pairs is expensive here. K, the covariance of the ratings, is computed a few times, in single precision.
In between, the edges are annealed in patches of a few hundred edges with similar mean ratings. A patch uses the part of
K and K K of its players and does not see the changes of other patches, whose effect is small because there are many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fiedler import native
from fiedler.support import stages
from fiedler.tournament.graph import information
from fiedler.tournament.graph.errors import DesignError
from fiedler.tournament.graph.exchange import Cooling, orbits
from fiedler.tournament.graph.information import BAYES_ELO, GameModel
from fiedler.tournament.graph.lifts import LiftEffort, lifts
from fiedler.tournament.graph.problem import DegreeCap, Ints, check_uncertainty, pair_set
from fiedler.tournament.graph.spectrum import Array, Edge

Floats32 = NDArray[np.float32]

_BIN = 4.0
"""Width of a bin of players in Elo; the players of a bin are drawn with equal probability."""
_PATCH = 200
"""Edges annealed at a time."""
_TRIALS = 30_000
"""Moves tried in a patch at each of its two temperatures."""
_TEMPERATURE = 0.001
"""Relative change of tr K, times the pairs."""
_LIFT = LiftEffort(1, 25, Cooling(20, 1_500))
"""Effort of the search for lifts."""
_PARTS = 2
"""Computations of K before exchanges; each is followed by exchanges in every second patch."""


@dataclass(frozen=True)
class Field:
    """The options for many players: ratings and deviations (N,) in Elo, games of a new pair, cap and fixed pairs.

    `prior` (N,) is the precision of an independent prior of each rating in Elo^-2; None: there is none.
    """

    elo: Array
    elo_sd: Array
    games_per_pair: int
    degree_cap: DegreeCap
    required: tuple[Edge, ...] = ()
    forbidden: frozenset[Edge] = frozenset()
    prior_games: Sequence[tuple[int, int, float]] = ()
    prior: Array | None = None
    model: GameModel = BAYES_ELO

    @property
    def determined(self) -> bool:
        """Whether the prior determines all differences of ratings."""
        return self.prior is not None and bool((self.prior > 0).all())

    @property
    def players(self) -> int:
        """N."""
        return len(self.elo)

    @property
    def met(self) -> Ints:
        """The pairs of earlier games, shape (P, 2)."""
        return np.array([(i, j) for i, j, _ in self.prior_games], dtype=np.int64).reshape(-1, 2)

    def cap_for(self, pairs: int) -> int:
        """Return the most new pairs of one player."""
        if self.degree_cap == "near-equal":
            return -(-2 * pairs // self.players)
        return self.players - 1 if self.degree_cap == "none" else int(self.degree_cap)

    def per_game(self, i: Ints, j: Ints) -> Array:
        """Return the expected information of one game of each of these pairs, in Elo^-2."""
        spread = np.sqrt(self.elo_sd[i] ** 2 + self.elo_sd[j] ** 2)
        nodes, shares = np.polynomial.hermite_e.hermegauss(9)
        total = np.zeros(np.broadcast(i, j).shape)
        for node, share in zip(nodes, shares / shares.sum(), strict=True):
            difference = self.elo[i] - self.elo[j] + node * spread
            total += 0.5 * share * (self._fisher(difference) + self._fisher(-difference))
        return total

    def _fisher(self, difference: Array) -> Array:
        return information.fisher(difference, self.model.advantage, self.model.draw_elo)


def make_field(
    players: int,
    elo: Sequence[float] | None,
    elo_sd: float | Sequence[float] | None,
    games_per_pair: int,
    degree_cap: DegreeCap,
    prior_games: Sequence[tuple[int, int, float]],
    required: Sequence[Edge],
    forbidden: Sequence[Edge],
    covariance: Array | None = None,
    precision: Array | None = None,
    model: GameModel = BAYES_ELO,
) -> Field:
    """Check the options for many players and return them; only the diagonals of the two matrices are used.

    Raises:
        DesignError: the options contradict each other, or a number is out of range.
    """
    if elo is not None and len(elo) != players:
        raise DesignError(f"elo needs one number for each of the {players} players")
    ratings = np.zeros(players) if elo is None else np.array(elo, dtype=np.float64)
    if covariance is not None:
        check_uncertainty(elo, elo_sd, covariance)
        elo_sd = np.sqrt(_diagonal(players, covariance, "covariance")).tolist()
    deviations = np.broadcast_to(np.asarray(0.0 if elo_sd is None else elo_sd, dtype=np.float64), (players,))
    if not (np.isfinite(ratings).all() and (deviations >= 0).all() and np.isfinite(deviations).all()):
        raise DesignError("elo and elo_sd must be finite numbers, elo_sd at least 0")
    chosen, excluded = pair_set(required, players, "required"), pair_set(forbidden, players, "forbidden")
    pair_set([(i, j) for i, j, _ in prior_games], players, "prior_games")
    if set(chosen) & set(excluded):
        raise DesignError("a pair is both required and forbidden")
    known = None if precision is None else _diagonal(players, precision, "precision")
    if known is not None and not known.any():
        known = None
    return Field(
        ratings, deviations, games_per_pair, degree_cap, chosen, frozenset(excluded), prior_games, known, model
    )


def _diagonal(players: int, values: Array, name: str) -> Array:
    if np.shape(values) != (players, players):
        raise DesignError(f"{name}: expected a matrix of {players} x {players}")
    own = np.array(np.diag(values), dtype=np.float64)
    if not ((own >= 0) & (own < np.inf)).all():
        raise DesignError(f"{name}: expected a diagonal of finite numbers of at least 0")
    return own


def choose(field: Field, pairs: int, alike: bool, random: np.random.Generator) -> tuple[Ints, float]:
    """Return the edges (M, 2) and their predicted RMS error in Elo.

    If the players are `alike`, that is the best lift, if there is one.

    Raises:
        DesignError: the pairs cannot connect the players, or no such graph was found.
    """
    if pairs < field.players - 1 and not field.prior_games and not field.determined:
        raise DesignError(f"{pairs} pairs cannot connect {field.players} players")
    if alike and not field.required and not field.forbidden and not field.prior_games and field.prior is None:
        drawn = lifts(field.players, pairs, field.cap_for(pairs), random, _LIFT)
        found = [_completed(field, pairs, edges, random) for edges in drawn]
        if found:
            best = max(found, key=lambda edges: sparse_lambda2(field.players, edges))
            return best, rms_of(covariance(field, best))
    return improve(field, kernel_draw(field, pairs, 3, random), random)


def _completed(field: Field, pairs: int, edges: Ints, random: np.random.Generator) -> Ints:
    """Return `pairs` edges within the cap: the given ones and random ones."""
    taken = set(map(tuple, edges.tolist()))
    room = field.cap_for(pairs) - np.bincount(edges.ravel(), minlength=field.players)
    for _ in range(1000 * (pairs - len(edges))):
        if len(taken) == pairs:
            break
        roomy = np.flatnonzero(room > 0)
        i, j = sorted(random.choice(roomy, size=2, replace=False).tolist()) if len(roomy) > 1 else (0, 0)
        if i != j and (i, j) not in taken:
            taken.add((i, j))
            room[[i, j]] -= 1
    if len(taken) < pairs:
        raise DesignError(f"found no {pairs} pairs with at most {field.cap_for(pairs)} a player: raise degree_cap")
    return np.array(sorted(taken), dtype=np.int64)


def kernel_draw(field: Field, pairs: int, power: float, random: np.random.Generator) -> Ints:
    """Return `pairs` pairs drawn in proportion to I^power, balanced to equal expected degrees (Sinkhorn).

    The degrees are at most the mean, rounded up, and the cap.
    """
    order = np.argsort(field.elo, kind="stable")
    bins = ((field.elo - field.elo.min()) // _BIN).astype(np.int64)
    members = np.split(order, np.cumsum(np.bincount(bins))[:-1])
    sizes = np.array([len(one) for one in members], dtype=np.float64)
    middle = np.arange(len(members), dtype=np.float64) * _BIN
    deviation = float(field.elo_sd.mean())
    expected = information.expected(middle, np.full(len(middle), deviation), field.model)
    np.fill_diagonal(expected, information.expected(np.zeros(2), np.full(2, deviation), field.model)[0, 1])
    kernel = expected**power
    factor = np.ones(len(members))
    for _ in range(200):
        factor = np.sqrt(factor / (kernel @ (factor * sizes)))
    chances = np.cumsum(kernel * (factor * sizes), axis=1)
    return _Draw(field, pairs, bins, members, chances).make(random)


class _Draw:
    """The drawing: players with room, in random order, draw opponents by bin until all pairs are found."""

    def __init__(self, field: Field, pairs: int, bins: Ints, members: list[Ints], chances: Array) -> None:
        self.field, self.pairs, self.bins, self.members, self.chances = field, pairs, bins, members, chances
        self.room = np.full(field.players, min(field.cap_for(pairs), -(-2 * pairs // field.players)))
        self.taken: set[Edge] = set()

    def make(self, random: np.random.Generator) -> Ints:
        for edge in self.field.required:
            self._take(edge)
        while len(self.taken) < self.pairs:
            before = len(self.taken)
            for i in random.permutation(np.flatnonzero(self.room > 0)).tolist():
                if len(self.taken) < self.pairs and self.room[i] > 0:
                    self._partner(i, random)
            if len(self.taken) == before:
                self.room += 1  # the last players find no opponent: raise all limits by one
                if self.room.max() > self.field.cap_for(self.pairs):
                    raise DesignError(f"found no {self.pairs} pairs within the degree cap: raise degree_cap")
        return np.array(sorted(self.taken), dtype=np.int64)

    def _partner(self, i: int, random: np.random.Generator) -> None:
        chances = self.chances[self.bins[i]]
        for point in random.random(20) * chances[-1]:
            bin_ = self.members[int(np.searchsorted(chances, point, side="right"))]
            j = int(bin_[random.integers(len(bin_))])
            edge = (min(i, j), max(i, j))
            if j != i and self.room[j] > 0 and edge not in self.taken and edge not in self.field.forbidden:
                self._take(edge)
                return

    def _take(self, edge: Edge) -> None:
        self.taken.add(edge)
        self.room[list(edge)] -= 1


def covariance(field: Field, edges: Ints) -> Floats32:
    """Return K, the pseudo-inverse of the Laplacian of information (N x N, Elo^2), by Cholesky decomposition."""
    from scipy.linalg import blas, lapack  # slow to import, and few graphs are large

    n = field.players
    matrix = np.zeros((n, n), dtype=np.float32, order="F")
    weights = field.per_game(*edges.T) * field.games_per_pair
    rows = [edges]
    if field.prior_games:
        earlier = np.array([(i, j) for i, j, _ in field.prior_games], dtype=np.int64)
        games = np.array([count for _, _, count in field.prior_games])
        rows.append(earlier)
        weights = np.concatenate([weights, field.per_game(*earlier.T) * games])
    i, j = np.concatenate(rows).T
    scale = float(weights.max())
    np.subtract.at(matrix, (i, j), (weights / scale).astype(np.float32))
    np.subtract.at(matrix, (j, i), (weights / scale).astype(np.float32))
    degrees = np.bincount(i, weights / scale, n) + np.bincount(j, weights / scale, n)
    if field.prior is not None:  # what it says about differences: a complete graph of weights p_i p_j / sum p
        known = field.prior / scale
        matrix = blas.sger(-1 / float(known.sum()), known, known, a=matrix, overwrite_a=1)
        degrees += known * (1 - known / known.sum())
    matrix[np.diag_indices(n)] = degrees
    lift = float(degrees.mean()) / n  # eigenvalue of the ones vector: lift x n
    matrix += np.float32(lift)
    factor, failed = lapack.spotrf(matrix, lower=1, overwrite_a=1)
    if failed:
        raise DesignError(f"found no connected graph of {len(edges)} pairs")
    inverse, _ = lapack.spotri(factor, lower=1, overwrite_c=1)
    for begin in range(0, n, 1024):  # the upper triangle, block by block
        end = begin + 1024
        inverse[begin:end, end:] = inverse[end:, begin:end].T
        square = np.tril(inverse[begin:end, begin:end])
        inverse[begin:end, begin:end] = square + np.tril(square, -1).T
    inverse -= np.float32(1.0 / (lift * n * n))
    inverse /= np.float32(scale)
    return np.asarray(inverse)


def rms_of(covariance_: Floats32) -> float:
    """Return the RMS error sqrt(tr K / N) in Elo."""
    return float(np.sqrt(np.diag(covariance_).astype(np.float64).mean()))


def improve(field: Field, edges: Ints, random: np.random.Generator) -> tuple[Ints, float]:
    """Anneal patch after patch; return the best edges and their RMS error in Elo."""
    best = edges, np.inf
    stages.begin("exchange of pairs", -(-len(edges) // _PATCH))
    for part in range(_PARTS + 1):
        known = covariance(field, edges)
        rms = rms_of(known)
        if rms < best[1]:
            best = edges, rms
        if part < _PARTS:
            edges = _sweep(field, edges, known, part, random)
    return best


def _sweep(field: Field, edges: Ints, known: Floats32, part: int, random: np.random.Generator) -> Ints:
    order = np.argsort(field.elo[edges].sum(axis=1), kind="stable")
    required = set(field.required)
    adjacent = _neighbours(field.players, edges)
    for begin in range(part * _PATCH, len(edges), _PARTS * _PATCH):
        old = [edge for edge in map(tuple, edges[order[begin : begin + _PATCH]].tolist()) if edge not in required]
        new = _patch(field, np.array(old, dtype=np.int64), len(edges), known, adjacent, int(random.integers(2**62)))
        for i, j in old:
            adjacent[i].discard(j)
            adjacent[j].discard(i)
        for i, j in new.tolist():
            adjacent[i].add(j)
            adjacent[j].add(i)
        stages.step()
    return np.array([(i, j) for i, others in enumerate(adjacent) for j in sorted(others) if i < j], dtype=np.int64)


def _neighbours(players: int, edges: Ints) -> list[set[int]]:
    adjacent: list[set[int]] = [set() for _ in range(players)]
    for i, j in edges.tolist():
        adjacent[i].add(j)
        adjacent[j].add(i)
    return adjacent


def _patch(field: Field, group: Ints, pairs: int, known: Floats32, adjacent: list[set[int]], seed: int) -> Ints:
    """Return the edges that replace a group of edges, in a graph of `pairs` pairs."""
    nodes = np.unique(group)
    place = {node: k for k, node in enumerate(nodes.tolist())}
    movable_pairs = set(map(tuple, group.tolist()))
    kept = [
        (place[i], place[j])
        for i in nodes.tolist()
        for j in sorted(adjacent[i])
        if i < j and j in place and (i, j) not in movable_pairs
    ]
    movable = np.searchsorted(nodes, group)
    weights = field.per_game(nodes[:, None], nodes[None, :]) * field.games_per_pair
    outside = np.array([len(adjacent[i]) for i in nodes.tolist()])
    ends = np.concatenate([movable.ravel(), np.array(kept, dtype=np.int64).ravel()])
    inside = np.bincount(ends, minlength=len(nodes))
    forbidden = np.zeros((len(nodes), len(nodes)), dtype=bool)
    for i, j in field.forbidden:
        if i in place and j in place:
            forbidden[place[i], place[j]] = forbidden[place[j], place[i]] = True
    columns = known[:, nodes]
    inverse = np.ascontiguousarray(columns[nodes], dtype=np.float64)
    square = np.ascontiguousarray(columns.T @ columns, dtype=np.float64)
    core = native.Exchange(
        len(nodes),
        1,
        (field.cap_for(pairs) - outside + inside).astype(np.int32),
        orbits(movable),
        orbits(np.array(kept, dtype=np.int64).reshape(-1, 2)),
        seed,
        weights=weights,
        forbidden=forbidden,
    )
    share = _TEMPERATURE / (pairs * float(inverse.trace()) / (rms_of(known) ** 2 * field.players))
    for temperature in (share, share / 4):
        core.walk(inverse[None], square[None], temperature, _TRIALS, _TRIALS)
    chosen = core.chosen[:, :2]
    return np.asarray(np.sort(nodes[chosen], axis=1), dtype=np.int64)


def sparse_lambda2(players: int, edges: Ints) -> float:
    """Return the Fiedler value of an unweighted graph of many players: Lanczos on its pseudo-inverse, solved by CG."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.linalg import LinearOperator, cg, eigsh

    i, j = edges.T
    adjacency = coo_matrix((np.ones(len(i)), (i, j)), shape=(players, players)).tocsr()
    adjacency = adjacency + adjacency.T
    degrees = np.asarray(adjacency.sum(axis=1)).ravel()

    def solved(vector: Array) -> Array:
        centred = vector.ravel() - vector.mean()
        found, _ = cg(matrix, centred, rtol=1e-9, maxiter=5000)
        return np.asarray(found - found.mean())

    matrix = LinearOperator((players, players), matvec=lambda v: degrees * v.ravel() - adjacency @ v.ravel())
    inverse = LinearOperator((players, players), matvec=solved)
    start = np.random.default_rng(0).random(players)
    largest = eigsh(inverse, k=1, which="LA", v0=start, tol=1e-7, ncv=20, maxiter=50, return_eigenvectors=False)
    return float(1 / largest[0])
