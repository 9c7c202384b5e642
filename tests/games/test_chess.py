"""Chess for its users: FEN on the command line, boards as text, the ends of games."""

from __future__ import annotations

import pytest

import games
from games.coordinates import NAMINGS, OWN, fits
from support.errors import UsageError

GAME = games.game("chess")
FEN = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("e2e4 e7e5", "e2e4 e7e5"),
        ("startpos moves E2E4", "e2e4"),
        (f"{FEN}", "e2e4"),
        (f"fen {FEN}", "e2e4"),
        (f"{FEN.replace(' ', '_')} moves e7e5", "e2e4 e7e5"),
        (f"fen {FEN} moves e7e5, g1f3", "e2e4 e7e5 g1f3"),
    ],
)
def test_a_position_may_have_blanks(text: str, moves: str) -> None:
    assert GAME.parse_position(text).cells == GAME.position(moves=moves.split()).cells


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "expected 'startpos', the six fields of a FEN, or moves such as b1a3, got 'nonsense'"),
        ("fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", "the six fields of a FEN, separated by '_'"),
        ("e2e4 e2e4", "position: move 2: move e2e4: not legal"),
        ("e2e4 0000", "position: move 2: expected two squares and a promotion"),
        (f"{FEN} e7e5", "the six fields of a FEN"),
    ],
)
def test_wrong_positions_are_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as refusal:
        GAME.parse_position(text)
    assert "\n" not in str(refusal.value)


def test_the_board_shows_the_letters_of_a_fen() -> None:
    position = GAME.position(moves=["e2e4"])
    drawn = GAME.draw(position, GAME.position().parse_move("e2e4")).splitlines()
    assert drawn[0] == " 8  r  n  b  q  k  b  n  r"
    assert drawn[4] == " 4  .  .  .  . [P] .  .  ."
    assert drawn[6] == " 2  P  P  P  P  .  P  P  P"
    assert drawn[8] == "    a  b  c  d  e  f  g  h"


def test_results_have_their_reason() -> None:
    mate = GAME.parse_position(GAME.example)
    assert GAME.result_text(mate) == "White wins by checkmate"
    assert GAME.result_text(GAME.position("7k/8/8/8/8/8/8/K7_w_-_-_0_1")) == "draw by insufficient material"
    assert GAME.result_text(GAME.position("7k/5Q2/8/8/8/8/8/K7_b_-_-_0_9")) == "draw by stalemate"
    assert GAME.ended_by(GAME.position("7k/8/8/8/8/8/8/KR6_w_-_-_100_80")) == "the 50-move rule"


def test_moves_have_no_names_of_stones() -> None:
    assert [kind for kind in NAMINGS if fits(GAME, kind)] == [OWN]
