"""Standard algebraic notation as people and programs write it, against python-chess."""

from __future__ import annotations

import random

import chess
import pytest

from fiedler import games
from fiedler.board import Board
from fiedler.client.line import line_of_play
from fiedler.games.errors import IllegalMoveError
from fiedler.support.errors import UsageError
from tests.engine.test_play import sitting

GAME = games.game("chess")


@pytest.mark.parametrize("name", ["chess", "chess960"])
def test_every_move_is_read_as_another_library_writes_it(name: str) -> None:
    """In random games, from starts of Chess960: with signs, without them, and with all its squares."""
    game = games.game(name)
    for seed in range(3):
        generator = random.Random(seed)
        board = chess.Board.from_chess960_pos(seed * 313) if name == "chess960" else chess.Board()
        position = game.position(board.fen().replace(" ", "_"))
        while position.result is None and board.fullmove_number < 50:
            for move in board.legal_moves:
                number, san = position.parse_move(board.uci(move)), board.san(move)
                zeros = san.replace("O", "0")
                for text in (san, san.rstrip("+#"), f"{san}!?", zeros, san.replace("=", ""), board.uci(move)):
                    assert game.read_move(position, text) == number, text
                if not board.is_castling(move):
                    assert game.read_move(position, board.lan(move)) == number
                    assert game.read_move(position, san.replace("x", "")) == number
            played = generator.choice(list(board.legal_moves))
            position.play(position.parse_move(board.uci(played)))
            board.push(played)


def test_what_another_library_refuses_is_refused() -> None:
    """Names of moves of other positions, in random ones: a name is read as there, or refused as there."""
    generator = random.Random(5)
    board, names, refused = chess.Board(), list[str](), 0
    while not board.is_game_over() and board.fullmove_number < 60:
        position = GAME.position(board.fen().replace(" ", "_"))
        for text in generator.sample(names, min(len(names), 40)):
            try:
                expected = board.uci(board.parse_san(text))
            except ValueError:
                refused += 1
                with pytest.raises(IllegalMoveError):
                    GAME.read_move(position, text)
            else:
                assert position.move_text(GAME.read_move(position, text)) == expected
        names.extend(map(board.san, board.legal_moves))
        board.push(generator.choice(list(board.legal_moves)))
    assert refused > 200


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("e4 e5 Nf3 Nc6", "e2e4 e7e5 g1f3 b8c6"),
        ("1. e4 e5 2.Nf3 2...Nc6", "e2e4 e7e5 g1f3 b8c6"),
        ("startpos moves e4 e7e5, E2E3", ""),
        ("e4, d5, ed5", "e2e4 d7d5 e4d5"),
        ("fen 4k3/1P6/8/8/8/8/8/4K2R w K - 0 1 moves O-O Kd7 b8(N)+", "e1g1 e8d7 b7b8n"),
        ("4k3/1P6/8/8/8/8/8/4K2R_w_K_-_0_1 moves b8Q", "b7b8q"),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1 moves dxe3e.p.", "d4e3"),
    ],
)
def test_positions_of_people_have_either_notation(text: str, moves: str) -> None:
    if not moves:
        with pytest.raises(UsageError, match="position: move 3: e2 is empty"):
            GAME.parse_position(text)
        return
    line = line_of_play(GAME, text)
    assert list(line.moves) == moves.split()
    board = Board("chess", text)
    assert board.moves == moves.split()
    assert str(board.position) == str(line.position)


@pytest.mark.parametrize(
    ("start", "text", "why"),
    [
        ("startpos", "Nf6", "move Nf6: not legal in rnbqkbnr/"),
        ("startpos", "O-O", "move O-O: not legal in rnbqkbnr/"),
        ("startpos", "e9", "move: expected a move such as e2e4, Nf3, exd5, O-O or e8=Q, got 'e9'"),
        ("startpos", "--", "move: expected a move such as e2e4, Nf3, exd5, O-O or e8=Q, got '--'"),
        ("startpos", "+", "move: expected a move such as e2e4, Nf3, exd5, O-O or e8=Q, got '+'"),
        ("4k3/1P6/8/8/8/8/8/4K3_w_-_-_0_1", "b8", "move b8: expected b8=Q, b8=R, b8=B or b8=N"),
        ("4k3/8/8/3p4/4P3/8/8/4K3_w_-_-_0_1", "d5", "move d5: not legal"),
        ("4k3/8/8/8/8/5N2/8/1N2K3_w_-_-_0_1", "Nd2", "move Nd2: expected Nbd2 or Nfd2"),
        ("4k3/8/8/8/8/5N2/8/1N2K3_w_-_-_0_1", "Ncd2", "move Ncd2: not legal"),
        ("4k3/8/8/8/8/8/8/R3K2R_w_KQ_-_0_1", "Kg1", "move Kg1: not legal"),
    ],
)
def test_a_wrong_name_has_one_clear_line(start: str, text: str, why: str) -> None:
    position = GAME.position(start)
    with pytest.raises(IllegalMoveError) as caught:
        GAME.read_move(position, text)
    assert str(caught.value).startswith(why)
    assert "\n" not in str(caught.value)


def test_players_of_the_protocol_have_no_other_names() -> None:
    with pytest.raises(IllegalMoveError, match="expected two squares and a promotion"):
        GAME.position(moves=["Nf3"])


def test_a_person_at_the_terminal_types_either_notation() -> None:
    said = sitting(["Nf3", "Nf6", "G1F3", "e2e4"], ["b8c6", "g8f6"], played=GAME)
    assert "plays b8c6" in said
    assert "move Nf6: not legal" in said
    assert "plays g8f6" in said
