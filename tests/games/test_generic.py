"""`generic`: a list of moves, without rules, board or result."""

from __future__ import annotations

import pytest

from fiedler.games import any_game
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.generic import GENERIC
from fiedler.games.replay import TextReplay, replay


def test_it_is_a_game_of_tournaments_without_rules() -> None:
    assert any_game("generic") is GENERIC
    assert not GENERIC.has_rules
    assert any_game("uttt").has_rules


def test_any_word_is_a_move() -> None:
    position = GENERIC.position(moves=["e2-e4", "pass", "pass"])
    before = position.copy()
    position.play(position.parse_move("x"))
    assert (str(before), str(position)) == ("startpos,e2-e4,pass,pass", "startpos,e2-e4,pass,pass,x")
    assert position.move_text(position.parse_move("pass")) == "pass"
    assert (position.result, position.legal_moves(), position.side_to_move) == (None, [], 0)
    for wrong in ("", "a b", " a", "a\x00"):
        with pytest.raises(IllegalMoveError, match="move: expected one word, got "):
            position.parse_move(wrong)
    with pytest.raises(IllegalMoveError, match="move: expected at most 100 characters, got 101"):
        position.parse_move("x" * 101)
    with pytest.raises(PositionError, match="expected 'startpos' in a game without rules of ours, got 'X;1'"):
        GENERIC.position("X;1")


def test_a_replay_has_moves_alone() -> None:
    shown = replay(GENERIC, ["a", "b"])
    assert isinstance(shown, TextReplay)
    assert (shown.moves, shown.boards, shown.result, shown.text) == (("a", "b"), ("", "", ""), "*", "")
    assert shown.sides == ""
    assert replay(GENERIC, ["a", "b"], sides="00").sides == "001"
