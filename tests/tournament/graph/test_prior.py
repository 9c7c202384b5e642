"""Designs that know a prior of the ratings, their covariance, and the goal to find the best player."""

from __future__ import annotations

import itertools
import math
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from fiedler.tournament.graph import Design, DesignError, design, information, prior
from fiedler.tournament.graph.expected_improvement import contrasts
from fiedler.tournament.graph.information import GameModel
from fiedler.tournament.graph.spectrum import Array, laplacian

UNITS = {4: 6, 5: 4}
"""Units of two games of the small examples, by players."""


def small(seed: int) -> dict[str, Any]:
    """Return ratings of four or five players, a prior, some games, and the covariance that they leave."""
    random = np.random.default_rng(seed)
    players = 4 + seed % 2
    factor = random.normal(0, 1 / 150, (players, players))
    precision = factor @ factor.T + np.eye(players) / 400**2
    elo = random.normal(0, 150, players)
    games = np.triu(2.0 * random.integers(0, 3, (players, players)), 1)
    known = information.expected(elo, np.zeros(players))
    covariance = np.linalg.inv(laplacian((games + games.T) * known) + precision)
    earlier = [(int(i), int(j), float(games[i, j])) for i, j in np.argwhere(games)]
    return {"elo": elo.tolist(), "precision": precision, "covariance": covariance, "prior_games": earlier}


def games_of(made: Design) -> Array:
    """Return the games of all pairs."""
    games = np.zeros((len(made.names), len(made.names)))
    for (i, j), number in zip(made.edges, made.games, strict=True):
        games[i, j] = games[j, i] = number
    return games


def weights(goal: str, elo: Array, covariance: Array) -> Array:
    """Return the matrix W of the goal by its definition, term by term."""
    players, best = len(elo), int(np.argmax(elo))
    if goal == "precision":
        return np.eye(players) - 1 / players
    total = np.zeros((players, players))
    for other in set(range(players)) - {best}:
        difference = np.eye(players)[other] - np.eye(players)[best]
        deviation = math.sqrt(difference @ covariance @ difference)
        worth = norm.pdf((elo[best] - elo[other]) / deviation) / (2 * deviation)
        total += worth * np.outer(difference, difference)
    return total


def gain_against_brute_force(case: dict[str, Any], goal: str) -> float:
    """Return the share of the largest possible gain that a design reaches, over all distributions of a few units."""
    elo, covariance, players = np.array(case["elo"]), case["covariance"], len(case["elo"])
    goals = weights(goal, elo, covariance)
    per_game = information.expected_jointly(elo, covariance)
    before = np.zeros((players, players))
    for i, j, number in case["prior_games"]:
        before[i, j] = before[j, i] = number

    def remaining(games: Array) -> float:
        precision = laplacian((before + games) * per_game) + case["precision"]
        return float(np.trace(goals @ np.linalg.inv(precision)))

    def of(pairs: tuple[tuple[int, int], ...]) -> float:
        games = np.zeros((players, players))
        for i, j in pairs:
            games[i, j] += 2
        return remaining(games + games.T)

    units = UNITS[players]
    pairs = list(itertools.combinations(range(players), 2))
    least = min(map(of, itertools.combinations_with_replacement(pairs, units)))
    made = design(players, games=2 * units, criterion="precision", goal=goal, **case)  # type: ignore[arg-type]
    assert sum(made.games) == 2 * units
    return (of(()) - remaining(games_of(made))) / (of(()) - least)


@pytest.mark.parametrize("goal", ["precision", "best"])
def test_few_games_gain_nearly_as_much_as_the_best_of_all_distributions(goal: str) -> None:
    gains = [gain_against_brute_force(small(seed), goal) for seed in range(12)]
    assert max(gains) <= 1 + 1e-9
    assert min(gains) > 0.94
    assert np.mean(gains) > 0.99


