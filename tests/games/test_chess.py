"""Chess for its users: FEN on the command line, boards as text, PGN with standard algebraic notation."""

from __future__ import annotations

import io
import random

import chess.pgn
import pytest

from fiedler import games
from fiedler.games.coordinates import NAMINGS, OWN, fits
from fiedler.games.pgn import pgn_of, start_tags
from fiedler.protocol.ugi.position import position_line, read_position
from fiedler.support.errors import UsageError
from fiedler.tournament.play.referee import Referee

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
        ("e2e4 e2e4", "position: move 2: e2 is empty"),
        ("e2e4 0000", "position: move 2: expected a move such as e2e4, Nf3"),
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


def test_programs_get_a_fen_with_blanks() -> None:
    start = FEN.replace(" ", "_")
    line = position_line(Referee(GAME, ["e7e5"], start).start, ["e7e5"])
    assert line == f"position fen {FEN} moves e7e5"
    text, moves = read_position(line.split())
    assert str(GAME.position(text, moves)) == str(GAME.position(start, ["e7e5"]))
    assert Referee(GAME, []).start == "startpos"


@pytest.mark.parametrize("name", ["chess", "chess960"])
def test_pgn_is_read_by_another_library(name: str) -> None:
    """Standard algebraic notation of random games, from starts of Chess960 and from others."""
    game = games.game(name)
    for seed in range(10):
        generator = random.Random(seed)
        board = chess.Board.from_chess960_pos(seed) if name == "chess960" else chess.Board()
        start, moves = board.fen().replace(" ", "_"), list[str]()
        position = game.position(start)
        while position.result is None and len(moves) < 300:
            moves.append(position.move_text(generator.choice(position.legal_moves())))
            position.play(position.parse_move(moves[-1]))
        tags = {"Result": "*", **game.pgn_tags(), **start_tags(game.written_start(start))}
        written = game.pgn_moves(moves, start)
        read = chess.pgn.read_game(io.StringIO(pgn_of(tags, written, "*")))
        assert read is not None
        assert read.errors == []
        assert [move.uci() for move in read.mainline_moves()] == moves
        for move, san in zip(moves, written, strict=True):
            assert board.san(board.parse_uci(move)) == san
            board.push_uci(move)


@pytest.mark.parametrize(
    ("start", "move", "san"),
    [
        ("8/6k1/8/8/8/8/8/KR5R_w_-_-_0_1", "b1e1", "Rbe1"),
        ("4R3/6k1/8/8/8/8/8/K3R3_w_-_-_0_1", "e1e4", "R1e4"),
        ("8/1Q3Q2/8/8/8/1Q6/7k/K7_w_-_-_0_1", "b7d5", "Qb7d5"),
        ("7k/8/8/8/8/8/8/KR6_w_-_-_0_1", "b1b8", "Rb8+"),
        ("8/4P2k/8/8/8/8/8/K7_w_-_-_0_1", "e7e8n", "e8=N"),
        ("3r4/4P2k/8/8/8/8/8/K7_w_-_-_0_1", "e7d8q", "exd8=Q"),
        ("4k3/8/8/8/3pP3/8/8/4K3_b_-_e3_0_1", "d4e3", "dxe3"),
        ("4k3/8/8/8/8/8/8/R3K3_w_Q_-_0_1", "e1c1", "O-O-O"),
    ],
)
def test_standard_algebraic_notation(start: str, move: str, san: str) -> None:
    assert GAME.pgn_moves([move], start) == [san]
