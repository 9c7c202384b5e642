"""The population prior: against sums over a grid, against closed forms, and its choice of the number of parts."""

from __future__ import annotations

import numpy as np
import pytest

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.laplace import laplace
from fiedler.tournament.ratings.posterior.mixture import mixture_fit
from fiedler.tournament.ratings.posterior.normal import mixed, normal_fit, softmax
from fiedler.tournament.ratings.posterior.population import population_fit
from tests.tournament.ratings.posterior_cases import by_grid, nothing_played, observed, played


def log_normal(elo: Floats, mean: float, sd: float) -> Floats:
    return np.asarray(-(((elo - mean) / sd) ** 2) / 2 - np.log(sd * np.sqrt(2 * np.pi)))


def test_laplace_agrees_with_the_exact_posterior_of_three_players() -> None:
    games = observed(played([0.0, 100.0, -60.0], 30, seed=1))
    found = laplace(games, 80.0**2 * np.eye(3))
    mean, covariance, evidence = by_grid(games, lambda elo: log_normal(elo, 0.0, 80.0).sum(axis=1), 420.0)
    assert found.at.point == pytest.approx(mean, abs=1.5)
    assert found.covariance == pytest.approx(covariance, rel=0.03, abs=15)
    assert found.evidence == pytest.approx(evidence, abs=0.02)
    assert found.at.point == pytest.approx(80.0**2 * found.dual)
    diagonal = laplace(games, np.full(3, 80.0**2))
    assert diagonal.at.point == pytest.approx(found.at.point)
    assert diagonal.covariance == pytest.approx(found.covariance)
    again = laplace(games, 80.0**2 * np.eye(3), found.dual * 3)
    assert again.at.point == pytest.approx(found.at.point, abs=1e-4), "the start does not matter"


def test_the_posterior_of_expected_strengths_alone_is_normal() -> None:
    apart, sd, own = 90.0, 50.0, 40.0
    strengths = nothing_played(2, {"net-000": (1000.0, sd), "net-001": (1000.0 + apart, sd)})
    found = laplace(strengths, own**2 * np.eye(2))
    share = own**2 / (own**2 + sd**2)
    assert np.diff(found.at.point) == pytest.approx([apart * share]), "the common shift is unknown"
    variance = np.array([1, -1]) @ found.covariance @ [1, -1]
    assert variance == pytest.approx(2 / (1 / own**2 + 1 / sd**2))
    wide = laplace(strengths, 10 * own**2 * np.eye(2))
    seen = [-(apart**2) / (4 * (one + sd**2)) - np.log(one + sd**2) / 2 for one in (own**2, 10 * own**2)]
    assert wide.evidence - found.evidence == pytest.approx(seen[1] - seen[0]), "of a difference from N(0, 2s² + 2sd²)"


def test_a_step_that_is_not_finite_ends_the_climb() -> None:
    games = observed(played([0.0, 100.0, -60.0], 3, seed=1))
    found = laplace(games, np.full((3, 3), np.nan), np.zeros(3))
    assert found.unfinished == np.inf
    assert laplace(games, np.eye(3)).unfinished == 0


def test_a_nearly_certain_strength_is_no_trouble() -> None:
    names, games = [f"net-{number:03d}" for number in range(12)], played(np.zeros(12), 2, seed=1)
    sure, nearly = (population_fit(observed(games, dict.fromkeys(names, (0.0, sd)))) for sd in (1e-9, 1.0))
    assert sure.mean == pytest.approx(nearly.mean)
    assert np.abs(sure.mean).max() < 1
    assert sure.covariance.diagonal().max() < 2
    assert sure.change == 0


