"""The constraints of a meeting graph, checked once for every search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fiedler.support.text import counted
from fiedler.tournament.graph import expected_improvement, information, prior
from fiedler.tournament.graph.errors import DesignError
from fiedler.tournament.graph.information import BAYES_ELO, GameModel
from fiedler.tournament.graph.spectrum import Array, Edge, adjacency, components, laplacian

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Criterion = Literal["connectivity", "precision", "order"]
DesignGoal = Literal["precision", "best"]
DegreeCap = int | Literal["near-equal", "none"]


@dataclass(frozen=True)
class Problem:
    """Choose `pairs` edges out of `allowed`, the `required` ones among them, with degrees of at most `cap`.

    `weights[i, j]` is the weight of a chosen pair in the optimised Laplacian; `fixed` is the Laplacian of the earlier
    games and of the prior. `seen` are the pairs with earlier games. All matrices are N x N. If the prior determines all
    differences of ratings (`determined`), the games need not connect the players.
    """

    players: int
    pairs: int
    cap: int
    required: tuple[Edge, ...]
    allowed: Mask
    weights: Array
    fixed: Array
    seen: Mask
    determined: bool = False

    def with_weights(self, weights: Array, fixed: Array) -> Problem:
        """Return the same constraints with another Laplacian."""
        return replace(self, weights=weights, fixed=fixed)

    @property
    def plain(self) -> bool:
        """Whether λ2 is that of an unweighted graph: every pair that meets or met has the weight 1."""
        return bool((self.weights[~self.seen & self.allowed] == 1).all() and not self.weights[self.seen].any())

    @property
    def free(self) -> bool:
        """Whether the players are interchangeable, so that a known graph may be used with any labelling."""
        off_diagonal = self.weights[~np.eye(self.players, dtype=bool)]
        return not (
            self.required
            or self.seen.any()
            or self.fixed.any()
            or self.allowed.sum() != self.players * (self.players - 1)
            or np.ptp(off_diagonal) > 0
        )

    def graph(self, edges: Iterable[Edge]) -> Array:
        """Return the Laplacian of the chosen edges and the earlier games."""
        return self.fixed + laplacian(adjacency(self.players, edges, self.weights))


@dataclass(frozen=True)
class Beliefs:
    """Games and ratings known beforehand.

    `per_game` (N x N) is the information of one game of each pair in Elo^-2; `games_per_pair` are the games of a new
    pair; `played` (N x N) are the earlier games. `style_sd` is the standard deviation of a pair's result from the
    ratings in Elo, which no number of games reduces. `prior` (N x N) is what a prior says about differences
    (`prior.of_differences`), in Elo^-2. `contrasts` (N x N) are the weights W of the differences that matter; a precise
    design minimises tr W K for the covariance K. None: all ratings matter equally.
    """

    per_game: Array
    games_per_pair: int
    played: Array
    style_sd: float = 0.0
    prior: Array | None = None
    contrasts: Array | None = None

    @property
    def determined(self) -> bool:
        """Whether the prior determines all differences of ratings."""
        return prior.determines(self.prior)

    def information(self, games: Array | float) -> Array:
        """Return the information in `games` of every pair, in Elo^-2: 1 / (1 / (n I) + b^2) with a style of sd b."""
        linear = self.per_game * games
        return np.asarray(linear / (1.0 + self.style_sd**2 * linear))

    def marginal_information(self, games: Array | float) -> Array:
        """Return the information of one further game of every pair, in Elo^-2: the derivative of `information`."""
        return np.asarray(self.per_game / (1.0 + self.style_sd**2 * self.per_game * games) ** 2)

    def precision(self, games: Array, unit: float = 1.0) -> Array:
        """Return the precision of the differences (N x N) after these games of all pairs, in `unit` Elo^-2.

        It is the Laplacian of their information, and the prior. Its pseudo-inverse K is the covariance of the ratings.
        """
        found = laplacian(self.information(games) / unit)
        return found if self.prior is None else found + self.prior / unit

    def weighted(self) -> tuple[Array, Array]:
        """Return the information of each new pair, and the precision from earlier games and the prior, in Elo^-2."""
        before = self.information(self.played)
        return self.information(self.played + self.games_per_pair) - before, self.precision(self.played)


def connectivity_problem(
    pairs: int,
    degree_cap: DegreeCap,
    played: Array,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    names: Sequence[str] = (),
    determined: bool = False,
) -> Problem:
    """Check the options and return the problem of maximal λ2, in which every pair that meets or met has the weight 1.

    Messages have the players' `names`, if given, else their numbers. If a prior has `determined` all differences, the
    pairs need not connect the players.

    Raises:
        DesignError: the options contradict each other.
    """
    players = len(played)
    _check_number(players, pairs)
    show = _Show(names)
    problem = _problem(pairs, _cap(players, pairs, degree_cap), played, required, forbidden, show)
    problem = replace(problem, determined=determined)
    _check_room(problem)
    _check_reach(problem)
    _check_degrees(problem, degree_cap, show)
    return problem


def unit_problem(
    units: int,
    played: Array,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    names: Sequence[str] = (),
    determined: bool = False,
) -> Problem:
    """Return the problem of distributing `units` (its `pairs`), of which a pair may have any number.

    Raises:
        DesignError: the options contradict each other.
    """
    problem = replace(_problem(units, units, played, required, forbidden, _Show(names)), determined=determined)
    if len(problem.required) > units:
        raise DesignError(f"{len(problem.required)} pairs are required, but there are games for only {units}")
    _check_reach(problem)
    if not problem.allowed.any():
        raise DesignError("all pairs are forbidden")
    return problem


def _problem(
    pairs: int, cap: int, played: Array, required: Iterable[Edge], forbidden: Iterable[Edge], show: _Show
) -> Problem:
    players = len(played)
    chosen = pair_set(required, players, "required")
    excluded = pair_set(forbidden, players, "forbidden")
    both = sorted(set(chosen) & set(excluded))
    if both:
        raise DesignError(f"pair {show.pair(both[0])} is both required and forbidden")
    allowed = (1.0 - np.eye(players) - adjacency(players, excluded)) > 0
    seen = played > 0
    weights, fixed = (~seen).astype(float), laplacian(seen.astype(float))
    return Problem(players, pairs, cap, chosen, allowed, weights, fixed, seen)


def beliefs(
    players: int,
    elo: Sequence[float] | None,
    elo_sd: float | Sequence[float] | None,
    games_per_pair: int,
    prior_games: Iterable[tuple[int, int, float]],
    style_sd: float = 0.0,
    covariance: Array | None = None,
    precision: Array | None = None,
    model: GameModel = BAYES_ELO,
    goal: DesignGoal = "precision",
) -> Beliefs:
    """Return the ratings and games known before a tournament.

    Parameters
    ----------
    players : int
        N, at least 2.
    elo : sequence of float, length N, or None
        Expected ratings in raw Elo. None: all players are equal.
    elo_sd : float, sequence of float of length N, or None
        Standard deviations of `elo` in raw Elo, at least 0. None: 0.
    games_per_pair : int
        Games of a new pair, at least 1.
    prior_games : iterable of (i, j, games)
        Games already played, players 0-based.
    style_sd : float
        Standard deviation of a pair's result from the ratings, in Elo, at least 0.
    covariance : ndarray of float64, shape (N, N), optional
        Covariance of `elo` in raw Elo^2, in place of `elo_sd`.
    precision : ndarray of float64, shape (N, N), optional
        Precision of a prior of the ratings, without the games, in raw Elo^-2: symmetric, positive semidefinite.
    model : GameModel
        First player's advantage and draw parameter. Default: those of Bayes-Elo.
    goal : {"precision", "best"}
        All ratings, or the differences to the player of the highest mean (`expected_improvement`).

    Returns
    -------
    Beliefs
        With matrices of shape (N, N), information in Elo^-2.

    Raises
    ------
    DesignError
        A number is out of range, `elo_sd` or `covariance` is given without `elo`, or both are.

    Examples
    --------
    >>> from fiedler.tournament.graph.problem import beliefs
    >>> known = beliefs(2, [0.0, 200.0], None, 2, [(0, 1, 10)])
    >>> known.played.tolist()
    [[0.0, 10.0], [10.0, 0.0]]
    >>> round(float(known.per_game[0, 1]) * 400**2, 2)
    1.27

    """
    if players < 2:
        raise DesignError(f"a meeting graph needs at least 2 players, got {players}")
    if games_per_pair < 1:
        raise DesignError(f"games_per_pair must be at least 1, got {games_per_pair}")
    if not 0 <= style_sd < np.inf:
        raise DesignError(f"style_sd must be a number of at least 0, got {style_sd}")
    return Beliefs(
        _per_game(players, elo, elo_sd, covariance, model),
        games_per_pair,
        _played(players, prior_games),
        style_sd,
        prior.of_differences(players, precision),
        _contrasts(elo, covariance) if goal == "best" else None,
    )


def _per_game(
    players: int,
    elo: Sequence[float] | None,
    elo_sd: float | Sequence[float] | None,
    covariance: Array | None,
    model: GameModel,
) -> Array:
    check_uncertainty(elo, elo_sd, covariance)
    if elo is None:
        return information.equal_strength(model) * (1.0 - np.eye(players))
    ratings = _vector(players, elo, "elo")
    if covariance is not None:
        return information.expected_jointly(ratings, prior.square_matrix(players, covariance, "covariance"), model)
    deviation = np.full(players, elo_sd or 0.0) if elo_sd is None or isinstance(elo_sd, int | float) else elo_sd
    spread = _vector(players, deviation, "elo_sd")
    if (spread < 0).any():
        raise DesignError("elo_sd must not be negative")
    return information.expected(ratings, spread, model)


def check_uncertainty(
    elo: Sequence[float] | None, elo_sd: float | Sequence[float] | None, covariance: Array | None
) -> None:
    """Refuse an uncertainty of unknown ratings, and two of the same.

    Raises:
        DesignError: `elo_sd` or `covariance` is given without `elo`, or both are.
    """
    if elo is None and elo_sd is not None:
        raise DesignError("elo_sd is given without elo")
    if elo is None and covariance is not None:
        raise DesignError("covariance is given without elo")
    if elo_sd is not None and covariance is not None:
        raise DesignError("give either elo_sd or covariance")


def _contrasts(elo: Sequence[float] | None, covariance: Array | None) -> Array | None:
    """Return the weights of the differences to the best player; None if no difference is uncertain."""
    if elo is None or covariance is None:
        raise DesignError("goal best: expected elo and covariance")
    found = expected_improvement.contrasts(np.asarray(elo, dtype=np.float64), np.asarray(covariance, dtype=np.float64))
    return found if found.any() else None


def _vector(players: int, values: Sequence[float] | Array, name: str) -> Array:
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (players,):
        raise DesignError(f"{name} needs one number for each of the {players} players")
    if not np.isfinite(vector).all():
        raise DesignError(f"{name} must be finite numbers")
    return vector


def _played(players: int, prior_games: Iterable[tuple[int, int, float]]) -> Array:
    played = np.zeros((players, players))
    for i, j, games in prior_games:
        ((a, b),) = pair_set([(i, j)], players, "prior_games")
        if games < 0:
            raise DesignError(f"prior_games of pair {a}-{b} must not be negative, got {games}")
        played[a, b] += games
        played[b, a] += games
    return played


def pair_set(edges: Iterable[Edge], players: int, name: str) -> tuple[Edge, ...]:
    """Return the different pairs, i < j, sorted; `name` is the option in messages.

    Raises:
        DesignError: a player is out of range, or is paired with itself.
    """
    result = set()
    for i, j in edges:
        if not (0 <= i < players and 0 <= j < players):
            raise DesignError(f"{name} pair {i}-{j}: players are numbered 0 to {players - 1}")
        if i == j:
            raise DesignError(f"{name} pair {i}-{j}: expected two different players")
        result.add((min(i, j), max(i, j)))
    return tuple(sorted(result))


@dataclass(frozen=True)
class _Show:
    """Players in messages: by name if there are names, else by number."""

    names: Sequence[str]

    def player(self, i: int) -> str:
        return self.names[i] if self.names else str(i)

    def pair(self, edge: Edge) -> str:
        return f"{self.player(edge[0])} - {self.player(edge[1])}"


def _check_number(players: int, pairs: int) -> None:
    if pairs < 1:
        raise DesignError(f"pairs must be at least 1, got {pairs}")
    most = players * (players - 1) // 2
    if pairs > most:
        raise DesignError(
            f"{counted(pairs, 'pair')} asked for, but {players} players form only {counted(most, 'different pair')}"
        )


def _cap(players: int, pairs: int, degree_cap: DegreeCap) -> int:
    if degree_cap == "none":
        return players - 1
    if degree_cap == "near-equal":
        return min(players - 1, -(-2 * pairs // players))
    if isinstance(degree_cap, str) or degree_cap < 1:
        raise DesignError(f"degree_cap must be near-equal, none or a whole number of at least 1, got {degree_cap!r}")
    return min(players - 1, degree_cap)


def _check_room(problem: Problem) -> None:
    room = int(problem.allowed.sum()) // 2
    if problem.pairs > room:
        left = f"only {room} {'is' if room == 1 else 'are'} not forbidden" if room else "all pairs are forbidden"
        raise DesignError(f"{counted(problem.pairs, 'pair')} asked for, but {left}")
    if len(problem.required) > problem.pairs:
        raise DesignError(f"{len(problem.required)} pairs are required, but only {problem.pairs} asked for")


def _check_degrees(problem: Problem, degree_cap: DegreeCap, show: _Show) -> None:
    what = f"degree_cap {degree_cap}" + (f" (here {problem.cap})" if degree_cap == "near-equal" else "")
    degrees = adjacency(problem.players, problem.required).sum(axis=1)
    if degrees.max() > problem.cap:
        worst = int(degrees.argmax())
        wrong = f"player {show.player(worst)} has {counted(int(degrees[worst]), 'required pair')}"
        raise DesignError(f"{wrong}, more than {what} allows: raise degree_cap")
    most = int(np.minimum(problem.allowed.sum(axis=1), problem.cap).sum()) // 2
    if problem.pairs > most:
        wrong = f"{counted(problem.pairs, 'pair')} asked for, but {what} leaves room for only {most}"
        raise DesignError(f"{wrong}: raise degree_cap")


def _check_reach(problem: Problem) -> None:
    if problem.determined:
        return
    before = edge_list(np.argwhere(np.triu(problem.seen)))
    parts = components(problem.players, [*before, *problem.required])
    needed = len(problem.required) + parts - 1
    if needed > problem.pairs:
        wrong = f"{counted(problem.pairs, 'pair')} cannot connect {problem.players} players"
        raise DesignError(f"{wrong}: at least {needed} are needed")
    possible = edge_list(np.argwhere(np.triu(problem.allowed | problem.seen)))
    if components(problem.players, possible) > 1:
        raise DesignError("the forbidden pairs cut the players into groups that can never meet")


def edge_list(edges: Ints) -> tuple[Edge, ...]:
    """Return an array of edges (M, 2) as pairs of Python integers."""
    return tuple((int(i), int(j)) for i, j in edges)
