"""The rules of the core against those of OpenSpiel, by random games move by move."""

from __future__ import annotations

import pytest

from fiedler.games.openspiel import loaded_game
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


def test_the_errors_of_earlier_versions_are_corrected() -> None:
    """Pull requests 1307 and 1567 of google-deepmind/open_spiel."""
    game = loaded_game("openspiel:ultimate_tic_tac_toe")
    chosen = game.position("0,3,3,7,5,0,2,0,1,1,3,0,0,2,1")
    assert game.draw(chosen).splitlines()[0].endswith(" xx."), "a stone of the side that chose the board"
    assert chosen.result is None, "a decided local board does not end the game"


def test_a_difference_is_found() -> None:
    wrong = Twin("tictactoe", "connect_four", TWINS[0].of)
    assert difference(wrong, 0) == "legal moves: only we [(7,), (8,)], only they [] after "
    other_line = Twin("gomoku9", "gomoku(size=9,connect=4)", TWINS[3].of)
    found = differences(other_line, range(20))
    assert found
    assert all(one.startswith("result: we None, they ") for one in found)