def test_the_deviation_is_found_and_integrated() -> None:
    truth = np.random.default_rng(3).normal(0, 120, 40)
    found = normal_fit(observed(played(truth, 10, seed=3)))
    assert found.sd == pytest.approx(truth.std(), rel=0.12)
    at_the_maximum = laplace(observed(played(truth, 10, seed=3)), found.sd**2 * np.eye(40))
    assert found.evidence == pytest.approx(at_the_maximum.evidence, abs=1e-6)
    assert found.covariance.trace() > at_the_maximum.covariance.trace(), "the deviation is not exactly known"
    for factor in (0.9, 1.1):
        other = laplace(observed(played(truth, 10, seed=3)), (factor * found.sd) ** 2 * np.eye(40))
        assert other.evidence + np.log(factor) < found.evidence


@pytest.mark.parametrize("parts", [2, 3])
def test_expectation_propagation_agrees_with_the_exact_posterior_of_three_players(parts: int) -> None:
    games = observed(played([150.0, 100.0, -250.0], 20, seed=2))
    found = mixture_fit(games, parts, normal_fit(games))
    mixture = found.mixture

    def log_prior(elo: Floats) -> Floats:
        logs = [
            np.log(share) + log_normal(elo, mean, sd)
            for share, mean, sd in zip(mixture.shares, mixture.means, mixture.sds, strict=True)
        ]
        return np.asarray(np.logaddexp.reduce(logs, axis=0).sum(axis=1))

    mean, covariance, evidence = by_grid(games, log_prior, 700.0)
    deviation = np.sqrt(covariance.diagonal())
    assert np.abs(found.mean - mean).max() < 0.15 * deviation.min()
    assert np.sqrt(found.covariance.diagonal()) == pytest.approx(deviation, rel=0.12)
    assert found.evidence == pytest.approx(evidence, abs=0.15)
    assert mixture.shares @ mixture.means == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("kind", "parts"), [("normal", 1), ("groups", 2), ("outlier", 2)])
def test_the_number_of_parts_follows_the_games(kind: str, parts: int) -> None:
    random = np.random.default_rng(5)
    truth = {
        "normal": random.normal(0, 150, 40),
        "groups": np.repeat([-300, 300], 20) + random.normal(0, 40, 40),
        "outlier": np.where(np.arange(40) == 0, -1000, 0) + random.normal(0, 60, 40),
    }[kind]
    found = population_fit(observed(played(truth, 3, seed=6)))
    assert int(np.argmax(found.weights)) + 1 == parts
    assert found.mixture.shares.size == parts
    assert found.evidence > 0
    assert found.change == 0
    error = found.mean - found.mean.mean() - truth + truth.mean()
    deviation = np.sqrt(found.covariance.diagonal())
    assert np.mean(np.abs(error) < 1.96 * deviation) >= 0.9
    if kind == "outlier":
        assert abs(error[0]) < 2.5 * deviation[0], "the weak player is not drawn to the others"


def test_a_mixture_without_a_chance_ends_early() -> None:
    games = observed(played(np.random.default_rng(5).normal(0, 150, 60), 1, seed=6))
    normal = normal_fit(games)
    whole = mixture_fit(games, 3, normal)
    assert mixture_fit(games, 3, normal, needed=whole.evidence + 4.0).evidence == whole.evidence
    early = mixture_fit(games, 3, normal, needed=whole.evidence + 30.0)
    assert early.change > whole.change, "fewer rounds"
    assert early.evidence == pytest.approx(whole.evidence, abs=3.0)


def test_equal_players_are_drawn_together() -> None:
    found = population_fit(observed(played(np.zeros(30), 1, seed=8)))
    assert np.abs(found.mean).max() < 25
    assert found.weights[0] > 0.5


def test_a_mixture_of_posteriors_has_their_spread_too() -> None:
    weight = softmax(np.array([0.0, np.log(3.0)]))
    assert weight == pytest.approx([0.25, 0.75])
    mean, covariance = mixed(weight, [(np.array([0.0]), np.eye(1)), (np.array([4.0]), 2 * np.eye(1))])
    assert mean == pytest.approx([3.0])
    assert covariance == pytest.approx(np.array([[0.25 + 1.5 + 0.25 * 9 + 0.75]]))
