"""The meeting graph for a number of players and pairs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from fiedler.tournament.graph import bounds, design_options, information
from fiedler.tournament.graph.apportionment import allot
from fiedler.tournament.graph.design_options import (
    check_goal,
    check_many,
    game_model,
    names_of,
    room_of,
    size_of,
    units_of,
)
from fiedler.tournament.graph.exchange import Cooling
from fiedler.tournament.graph.information import ADVANTAGE, DRAW_ELO
from fiedler.tournament.graph.large import Field, choose, make_field, sparse_lambda2
from fiedler.tournament.graph.problem import (
    Beliefs,
    Criterion,
    DegreeCap,
    DesignGoal,
    Ints,
    Problem,
    beliefs,
    connectivity_problem,
    edge_list,
    unit_problem,
)
from fiedler.tournament.graph.search import search_edges
from fiedler.tournament.graph.spectrum import CONNECTED, Array, Edge, connected, lambda2, rms_error

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True)
class Design:
    """A meeting graph, its predicted precision, and bounds under the same options."""

    names: tuple[str, ...]
    """The N players."""
    edges: tuple[Edge, ...]
    """The M chosen pairs, 0-based, i < j, sorted; earlier pairs only if they were chosen again."""
    games: tuple[int, ...]
    """Games of each edge."""
    criterion: str
    lambda2: float
    """Fiedler value of the unweighted graph of all pairs that meet or met."""
    lambda2_bound: float
    """Upper bound of `lambda2`."""
    rms: float
    """Predicted RMS error of the ratings in raw Bayes-Elo Elo, sqrt(tr(L^+)/N), with the prior if there is one."""
    rms_bound: float
    """Lower bound of `rms`; 0 with the goal `best`, which no bound is computed for."""
    rms_precision: float
    """`rms` of the design that the criterion `precision` finds with the same pairs and games; with the goal `best`, of
    this design."""
    seconds: float
    """Wall time of the search."""
    informed_lambda2: float | None = None
    """Fiedler value of the graph weighted by the information of all games, in Elo^-2, for the criterion `connectivity`
    with known ratings. The difference of two ratings has a standard error of at most sqrt(2 / informed_lambda2)."""
    informed_lambda2_bound: float | None = None
    """Upper bound of `informed_lambda2`."""

    def graph(
        self, elo: Sequence[float] | None = None, *, advantage: float = ADVANTAGE, draw_elo: float = DRAW_ELO
    ) -> networkx.Graph:
        """Return the design as a graph of networkx, for its algorithms and file formats.

        Nodes are the names, with `elo` if given. Edges have `games` and `information`: the Fisher information of these
        games on the difference of the two ratings, in Elo^-2.

        Parameters
        ----------
        elo : sequence of float, length N, optional
            Believed ratings in raw Elo. Default: all players are equal.
        advantage, draw_elo : float
            Parameters of the games in raw Elo, as given to `design`.

        Returns
        -------
        networkx.Graph
            With N nodes and an edge for each of `edges`.

        Raises
        ------
        ValueError
            `elo` has another length than `names`.

        Examples
        --------
        >>> from fiedler.tournament.graph import design
        >>> graph = design(10, 15, names=list("ABCDEFGHIJ")).graph()
        >>> graph.number_of_edges(), graph.degree["A"]
        (15, 3)
        >>> round(graph.edges["A", next(iter(graph["A"]))]["information"] * 400**2, 2)
        3.11

        """
        import networkx

        graph = networkx.Graph(criterion=self.criterion, lambda2=self.lambda2, rms=self.rms)
        if elo is not None and len(elo) != len(self.names):
            raise ValueError(f"elo: expected {len(self.names)} ratings, got {len(elo)}")
        believed = [{} if elo is None else {"elo": float(elo[i])} for i in range(len(self.names))]
        graph.add_nodes_from(zip(self.names, believed, strict=True))
        ratings = np.zeros(len(self.names)) if elo is None else np.asarray(elo, dtype=np.float64)
        for (i, j), games in zip(self.edges, self.games, strict=True):
            each = float(information.fisher(ratings[i : i + 1] - ratings[j], advantage, draw_elo)[0])
            graph.add_edge(self.names[i], self.names[j], games=games, information=games * each)
        return graph


def design(
    players: int,
    pairs: int | None = None,
    *,
    games: int | None = None,
    criterion: Criterion = "connectivity",
    degree_cap: DegreeCap = "near-equal",
    seed: int = 0,
    names: Sequence[str] = (),
    elo: Sequence[float] | None = None,
    elo_sd: float | Sequence[float] | None = None,
    covariance: Array | None = None,
    precision: Array | None = None,
    advantage: float = ADVANTAGE,
    draw_elo: float = DRAW_ELO,
    goal: DesignGoal = "precision",
    style_sd: float = 0.0,
    games_per_pair: int | None = None,
    prior_games: Sequence[tuple[int, int, float]] = (),
    required: Sequence[Edge] = (),
    forbidden: Sequence[Edge] = (),
) -> Design:
    """Choose a simple graph with `pairs` edges, connected together with the pairs of `prior_games`.

    A pair has the weight of its games times the expected Fisher information of one game. For connectivity without
    `elo`, every pair that meets or met has the weight 1. The same arguments give the same edges on the same platform.
    Beyond 2,000 players the result is a lift (connectivity of equal players) or, for every criterion, a precise design,
    and the bounds are weaker.

    Parameters
    ----------
    players : int
        N, at least 2.
    pairs : int, optional
        M, the number of edges. Give either `pairs` or `games`.
    games : int, optional
        Most games in all. With `precision` each pair plays any multiple of `games_per_pair`, and `degree_cap` must not
        be a number. With the other criteria each pair plays `games_per_pair` games. If all possible pairs meet and
        `games_per_pair` is not given, each pair plays the largest even number within `games`, or fewer pairs play two
        games more if that has the smaller predicted error for equal players.
    criterion : {"connectivity", "precision", "order"}
        Maximise λ2; minimise the RMS error of the ratings (A-optimal); or maximise the information on the whole ranking
        (D-optimal: most weighted spanning trees).
    degree_cap : int, "near-equal" or "none"
        Most new pairs of one player; `near-equal` is ceil(2 pairs / players).
    seed : int
        Seed of the search.
    names : sequence of str, length N, optional
        Names of the players. Default: player-1, player-2, …
    elo : sequence of float, length N, optional
        Expected ratings in raw Bayes-Elo Elo. Default: all players are equal.
    elo_sd : float or sequence of float of length N, optional
        Standard deviations of `elo`, at least 0. Default: 0.
    covariance : ndarray of float64, shape (N, N), optional
        Covariance of `elo` in raw Elo^2, in place of `elo_sd`. Beyond 2,000 players its diagonal alone is used.
    precision : ndarray of float64, shape (N, N), optional
        Precision P of a prior of the ratings in raw Elo^-2, without the information of `prior_games`: symmetric and
        positive semidefinite. Beyond 2,000 players its diagonal alone is used. The predicted error is then that of the
        posterior ratings. A P that determines all differences connects the players without any game.
    advantage, draw_elo : float
        First player's advantage and draw parameter (at least 0) of the Bayes-Elo model, in raw Elo.
    goal : {"precision", "best"}
        All ratings; or which player is the best: `games` are spread, with the criterion `precision`, such that the
        differences to the player of the highest `elo` get certain, each as far as its expected improvement falls.
        Needs `elo` and `covariance`.
    style_sd : float
        Standard deviation of a pair's result from the ratings in Elo, at least 0. No number of games reduces it.
    games_per_pair : int, optional
        Games of each pair, at least 1. Default: 2.
    prior_games : sequence of (i, j, games)
        Games already played, players 0-based.
    required, forbidden : sequence of (i, j)
        Pairs that are always, or never, chosen.

    Returns
    -------
    Design

    Raises
    ------
    DesignError
        The options contradict each other, or no such graph was found.

    Examples
    --------
    >>> from fiedler.tournament.graph import design
    >>> petersen = design(10, 15)
    >>> round(petersen.lambda2, 6), round(petersen.lambda2_bound, 6)
    (2.0, 2.0)
    >>> design(3, games=12, criterion="precision").games
    (4, 4, 4)
    >>> import numpy as np
    >>> close = {"elo": [0.0, 10.0, -600.0], "covariance": 400.0 * np.eye(3), "precision": np.eye(3) / 400}
    >>> design(3, games=12, criterion="precision", goal="best", **close).edges
    ((0, 1),)

    """
    started, labels = time.perf_counter(), names_of(players, names)
    model = game_model(advantage, draw_elo)
    check_goal(goal, criterion, games)
    style = None if required or forbidden else style_sd
    room = room_of(players, degree_cap, forbidden)
    pairs, each = size_of(players, pairs, games, games_per_pair, criterion, room, style)
    if players > design_options.MANY:
        check_many(players, pairs, style_sd)
        field = make_field(
            players, elo, elo_sd, each, degree_cap, prior_games, required, forbidden, covariance, precision, model
        )
        return _of_many(field, pairs or 0, labels, criterion, elo is None, seed, started)
    with _one_thread():
        known = beliefs(players, elo, elo_sd, each, prior_games, style_sd, covariance, precision, model, goal)
        determined = known.determined
    random = np.random.default_rng(seed)
    if pairs is None:
        units = units_of(games or 0, each, degree_cap)
        problem = unit_problem(units, known.played, required, forbidden, names, determined)
        return _free(problem, known, goal, labels, random, started)
    problem = connectivity_problem(pairs, degree_cap, known.played, required, forbidden, names, determined)
    rated = elo is not None or known.prior is not None
    return _of_pairs(problem, known, criterion, rated, labels, random, started)


def _of_pairs(
    problem: Problem,
    known: Beliefs,
    criterion: Criterion,
    rated: bool,
    labels: tuple[str, ...],
    random: np.random.Generator,
    started: float,
) -> Design:
    """Return the best graph of a given number of pairs with equally many games."""
    with _one_thread():
        informed = problem.with_weights(*known.weighted())
        objective = informed if rated or criterion != "connectivity" else problem
        bound, spread = bounds.relax(problem, known)
        precise, edges = search_edges(problem, informed, objective, criterion, spread, random)
        evaluation = _Evaluation(problem, informed, objective, bounds.rms_bound(problem, known, bound))
        return evaluation.design(labels, criterion, edges, precise, known.games_per_pair, started)


def _one_thread() -> threadpool_limits:
    """Limit BLAS to one thread: the matrices are small, and more threads would take cores from the games."""
    return threadpool_limits(limits=1, user_api="blas")


def _of_many(
    field: Field, pairs: int, labels: tuple[str, ...], criterion: Criterion, alike: bool, seed: int, started: float
) -> Design:
    """Return a design for thousands of players: a lift for the connectivity of equal players, else a precise one."""
    with _one_thread():
        edges, rms = choose(field, pairs, criterion == "connectivity" and alike, np.random.default_rng(seed))
        everything = np.concatenate([edges, field.met])
        apart = field.determined and not connected(field.players, edge_list(everything))
        connectivity = 0.0 if apart else sparse_lambda2(field.players, everything)
    n, cap = field.players, min(field.cap_for(pairs), field.players - 1)
    most = min(2 * pairs / (n - 1), float(2 * pairs // n)) if not len(field.met) else float(n)
    if n * cap == 2 * pairs and not len(field.met):
        most = min(most, bounds.regular_bound(n, cap))
    weight = information.greatest(field.model) * field.games_per_pair
    unbounded = len(field.met) or field.prior is not None
    return Design(
        names=labels,
        edges=edge_list(edges),
        games=(field.games_per_pair,) * len(edges),
        criterion=criterion,
        lambda2=connectivity,
        lambda2_bound=max(connectivity, most),
        rms=rms,
        rms_bound=0.0 if unbounded else min(rms, float(np.sqrt(bounds.moment_trace(n, pairs, cap) / weight / n))),
        rms_precision=rms,
        seconds=time.perf_counter() - started,
    )


def _free(
    problem: Problem,
    known: Beliefs,
    goal: DesignGoal,
    labels: tuple[str, ...],
    random: np.random.Generator,
    started: float,
) -> Design:
    """Return the best distribution of games in units of `games_per_pair`."""
    with _one_thread():
        informed = problem.with_weights(*known.weighted())
        bound, spread = bounds.relax_games(problem.allowed, known, problem.pairs * known.games_per_pair)
        schedule = Cooling(phases=5, trials=20_000, warm=0.005 / problem.pairs, cold=0.002 / problem.pairs)
        edges, units = allot(informed, known, spread, schedule, random)
        i, j = edges.T
        games = np.zeros_like(known.played)
        games[i, j] = games[j, i] = units * known.games_per_pair
        rms = rms_error(known.precision(known.played + games))
        support = replace(problem, pairs=len(edges))
        connectivity = lambda2(support.graph(edge_list(edges)))
        most = max(connectivity, bounds.lambda2_bound(support))
    return Design(
        names=labels,
        edges=edge_list(edges),
        games=tuple(int(count) for count in games[i, j]),
        criterion=goal,
        lambda2=connectivity,
        lambda2_bound=most,
        rms=rms,
        rms_bound=0.0 if goal == "best" else min(rms, float(np.sqrt(bound / problem.players))),
        rms_precision=rms,
        seconds=time.perf_counter() - started,
    )


@dataclass(frozen=True)
class _Evaluation:
    """Evaluates chosen edges."""

    problem: Problem
    """The unweighted problem."""
    informed: Problem
    """The problem weighted by information."""
    objective: Problem
    """The one of the two that was optimised."""
    rms_bound: float

    def design(
        self, names: tuple[str, ...], criterion: Criterion, edges: Ints, precise: Ints, games: int, started: float
    ) -> Design:
        """Return the finished design."""
        graph = self.problem.graph(edge_list(edges))
        joined = lambda2(graph) > CONNECTED  # else the low eigenvectors are not orthogonal to the ones vector
        low_vectors = np.linalg.eigh(graph)[1][:, 1:4] if self.problem.seen.any() and joined else None
        most = max(lambda2(graph), bounds.lambda2_bound(self.problem, low_vectors))
        weighted = self.informed.graph(edge_list(edges))
        rms = rms_error(weighted)
        informed = criterion == "connectivity" and self.objective is self.informed
        return Design(
            names=names,
            edges=edge_list(edges),
            games=(games,) * len(edges),
            criterion=criterion,
            lambda2=lambda2(graph),
            lambda2_bound=most,
            rms=rms,
            rms_bound=min(rms, self.rms_bound),
            rms_precision=min(rms, rms_error(self.informed.graph(edge_list(precise)))),
            seconds=time.perf_counter() - started,
            informed_lambda2=lambda2(weighted) if informed else None,
            informed_lambda2_bound=bounds.informed_lambda2_bound(self.informed, weighted, most) if informed else None,
        )
