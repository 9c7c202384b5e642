"""Ratings of people against closed forms."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fiedler.web.play.people import ELO, People, rating_of


def test_an_even_score_against_equal_players_is_their_rating() -> None:
    rating = rating_of([(100.0, 1.0), (100.0, 0.0), (100.0, 0.5), (100.0, 0.5)])
    assert rating.elo == pytest.approx(100.0, abs=1e-3)
    assert rating.error == pytest.approx(1.959964 / (ELO * math.sqrt(4 * 0.25)), rel=1e-4)


def test_three_points_in_four_games_are_191_elo_more() -> None:
    rating = rating_of([(-50.0, 1.0)] * 3 + [(-50.0, 0.0)])
    assert rating.elo == pytest.approx(-50.0 + 400 * math.log10(3), abs=1e-3)


def test_the_expected_scores_add_up_to_the_score() -> None:
    results = [(-300.0, 1.0), (0.0, 0.5), (250.0, 0.0), (90.0, 1.0)]
    rating = rating_of(results)
    expected = sum(1 / (1 + 10 ** ((elo - rating.elo) / 400)) for elo, _ in results)
    assert expected == pytest.approx(2.5, abs=1e-6)


def test_wins_alone_give_no_rating() -> None:
    assert str(rating_of([(0.0, 1.0)] * 2)) == "2 rated games, all won: no rating yet"
    assert str(rating_of([(0.0, 0.0)])) == "1 rated game, all lost: no rating yet"


def test_games_of_a_person_and_of_a_game_stand_by_themselves(tmp_path: Path) -> None:
    people = People(tmp_path / "new")
    people.add("Ann", "cube", "negamax", 182.0, 1.0)
    people.add("Bob", "cube", "negamax", 182.0, 0.0)
    people.add("Ann", "uttt", "mcts", -100.0, 0.0)
    rating = people.add("Ann", "cube", "negamax", 182.0, 0.0)
    assert (rating.games, round(rating.elo)) == (2, 182)
    assert str(rating) == f"+182 ± {rating.error:.0f} Elo after 2 rated games"
