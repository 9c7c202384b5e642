"""The rules of every game: perft tables and records of independent programs, a slow model, and what always holds."""

from __future__ import annotations

import contextlib
import os
import random

import numpy as np
import pytest

import native
from tests.native.naive import MODELS
from tests.native.positions import after, load, move_name, random_positions

SLOW = bool(os.environ.get("FIEDLER_SANITIZED"))
PERFT_BUDGET = 5_000_000 if SLOW else 60_000_000


def perft_depth(game: str) -> int:
    return max(int(row["depth"]) for row in load("perft")["perft"][game] if row["paths"] <= PERFT_BUDGET)


def test_perft_agrees_with_independent_programs(game: str) -> None:
    depth = perft_depth(game)
    expected = [row["paths"] for row in load("perft")["perft"][game]][:depth]
    assert native.perft(native.Position(game), depth) == expected


def test_perft_from_positions_agrees_with_independent_programs(game: str) -> None:
    for row in load("perft_positions")["games"][game]:
        expected = [paths for paths, *_ in row["counts"] if paths <= PERFT_BUDGET / 20]
        assert native.perft(after(game, row["moves"]), len(expected)) == expected


def test_records_of_independent_programs_replay(game: str) -> None:
    for record in load(f"games_{game}")["games"]:
        position = native.Position(game)
        for move, legal in zip(record["moves"], record["legal"], strict=False):
            assert len(position.legal_moves()) == legal
            position.play(position.parse_move(move_name(game, move)))
        assert position.legal_moves() == []
        assert position.result == {1: 1, 2: -1, 0: 0}[record["result"]]


def test_random_play_agrees_with_the_slow_model(game: str) -> None:
    generator = random.Random(1)
    for _ in range(10):
        position, model = native.Position(game), MODELS[game]()
        while position.result is None:
            assert {position.move_text(move) for move in position.legal_moves()} == model.moves()
            assert position.cells == model.cells()
            name = generator.choice(sorted(model.moves()))
            position.play(position.parse_move(name))
            model.play(name)
            assert position.result == model.result()


def test_symmetries_commute_with_moves(game: str) -> None:
    generator = random.Random(2)
    for position in random_positions(game, 2, seed=3):
        for symmetry in range(position.num_symmetries):
            image = position.transformed(symmetry)
            moves = position.legal_moves()
            assert sorted(position.transformed_move(symmetry, move) for move in moves) == image.legal_moves()
            assert image.result == position.result
            if moves:
                move = generator.choice(moves)
                image.play(position.transformed_move(symmetry, move))
                position_after = position.copy()
                position_after.play(move)
                assert position_after.transformed(symmetry) == image


def test_symmetry_zero_is_the_identity_and_all_differ(game: str) -> None:
    position = random_positions(game, 1, seed=4)[3]
    assert position.transformed(0) == position
    images = {
        tuple(position.transformed_move(symmetry, move) for move in range(position.num_actions))
        for symmetry in range(position.num_symmetries)
    }
    assert len(images) == position.num_symmetries


def test_keys_are_equal_exactly_when_positions_are(game: str) -> None:
    by_text: dict[str, int] = {}
    for position in random_positions(game, 200, seed=5):
        assert by_text.setdefault(str(position), position.key) == position.key
    assert len(set(by_text.values())) == len(by_text)


def test_notation_round_trips(game: str) -> None:
    for position in random_positions(game, 10, seed=6):
        again = native.Position(game, str(position))
        assert again == position
        assert (again.key, again.ply, again.side_to_move, again.result) == (
            position.key,
            position.ply,
            position.side_to_move,
            position.result,
        )
        for move in position.legal_moves():
            assert position.parse_move(position.move_text(move)) == move


def test_planes_invert_to_the_position(game: str) -> None:
    for position in random_positions(game, 5, seed=7):
        planes = position.planes()
        assert planes.dtype == np.float32
        assert planes.shape == position.planes_shape
        assert set(np.unique(planes)) <= {0.0, 1.0}
        own, other = (planes[0], planes[1]) if position.side_to_move == 0 else (planes[1], planes[0])
        assert (own + 2 * other).astype(np.uint8).tobytes() == position.cells