def test_the_predicted_error_is_that_of_the_posterior_and_the_bound_below_every_graph() -> None:
    case = small(3)
    elo, players = np.array(case["elo"]), len(case["elo"])
    per_game = information.expected_jointly(elo, case["covariance"])
    before = np.zeros((players, players))
    for i, j, number in case["prior_games"]:
        before[i, j] = before[j, i] = number
    pairs = list(itertools.combinations(range(players), 2))

    def error(edges: tuple[tuple[int, int], ...]) -> float:
        games = before.copy()
        for i, j in edges:
            games[i, j] += 2
            games[j, i] += 2
        covariance = np.linalg.inv(laplacian(games * per_game) + case["precision"])
        return float(np.sqrt((np.trace(covariance) - covariance.sum() / players) / players))

    made = design(players, 4, criterion="precision", degree_cap="none", **case)
    errors = [error(edges) for edges in itertools.combinations(pairs, 4)]
    assert made.rms == pytest.approx(error(made.edges))
    assert made.rms == pytest.approx(min(errors))
    assert 0 < made.rms_bound <= min(errors)
    lambdas = design(players, 4, degree_cap="none", **case)
    assert lambdas.informed_lambda2 is not None
    assert lambdas.informed_lambda2_bound is not None
    assert lambdas.informed_lambda2 <= lambdas.informed_lambda2_bound


@pytest.mark.parametrize("criterion", ["connectivity", "precision", "order"])
@pytest.mark.parametrize("size", [{"pairs": 12}, {"games": 80}])
def test_a_prior_of_zero_is_none(criterion: Any, size: dict[str, int]) -> None:
    options: dict[str, Any] = {"criterion": criterion, "elo": np.linspace(0, 700, 8).tolist(), "elo_sd": 60.0, **size}
    without = asdict(design(8, **options))
    with_zero = asdict(design(8, **options, precision=np.zeros((8, 8))))
    without.pop("seconds")
    with_zero.pop("seconds")
    assert with_zero == without


def test_what_is_known_about_differences_is_the_centred_posterior() -> None:
    random = np.random.default_rng(5)
    games = np.triu(random.random((6, 6)), 1)
    graph = laplacian(games + games.T)
    centred = np.eye(6) - 1 / 6
    for rank in (1, 3, 6):
        factor = random.normal(0, 1, (6, rank))
        found = prior.of_differences(6, factor @ factor.T)
        assert found is not None
        assert prior.determines(found) == (rank == 6)
        covariance = centred @ np.linalg.inv(graph + factor @ factor.T) @ centred
        np.testing.assert_allclose(np.linalg.pinv(graph + found), covariance, atol=1e-9)
    level_is_free = centred / 100
    np.testing.assert_allclose(prior.without_level(level_is_free), level_is_free, atol=1e-15)
    known = prior.of_differences(3, np.diag([1e12, 1.0, 2.0]))  # the first is known: it is the origin of the others
    assert known is not None
    np.testing.assert_allclose(known, [[3, -1, -2], [-1, 1, 0], [-2, 0, 2]], atol=1e-9)


def test_a_known_rating_takes_the_games_of_its_player() -> None:
    own = np.full(6, 1 / 50**2)
    own[2] = 1e6
    options: dict[str, Any] = {"games": 20, "criterion": "precision", "elo": [0.0] * 6}
    made = design(6, precision=np.diag(own), covariance=np.diag(1 / own), **options)
    assert games_of(made)[2].sum() == 0
    assert (np.delete(games_of(made).sum(axis=1), 2) > 0).all()
    own[4] = 1e6
    two = games_of(design(6, precision=np.diag(own), covariance=np.diag(1 / own), **(options | {"games": 2000})))
    assert two[2, 4] == 0


def test_a_known_rating_below_the_best_is_not_asked_again() -> None:
    own = np.full(6, 1 / 50**2)
    own[[0, 3]] = 1e6
    options: dict[str, Any] = {"precision": np.diag(own), "covariance": np.diag(1 / own)}
    elo = [20.0, 0.0, 0.0, -200.0, 0.0, 0.0]
    games = games_of(design(6, games=600, criterion="precision", goal="best", elo=elo, **options))
    assert games[3].sum() == 0
    assert (games[0, [1, 2, 4, 5]] > 60).all()


def test_the_covariance_of_a_difference_decides_its_information() -> None:
    elo = [0.0, 400.0, 100.0]
    together = np.full((3, 3), 300.0**2) + np.diag([0.0, 0.0, 50.0**2])
    options: dict[str, Any] = {"criterion": "precision", "elo": elo, "games_per_pair": 10, "degree_cap": "none"}
    known = design(3, 3, covariance=together, **options)
    apart = information.expected(np.array(elo), np.array([0.0, 0.0, 50.0]))
    assert known.rms == pytest.approx(_rms(10 * apart), rel=1e-4)
    wide = design(3, 3, covariance=np.diag(np.diag(together)), **options)
    assert wide.rms == pytest.approx(design(3, 3, elo_sd=[300.0, 300.0, math.hypot(300, 50)], **options).rms, rel=0.02)
    assert wide.rms > 1.05 * known.rms


