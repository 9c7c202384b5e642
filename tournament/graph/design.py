"""The meeting graph for a number of players and pairs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

import numpy as np
from threadpoolctl import threadpool_limits

from fiedler.support.errors import nearest
from fiedler.support.stages import begin, step
from fiedler.tournament.graph import bounds, information
from fiedler.tournament.graph.apportionment import allot
from fiedler.tournament.graph.errors import DesignError
from fiedler.tournament.graph.exchange import Annealing, Cooling
from fiedler.tournament.graph.information import ADVANTAGE, DRAW_ELO, GameModel
from fiedler.tournament.graph.initial_graphs import families, grow, sample
from fiedler.tournament.graph.large import Field, choose, make_field, sparse_lambda2
from fiedler.tournament.graph.lifts import LiftEffort, lifts
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
from fiedler.tournament.graph.spectrum import CONNECTED, Array, Edge, connected, lambda2, rms_error

if TYPE_CHECKING:
    import networkx

DEFAULT_GAMES = 2
"""Games per pair: one with each colour."""
_PATIENT = Cooling(20, 12_000)
"""For up to 40 players."""
_CLOSE = Cooling(20, 12_000, warm=0.2, cold=0.01, far=0.05, near=0.02)
"""For up to 20 players, in turn with `_PATIENT`."""
_QUICK = (
    Cooling(20, 2_000),
    Cooling(20, 2_000, warm=0.06, cold=0.06, far=0.05, near=0.05),
    Cooling(20, 2_000, warm=0.6, cold=0.05, far=0.01, near=0.005),
    Cooling(20, 2_000, warm=0.04, cold=0.04, far=0.1, near=0.1),
    Cooling(20, 2_000, warm=0.08, cold=0.03, far=0.05, near=0.05),
)
"""For up to 12 players: each finds, in one of 2 to 20 walks, optima that the others rarely find."""
_MANY = 2000
"""Players up to which matrices of all pairs are used."""
_MOST_PLAYERS = 20_000
"""Players of the largest design. Memory grows with their square: 10,000 players take 0.9 GB."""
_MOST_PAIRS = 2_000_000
"""Pairs of the largest design of more than `_MANY` players; 2,000 players form as many."""
_MOST_UNITS = 1_000_000
"""Units of freely distributed games; each is a row of the exchange."""


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


@dataclass(frozen=True)
class _Effort:
    """The effort of the search. It depends on the number of players alone, not on the speed of the machine."""

    walks: int
    """Annealings for connectivity."""
    kinds: tuple[Cooling, ...]
    """The schedules of the annealings for connectivity, in turn."""
    settle: int
    """Trials in all for the other criteria."""
    lift: LiftEffort
    several: bool = True
    """Whether the other criteria take up to four walks, else one."""

    @staticmethod
    def of(players: int) -> _Effort:
        """Return an effort of less than a second on one core for 12 players, seconds for 100, a minute for 1,000."""
        if players <= 12:
            return _Effort(30 if players < 10 else 100, _QUICK, 20_000, LiftEffort(2, 6, Cooling(10, 500)))
        if players <= 40:
            kinds = (_CLOSE, _PATIENT) if players <= 20 else (_PATIENT,)
            draws = 12 if players <= 30 else 60
            return _Effort(8, kinds, 200_000, LiftEffort(draws, 10, Cooling(20, 2_000)))
        if players <= 120:
            kinds = (Cooling(20, 20_000),)
            return _Effort(2, kinds, 600_000, LiftEffort(16, 10, Cooling(30, 2_500)), several=False)
        # A move costs more than a thousand trials, so this is little more than a descent.
        kinds = (Cooling(5, 20_000 if players <= 400 else 10_000, warm=0.002, cold=0.0003, far=0.02, near=0.005),)
        if players <= 400:
            return _Effort(1, kinds, 200_000, LiftEffort(3, 25, Cooling(30, 3_000)), several=False)
        return _Effort(1, kinds, 900_000, LiftEffort(2, 25, Cooling(20, 2_500)), several=False)

    def of_criterion(self, criterion: Criterion) -> tuple[int, LiftEffort]:
        """Return the number of walks and the effort for lifts, which matter less for other criteria."""
        if criterion == "connectivity":
            return self.walks, self.lift
        lift = LiftEffort(1, min(6, self.lift.most), Cooling(10, 1_000))
        return min(4, self.walks) if self.several else 1, lift

    def schedules(self, criterion: Criterion, pairs: int) -> tuple[Cooling, ...]:
        """Return the schedules of the walks: a move changes the precision by about 1 / pairs, λ2 by far more."""
        if criterion == "connectivity":
            return self.kinds
        if self.settle > 600_000:
            return (Cooling(phases=6, trials=self.settle // 6, warm=0.006 / pairs, cold=0.0007 / pairs),)
        return (Cooling(phases=10, trials=self.settle // 10, warm=0.06 / pairs, cold=0.003 / pairs),)


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
    started, labels = time.perf_counter(), _names(players, names)
    model = _model(advantage, draw_elo)
    _check_goal(goal, criterion, games)
    style = None if required or forbidden else style_sd
    room = _room(players, degree_cap, forbidden)
    pairs, each = _size(players, pairs, games, games_per_pair, criterion, room, style)
    if players > _MANY:
        _check_many(players, pairs, style_sd)
        field = make_field(
            players, elo, elo_sd, each, degree_cap, prior_games, required, forbidden, covariance, precision, model
        )
        return _of_many(field, pairs or 0, labels, criterion, elo is None, seed, started)
    with _one_thread():
        known = beliefs(players, elo, elo_sd, each, prior_games, style_sd, covariance, precision, model, goal)
        determined = known.determined
    random = np.random.default_rng(seed)
    if pairs is None:
        units = _units(games or 0, each, degree_cap)
        problem = unit_problem(units, known.played, required, forbidden, names, determined)
        return _free(problem, known, goal, labels, random, started)
    problem = connectivity_problem(pairs, degree_cap, known.played, required, forbidden, names, determined)
    rated = elo is not None or known.prior is not None
    return _of_pairs(problem, known, criterion, rated, labels, random, started)


def _model(advantage: float, draw_elo: float) -> GameModel:
    if not np.isfinite(advantage):
        raise DesignError(f"advantage: expected a finite number, got {advantage}")
    if not 0 <= draw_elo < np.inf:
        raise DesignError(f"draw_elo: expected a number of at least 0, got {draw_elo}")
    return GameModel(float(advantage), float(draw_elo))


def _check_goal(goal: DesignGoal, criterion: Criterion, games: int | None) -> None:
    if goal not in get_args(DesignGoal):
        known = get_args(DesignGoal)
        raise DesignError(f"unknown goal {goal!r}{nearest(goal, known)}; known: {', '.join(known)}")
    if goal == "best" and (criterion != "precision" or games is None):
        raise DesignError("goal best: expected games, and the criterion precision")


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
        precise, edges = _choose(problem, informed, objective, criterion, spread, random)
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


def _size(
    players: int,
    pairs: int | None,
    games: int | None,
    games_per_pair: int | None,
    criterion: Criterion,
    room: int,
    style_sd: float | None,
) -> tuple[int | None, int]:
    """Return the number of pairs, None for freely distributed games, and the games of a pair or of a unit.

    Raises:
        DesignError: the numbers contradict each other or are too large.
    """
    if criterion not in get_args(Criterion):
        known = get_args(Criterion)
        raise DesignError(f"unknown criterion {criterion!r}{nearest(criterion, known)}; known: {', '.join(known)}")
    if (pairs is None) == (games is None):
        raise DesignError("give either pairs or games")
    each = DEFAULT_GAMES if games_per_pair is None else games_per_pair
    if games is not None:
        _check_games(games, each)
        if criterion != "precision":
            pairs, each = _distributed(players, games, room, games_per_pair, style_sd)
    _check_size(players, pairs)
    return pairs, each


def _units(games: int, each: int, degree_cap: DegreeCap) -> int:
    """Return the number of units of `each` games that are distributed freely."""
    if isinstance(degree_cap, int):
        raise DesignError("degree_cap limits pairs: leave it out if games are distributed freely")
    if games // each > _MOST_UNITS:
        raise DesignError(f"expected at most {_MOST_UNITS * each} games in units of {each}, got {games}")
    return games // each


def _check_many(players: int, pairs: int | None, style_sd: float) -> None:
    """Refuse the options that are limited to fewer players."""
    if style_sd or pairs is None:
        option = "style_sd" if style_sd else "games distributed freely"
        raise DesignError(f"{option}: expected at most {_MANY} players, got {players}")


def _check_games(games: int, each: int) -> None:
    if each < 1:
        raise DesignError(f"games_per_pair must be at least 1, got {each}")
    if games < each:
        raise DesignError(f"games must be at least {each}, the games of one pair, got {games}")


def _check_size(players: int, pairs: int | None) -> None:
    """Refuse sizes that take more memory than a machine has."""
    if players > _MOST_PLAYERS:
        raise DesignError(f"expected at most {_MOST_PLAYERS} players, got {players}")
    if pairs is not None and players > _MANY and pairs > _MOST_PAIRS:
        raise DesignError(f"expected at most {_MOST_PAIRS} pairs for more than {_MANY} players, got {pairs}")


def _room(players: int, degree_cap: DegreeCap, forbidden: Sequence[Edge]) -> int:
    """Return the largest number of pairs within the options."""
    excluded = len({frozenset(pair) for pair in forbidden})
    cap = degree_cap if isinstance(degree_cap, int) else players
    return max(0, min(players * (players - 1) // 2 - excluded, players * cap // 2))


def _distributed(
    players: int, games: int, room: int, games_per_pair: int | None, style_sd: float | None
) -> tuple[int, int]:
    """Return the number of pairs and the games of each pair, `games` in all at most.

    Without `style_sd` (None) the number of pairs is as large as possible.
    """
    each = DEFAULT_GAMES if games_per_pair is None else games_per_pair
    pairs = max(1, min(games // each, room))
    if games_per_pair is not None or pairs < room:
        return pairs, each
    most = games // pairs // 2 * 2
    fuller = games // (most + 2)
    if style_sd is None or fuller < players - 1:
        return pairs, most
    alike = information.equal_strength()

    def error(number: int, games_each: int) -> float:
        of_pair = 1 / (games_each * alike) + style_sd**2
        return bounds.moment_trace(players, number, -(-2 * number // players)) * of_pair

    return min([(pairs, most), (fuller, most + 2)], key=lambda choice: error(*choice))


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


def _names(players: int, names: Sequence[str]) -> tuple[str, ...]:
    if names and len(names) != players:
        raise DesignError(f"{len(names)} names for {players} players")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DesignError(f"expected different names, got {twice[0]!r} more than once")
    return tuple(names) or tuple(f"player-{i + 1}" for i in range(players))


def _choose(
    problem: Problem,
    informed: Problem,
    objective: Problem,
    criterion: Criterion,
    spread: Array,
    random: np.random.Generator,
) -> tuple[Ints, Ints]:
    """Return the most precise edges found and the best ones for the criterion on the problem `objective`."""
    effort = _Effort.of(problem.players)
    walks, lift = effort.of_criterion(criterion)
    starts = list(_starts(problem, informed, spread, (walks, lift), random))
    # With a prior the relaxed optimum may be fewer pairs than are asked for, any number of times each.
    sought = spread + spread.mean() * problem.allowed if problem.determined else spread
    partners = None if informed.free else _partners(sought, problem.pairs, random)

    def search(of: Problem, best_in: Criterion, these: list[Ints], walks: int) -> Ints:
        return _search(of, best_in, these, walks, effort.schedules(best_in, problem.pairs), partners, random)

    if criterion == "precision":
        best = search(informed, criterion, starts, walks)
        return best, best
    precise = search(informed, "precision", starts, 1)
    return precise, search(objective, criterion, [precise, *starts], walks)


def _partners(spread: Array, pairs: int, random: np.random.Generator) -> Ints:
    """Return 40 times `pairs` pairs (a million at most), drawn in proportion to the relaxed optimum."""
    i, j = np.nonzero(np.triu(spread, 1))
    share = spread[i, j] / spread[i, j].sum()
    drawn = random.choice(len(i), size=min(40 * pairs, 1_000_000), p=share)
    return np.stack([i[drawn], j[drawn]], axis=1)


def _search(
    problem: Problem,
    criterion: Criterion,
    starts: list[Ints],
    walks: int,
    schedules: tuple[Cooling, ...],
    partners: Ints | None,
    random: np.random.Generator,
) -> Ints:
    """Anneal from the best starts, among several walks also from a random one, and return the best edges.

    The walks use the schedules in turn.

    Raises:
        DesignError: no connected graph was found.
    """
    target = bounds.lambda2_bound(problem) - 1e-7 if problem.plain and criterion == "connectivity" else np.inf
    seeds = random.integers(2**62, size=len(starts)).tolist()
    candidates = [
        Annealing(problem, criterion, edges, seed, partners) for edges, seed in zip(starts, seeds, strict=True)
    ]
    ranked = sorted(candidates[:-1], key=lambda walk: walk.best_value, reverse=True)
    chosen = [*ranked[: max(1, walks - 1)], candidates[-1], *ranked[walks - 1 :]][:walks]
    begin(f"search for {criterion}", sum(schedules[turn % len(schedules)].phases for turn in range(len(chosen))))
    for turn, walk in enumerate(chosen):
        if any(other.best_value[0] >= target for other in candidates):
            break
        walk.run(schedules[turn % len(schedules)], target)
    best = max(candidates, key=lambda walk: walk.best_value)
    if problem.determined:
        return best.best_edges
    if not connected(problem.players, [*edge_list(best.best_edges), *edge_list(np.argwhere(problem.seen))]):
        raise DesignError(
            f"found no connected graph of {problem.pairs} pairs with at most {problem.cap} a player: raise degree_cap"
        )
    return best.best_edges


def _starts(
    problem: Problem, informed: Problem, spread: Array, effort: tuple[int, LiftEffort], random: np.random.Generator
) -> Iterator[Ints]:
    """Yield feasible edge sets: known graphs and lifts for interchangeable players, else draws; then random ones."""
    walks, lift = effort
    if problem.free and informed.free:
        for seeds in (*families(problem, random), *lifts(problem.players, problem.pairs, problem.cap, random, lift)):
            yield grow(problem, random, seeds)
    drawn = 0 if informed.free else min(walks, 4)
    begin("random graphs", drawn + walks)
    for _ in range(drawn):
        yield grow(problem, random, sample(problem, spread, random))
        step()
    for _ in range(walks):
        yield grow(problem, random)
        step()


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
