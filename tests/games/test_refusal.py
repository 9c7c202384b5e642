"""Reasons why moves are illegal."""

from __future__ import annotations

import pytest

from fiedler import games
from fiedler.games.chess_steps import refused_steps
from fiedler.games.refusal import refusal

FULL = "d d d d d d"
ANYWHERE = (
    "g3 c9 h7 d2 b6 f8 g6 c7 i3 i7 h1 d1 b1 f3 h8 e4 d3 a9 a7 c2 g5 b4 f2 h4 e2 d6 a8 b5 e5 f5 i4 h2 f6 g9 c8 g4 a2 "
    "a6 b8 e6 e7 f1 g1 b3 f7 i2 i5 h5 d5 a4 c1 i1 g2 c6 g8 d4 b2 f4 g7 a1 c3 i8 h6 e8 e1 e3 d8"
)
"""The player to move may play on any open board."""


@pytest.mark.parametrize(
    ("name", "moves", "text", "why"),
    [
        ("tictactoe", "b2", "b2", "b2 is taken"),
        ("chess", "", "e3e4", "e3 is empty"),
        ("chess", "", "e7e5", "the black pawn on e7 cannot move: White is to move"),
        ("chess", "", "f1b5", "the white bishop on f1 cannot go to b5"),
        ("chess", "", "e1g1", "the white king cannot castle now"),
        ("chess960", "", "e1h1", "the white king cannot castle now"),
        ("chess", "e2e4 e7e5 f1c4 f8b4", "d2d4", "the white king would be in check"),
        ("chess", "h2h4 g7g5 h4g5 h7h6 g5h6 g8f6 h6h7 f6g8", "h7g8", "name the new piece: h7g8n, h7g8b, h7g8r, h7g8q"),
        ("tictactoe", "b2 a3 c1 a1 a2 c3", "d4", "move: expected a1 to c3, got 'd4'"),
        ("tictactoe", "b2 a1 c2 a3 a2", "c3", "the game is over"),
        ("connect4", FULL, "d", "column d is full"),
        ("connect4", FULL, "h", "move: expected a column a to g, got 'h'"),
        ("uttt", "e5 d4", "e6", "play on the bottom left board"),
        ("uttt", "e5 d4", "e5", "e5 is taken"),
        ("cube", "1a1", "1a1", "1a1 is taken"),
        ("gomoku9", "e5", "e5", "e5 is taken"),
        ("renju15", "g8 j5 f8 k6 h9 d12 h10 e4", "h8", "h8 is forbidden for Black (X): double three"),
        ("renju15", "g8 j5 f8 k6 h9 d12 h10 e4", "h7", ""),
    ],
)
def test_a_refusal_names_the_reason(name: str, moves: str, text: str, why: str) -> None:
    game = games.game(name)
    assert refusal(game, game.parse_position(moves), text) == why


def test_a_closed_board_is_named_with_its_winner() -> None:
    game = games.game("uttt")
    position = game.parse_position(ANYWHERE)
    assert refusal(game, position, "b9") == "the top left board is closed: X has won it"
    assert refusal(game, position, "a5") == "the left board is closed: O has won it"
    drawn = game.draw(position)
    assert refusal(game, position, "e5") == "e5 is taken"
    assert " 9  O  x  O | .  .  . | O  .  .\n" in drawn
    assert " 5  o  O  o | X  X  O | X  O  X\n" in drawn
    assert "next move: any open board, at the dots" in drawn


@pytest.mark.parametrize(
    ("fen", "wanted"),
    [
        ("4k3/8/8/8/7b/8/3P1P2/4K2R_w_K_-_0_1", {"f2f3", "f2f4", "e1c1"}),  # a pinned pawn; no rook at a1
        ("4k3/8/8/8/8/8/8/R1r1K2R_w_KQ_-_0_1", {"e1c1", "e1g1", "a1a2", "h1h8", "e1d1", "e1f1"}),  # in check
        ("4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1", {"e1c1"}),  # it may castle to the other side alone
    ],
)
def test_the_laws_of_chess_refuse_steps_that_the_pieces_could_make(fen: str, wanted: set[str]) -> None:
    position = games.game("chess").position(fen)
    found, legal = refused_steps(position), {position.move_text(move) for move in position.legal_moves()}
    assert wanted <= found.keys()
    assert not found.keys() & legal
    assert set(found.values()) <= {"the white king would be in check", "the white king cannot castle now"}
    assert {name for name, why in found.items() if "castle" in why} <= {"e1c1", "e1g1"}