def _rms(weights: Array) -> float:
    return float(np.sqrt(np.linalg.pinv(laplacian(weights)).trace() / len(weights)))


def test_a_twin_of_the_best_needs_no_games_against_it() -> None:
    covariance = 100.0**2 * np.eye(4)
    covariance[0, 1] = covariance[1, 0] = covariance[0, 0]
    precision = np.asarray(np.linalg.inv(covariance + np.diag([1e-2, 1e-2, 0, 0])), dtype=np.float64)
    elo = [50.0, 50.0, 45.0, -400.0]
    made = design(4, games=400, criterion="precision", goal="best", elo=elo, covariance=covariance, precision=precision)
    games = games_of(made)
    assert games[0, 1] == 0
    assert games[2].sum() > 360
    strangers = 100.0**2 * np.eye(4)
    other = design(
        4, games=400, criterion="precision", goal="best", elo=elo, covariance=strangers, precision=np.eye(4) / 100**2
    )
    assert games_of(other)[0, 1] > 100


def test_contrasts_are_the_derivatives_of_the_expected_improvement() -> None:
    elo, covariance = np.array([10.0, 35.0, -20.0, 30.0]), np.array(small(2)["covariance"])
    best, step = 1, 1e-3
    others = [0, 2, 3]
    variance, behind = information.difference_variances(covariance)[best, others], elo[best] - elo[others]

    def improvement(of: Array) -> Array:
        deviation = np.sqrt(of)
        return np.asarray(deviation * norm.pdf(behind / deviation) - behind * norm.cdf(-behind / deviation))

    slopes = (improvement(variance + step) - improvement(variance - step)) / (2 * step)
    found = -contrasts(elo, covariance)[best, others]
    np.testing.assert_allclose(found, slopes / slopes.max(), rtol=1e-5)


def test_the_goal_best_looks_at_those_who_may_be_the_best() -> None:
    elo, random = np.linspace(0, 1000, 40), np.random.default_rng(0)
    options: dict[str, Any] = {
        "elo": elo[random.permutation(40)].tolist(),
        "covariance": 40.0**2 * np.eye(40),
        "precision": np.eye(40) / 400**2,
        "criterion": "precision",
    }
    ratings = np.array(options["elo"])
    best = design(40, games=400, goal="best", **options)
    top = np.argsort(ratings)[-6:]
    assert sum(best.games) == 400
    assert best.criterion == "best"
    assert best.rms_bound == 0 < best.rms
    assert games_of(best)[top].sum() > 0.9 * games_of(best).sum() / 2
    assert games_of(best)[int(ratings.argmax())].sum() > 150
    often = design(40, games=4000, goal="best", **options)
    styled = design(40, games=4000, goal="best", style_sd=40.0, **options)
    assert len(styled.edges) > len(often.edges)
    assert max(styled.games) < max(often.games)


@pytest.mark.parametrize("goal", ["precision", "best"])
def test_forbidden_pairs_never_play_and_a_player_may_stay_alone(goal: Any) -> None:
    case = small(1)
    players = len(case["elo"])
    strongest = int(np.argmax(case["elo"]))
    forbidden = [(strongest, other) for other in range(players) if other != strongest]
    made = design(players, games=40, criterion="precision", goal=goal, forbidden=forbidden, **case)
    games = games_of(made)
    assert sum(made.games) == 40
    assert games[strongest].sum() == 0
    again = design(players, games=40, criterion="precision", goal=goal, forbidden=forbidden, **case)
    assert (again.edges, again.games) == (made.edges, made.games)


def test_only_a_prior_of_all_differences_connects_the_players() -> None:
    alone = [(0, 1), (0, 2), (0, 3)]
    options: dict[str, Any] = {"games": 20, "criterion": "precision", "forbidden": alone}
    made = design(4, **options, precision=np.eye(4) / 300**2)
    assert made.lambda2 == 0 <= made.lambda2_bound
    assert 0 < made.rms_bound <= made.rms < 300
    assert not set(alone) & set(made.edges)
    for missing in (None, np.diag([0.0, 1, 1, 1]), np.zeros((4, 4))):
        with pytest.raises(DesignError, match="groups that can never meet"):
            design(4, **options, precision=missing)
    graph = design(6, 2, criterion="precision", precision=np.eye(6) / 300**2, prior_games=[(0, 1, 4)])
    assert graph.lambda2 == 0 <= graph.lambda2_bound
    assert len(graph.edges) == 2


