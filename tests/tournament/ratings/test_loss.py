"""The loss with the leader as the choice: its probabilities and its mean, against closed forms and other draws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from fiedler.tournament.ratings.best import best, losses

SAMPLED = 0.007
"""Over four standard errors of a probability from 100,000 draws."""


@given(st.floats(0, 300), st.floats(1, 200), st.floats(1, 200), st.floats(-0.9, 0.9), st.floats(0, 50))
def test_two_players_have_closed_forms(gap: float, a: float, b: float, correlation: float, delta: float) -> None:
    covariance = np.array([[a * a, correlation * a * b], [correlation * a * b, b * b]])
    error = math.sqrt(a * a + b * b - 2 * correlation * a * b)
    found = losses(np.array([0.0, gap]), covariance)
    assert (found <= delta).mean() == pytest.approx(ndtr((gap + delta) / error), abs=SAMPLED)
    density = math.exp(-((gap / error) ** 2) / 2) / math.sqrt(2 * math.pi)
    expected = error * density - gap * ndtr(-gap / error)  # of the larger of 0 and a normal variable
    assert found.mean() == pytest.approx(expected, abs=0.01 * error)


def test_three_players_agree_with_draws_of_all_ratings() -> None:
    source = np.random.default_rng(4)
    root = source.standard_normal((3, 3))
    covariance, elo = root @ root.T * 900, np.array([10.0, 0.0, 25.0])
    ratings = source.multivariate_normal(elo, covariance, 400_000)
    lost, found = ratings.max(axis=1) - ratings[:, 2], losses(elo, covariance)
    for delta in (0.0, 5.0, 30.0):
        assert (found <= delta).mean() == pytest.approx((lost <= delta).mean(), abs=SAMPLED)
    assert found.mean() == pytest.approx(lost.mean(), rel=0.02)
    assert (found <= 0).mean() == pytest.approx(best(elo, covariance).chances[2], abs=SAMPLED)


def test_the_same_ratings_give_the_same_loss_and_a_shift_changes_nothing() -> None:
    elo, covariance = np.array([30.0, 20.0, 5.0]), np.diag([100.0, 400.0, 900.0])
    assert (losses(elo, covariance) == losses(elo, covariance)).all()
    assert losses(elo + 700, covariance + 50) == pytest.approx(losses(elo, covariance), abs=1e-3)
    assert losses(elo, covariance).min() == 0


def test_a_leader_without_rivals_loses_nothing() -> None:
    assert not losses(np.array([1000.0, 0.0, -50.0]), np.eye(3)).any()
    assert not losses(np.array([5.0, 0.0]), np.zeros((2, 2))).any()
