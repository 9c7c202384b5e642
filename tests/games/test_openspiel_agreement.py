"""The rules of the core against those of OpenSpiel, by random games move by move."""

from __future__ import annotations

import pytest

from tests.games.spiel_twins import TWINS, Twin, difference, differences

GAMES = {"gomoku15": 200, "gomoku20": 100}
"""The games that take longest."""
SOAKED = 10_000
names = pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.ours)


@names
@pytest.mark.slow
def test_random_games_agree(twin: Twin) -> None:
    assert differences(twin, range(GAMES.get(twin.ours, 300))) == []


@names
@pytest.mark.soak
def test_ten_thousand_random_games_agree(twin: Twin) -> None:
    assert differences(twin, range(SOAKED)) == []


def test_a_difference_is_found() -> None:
    wrong = Twin("tictactoe", "connect_four", TWINS[0].of)
    assert difference(wrong, 0) == "legal moves: only we [(7,), (8,)], only they [] after "
    other_line = Twin("gomoku9", "gomoku(size=9,connect=4)", TWINS[3].of)
    found = differences(other_line, range(20))
    assert found
    assert all(one.startswith("result: we None, they ") for one in found)