def test_the_model_of_the_games_decides_their_information() -> None:
    usual = design(5, 10)
    without_draws = design(5, 10, advantage=0.0, draw_elo=0.0)
    ratio = information.equal_strength() / (math.log(10) / 400) ** 2 * 4
    assert without_draws.rms / usual.rms == pytest.approx(math.sqrt(ratio))
    assert without_draws.rms_bound <= without_draws.rms
    edges = without_draws.graph(advantage=0.0, draw_elo=0.0).edges(data="information")
    assert {round(each * 400**2, 2) for *_, each in edges} == {round(2 * (math.log(10) / 2) ** 2, 2)}
    far = information.fisher(np.array([0.0, 400.0]), 400.0, 50.0)
    assert far[1] > far[0]
    assert information.greatest(GameModel(400.0, 50.0)) == pytest.approx(far.max(), rel=0.01)


@pytest.mark.slow
def test_two_thousand_and_one_players_use_the_diagonals() -> None:
    n, random = 2001, np.random.default_rng(0)
    elo, own, deviation = random.uniform(0, 1500, n), random.uniform(0.5, 2, n) / 300**2, random.uniform(10, 100, n)
    options: dict[str, Any] = {"criterion": "precision", "degree_cap": "none", "elo": elo.tolist()}
    made = design(n, 1500, covariance=np.diag(deviation**2), precision=np.diag(own), **options)  # too few to connect
    assert len(set(made.edges)) == 1500
    games = games_of(made) * information.expected(elo, deviation)
    covariance = np.linalg.inv(laplacian(games) + np.diag(own))
    assert made.rms == pytest.approx(np.sqrt((covariance.trace() - covariance.sum() / n) / n), rel=1e-4)
    assert made.lambda2 == made.rms_bound == 0
    with pytest.raises(DesignError, match="1500 pairs cannot connect 2001 players"):
        design(n, 1500, **options)
    for key in ("precision", "covariance"):
        negative: dict[str, Any] = {key: -np.eye(n)}
        small: dict[str, Any] = {key: np.eye(3)}
        with pytest.raises(DesignError, match=f"{key}: expected a diagonal of finite numbers of at least 0"):
            design(n, 4000, **options, **negative)
        with pytest.raises(DesignError, match=f"{key}: expected a matrix of 2001 x 2001"):
            design(n, 4000, **options, **small)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"precision": np.eye(3)}, "precision: expected a matrix of 4 x 4, got 3 x 3"),
        ({"precision": 2.0}, "precision: expected a matrix of 4 x 4, got one number"),
        ({"precision": np.triu(np.ones((4, 4)))}, "precision: expected a symmetric matrix"),
        ({"precision": np.ones((4, 4)) - np.eye(4)}, "precision: expected no negative eigenvalue, got -1"),
        ({"precision": np.diag([1.0, np.inf, 1.0, 1.0])}, "precision: expected finite numbers"),
        ({"covariance": np.eye(4)}, "covariance is given without elo"),
        ({"covariance": -np.eye(4), "elo": [0.0] * 4}, "covariance: expected a diagonal of at least 0, got -1"),
        ({"covariance": np.eye(4), "elo": [0.0] * 4, "elo_sd": 3.0}, "give either elo_sd or covariance"),
        ({"goal": "best"}, "goal best: expected elo and covariance"),
        ({"goal": "best", "elo": [0.0] * 4}, "goal best: expected elo and covariance"),
        ({"goal": "bets"}, "unknown goal 'bets'; did you mean 'best'"),
        ({"goal": "best", "games": None, "pairs": 5}, "goal best: expected games, and the criterion precision"),
        ({"goal": "best", "criterion": "order"}, "goal best: expected games, and the criterion precision"),
        ({"advantage": math.nan}, "advantage: expected a finite number, got nan"),
        ({"draw_elo": -1.0}, "draw_elo: expected a number of at least 0, got -1.0"),
        ({"precision": np.eye(4), "forbidden": list(itertools.combinations(range(4), 2))}, "all pairs are forbidden"),
    ],
)
def test_contradicting_options_are_refused(options: dict[str, Any], message: str) -> None:
    few: dict[str, Any] = {"games": 20, "criterion": "precision"}
    with pytest.raises(DesignError, match=message) as caught:
        design(4, **(few | options))
    assert "\n" not in str(caught.value)