def test_planes_of_uttt_name_the_legal_cells() -> None:
    for position in random_positions("uttt", 5, seed=8):
        cells = {
            (9 - int(name[1]), "abcdefghi".index(name[0])) for name in map(position.move_text, position.legal_moves())
        }
        assert {(int(r), int(c)) for r, c in np.argwhere(position.planes()[2])} == cells


def test_play_refuses_every_illegal_move(game: str) -> None:
    for position in random_positions(game, 2, seed=9):
        legal = set(position.legal_moves())
        before = str(position)
        for move in (*range(position.num_actions), -1, position.num_actions, 10**6):
            assert position.is_legal(move) == (move in legal) if 0 <= move < position.num_actions else True
            if move not in legal:
                with pytest.raises(native.IllegalMoveError):
                    position.play(move)
        assert str(position) == before


@pytest.mark.parametrize("text", ["", "z", "a", "a0", "a10", "j1", "A1", "1a", "a1 ", "aa1", "a01", "é5", "a" * 10_000])
def test_parse_move_refuses_what_is_no_move(game: str, text: str) -> None:
    with pytest.raises(native.IllegalMoveError) as refusal:
        native.Position(game).parse_move(text if game != "connect4" else text.replace("a", "x", 1))
    assert "\n" not in str(refusal.value)


def test_parse_position_survives_every_damage(game: str) -> None:
    generator = random.Random(10)
    for position in random_positions(game, 3, seed=11):
        for _ in range(20):
            text = list(str(position))
            place = generator.randrange(len(text))
            text[place : place + generator.randrange(2)] = generator.choice(
                ["", "X", "O", ".", ";", "/", "@", "#", "é"]
            )
            damaged = "".join(text)
            with contextlib.suppress(native.PositionError):
                assert str(native.Position(game, damaged)) == damaged


@pytest.mark.parametrize(
    ("game", "text", "why"),
    [
        ("tictactoe", "X;XXX/.../...", "3 X and 0 O"),
        ("tictactoe", "X;XXX/OOO/...", "already"),
        ("tictactoe", "X;..././..", "3 rows of 3"),
        ("tictactoe", "Q;.../.../...", "'X;' or 'O;'"),
        ("connect4", "O;......./......./......./...X.../......./.......", "hangs in the air"),
        ("uttt", "O;.........;" + "/".join(["........."] * 9), "0 X and 0 O"),
        ("uttt", "X;@........;" + "/".join(["........."] * 9), "first move is free"),
        ("uttt", "X;X........;" + "/".join(["........."] * 9), "board 1 is '.'"),
        ("uttt", "X;é.......;" + "/".join(["........."] * 9), r"'\?' is given"),
        ("uttt", "X;.........;" + "/".join(["........."] * 8), "9 boards"),
        ("uttt", "X;.........;" + "/".join(["XXXOOO..."] + ["........."] * 8), "both players"),
    ],
)
def test_contradictory_positions_are_refused_with_the_reason(game: str, text: str, why: str) -> None:
    with pytest.raises(native.PositionError, match=why):
        native.Position(game, text)


def test_unknown_game_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown game 'chess'; known: tictactoe"):
        native.Position("chess")


def test_ultimattt_notation_is_read_and_written() -> None:
    position = native.Position("uttt")
    for name in ("e5", "d4"):
        position.play(position.parse_move(name))
    boards = ["........."] * 9
    boards[4] = "....X.O.."
    assert str(position) == "X;......@..;" + "/".join(boards)


def test_rollouts_are_unbiased(game: str) -> None:
    """Shares of uniform play measured with independent programs; 4 standard errors."""
    shares = {"tictactoe": (0.585, 0.127), "connect4": (0.556, 0.0026), "uttt": (0.411, 0.223)}[game]
    count = 20_000 if SLOW else 200_000
    wins, draws, losses = native.rollouts(native.Position(game), count, seed=1)
    assert wins + draws + losses == count
    for seen, share in zip((wins, draws), shares, strict=True):
        rounding = 0.0005
        assert abs(seen / count - share) < 4 * (share * (1 - share) / count) ** 0.5 + rounding
