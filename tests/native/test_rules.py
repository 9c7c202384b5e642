"""The rules of every game: perft tables and records of independent programs, a slow model, and invariants."""

from __future__ import annotations

import contextlib
import random
import re
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest

from fiedler import games, native
from fiedler.games.go import is_go
from tests.folders import DATA
from tests.native.naive import model as model_of
from tests.native.positions import LONG, SLOW, after, data_of, move_name, random_positions, some_positions

PERFT_BUDGET = 5_000_000 if SLOW else 60_000_000
SYMMETRIES_TRIED = 16
CHESS = {"chess", "chess960"}
LATE = 80
"""The plies without a capture or a move of a pawn from which the key of a position of chess counts them."""


def perft_table(game: str) -> list[int]:
    return [row["paths"] for row in data_of(game)["perft"] if row["paths"] <= PERFT_BUDGET]


def test_every_table_is_there(game: str) -> None:
    """A file without positions or records names another file that tests the rules."""
    data = data_of(game)
    missing = [key for key in ("perft", "shares", "signature", "positions", "records") if not data.get(key)]
    assert missing == (["positions", "records"] if "instead" in data else []), f"add them to {game}.json"
    assert "instead" not in data or (DATA / "games" / data["instead"]).exists()


def test_perft_agrees_with_independent_programs(game: str) -> None:
    expected = perft_table(game)
    assert expected
    assert native.perft(native.Position(game), len(expected)) == expected


def test_perft_from_positions_agrees_with_independent_programs(game: str) -> None:
    for row in data_of(game).get("positions", ()):
        expected = [paths for paths, *_ in row["counts"] if paths <= PERFT_BUDGET / 20]
        assert native.perft(after(game, row["moves"]), len(expected)) == expected


def test_records_of_independent_programs_replay(game: str) -> None:
    data = data_of(game)
    for record in data.get("records", ())[: 60 if "moves_of" in data else None]:
        position = native.Position(game)
        for move, legal in zip(record["moves"], record["legal"], strict=False):
            assert len(position.legal_moves()) == legal
            position.play(position.parse_move(move_name(game, move)))
        assert position.legal_moves() == []
        assert position.result == recorded_result(game, record)


def recorded_result(game: str, record: dict[str, Any]) -> int | None:
    """The result in the record; if the game only shares the moves, the result of the slow model."""
    if "moves_of" not in data_of(game):
        return {1: 1, 2: -1, 0: 0}[record["result"]]
    model = model_of(game)
    for move in record["moves"]:
        model.play(move_name(game, move))
    return model.result()


def test_random_play_agrees_with_the_slow_model(game: str) -> None:
    generator = random.Random(1)
    large = native.Position(game).num_actions > 100
    between_looks = {"renju15": 8, "go13": 8, "go19": 32}.get(game, 1)  # their models take long over every move
    for _ in range(3 if large else 8):
        position, model = native.Position(game), model_of(game)
        while position.result is None:
            if position.ply % between_looks == 0:
                assert {position.move_text(move) for move in position.legal_moves()} == model.moves()
            assert position.cells == model.cells()
            name = position.move_text(generator.choice(position.legal_moves()))
            position.play(position.parse_move(name))
            model.play(name)
            assert position.result == model.result()


def tried_symmetries(position: native.Position, generator: random.Random) -> list[int]:
    every = range(position.num_symmetries)
    return generator.sample(every, min(SYMMETRIES_TRIED, len(every)))


def test_symmetries_commute_with_moves(game: str) -> None:
    generator = random.Random(2)
    for position in some_positions(game, 2, seed=3):
        for symmetry in tried_symmetries(position, generator):
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
    fewer = SLOW or not native.Position(game).fills_cells  # a position with a past is large
    for position in random_positions(game, 5 if game in LONG else 20 if fewer else 100, seed=5):
        assert by_text.setdefault(str(position), position.key) == position.key
    assert len(set(by_text.values())) == len(set(map(counted_out, by_text)))


def counted_out(text: str) -> str:
    """The text of a position without its numbers: a FEN has those of plies, which a key has near the draw alone."""
    rest, *numbers = text.rsplit("_", 2)
    return f"{rest} {numbers[0]}" if numbers and int(numbers[0]) >= LATE else rest


def test_another_order_of_the_same_moves_is_the_same_position(game: str) -> None:
    """Not if a position has a past, as in Go."""
    generator = random.Random(12)
    met = 0
    for _ in range(3000):
        line = opening(game, generator)
        with contextlib.suppress(native.IllegalMoveError):
            position, image = (played(game, moves) for moves in (line, [line[i] for i in (2, 3, 0, 1)]))
            assert (image == position) == (str(image) == str(position))
            assert (image.key == position.key) == (counted_out(str(image)) == counted_out(str(position)))
            met += image == position
        if met == 10:
            break
    assert (met > 0) != is_go(games.game(game))


def played(game: str, moves: list[int]) -> native.Position:
    position = native.Position(game)
    for move in moves:
        position.play(move)
    return position


def opening(game: str, generator: random.Random) -> list[int]:
    """Four random legal moves."""
    position, line = native.Position(game), list[int]()
    while position.result is None and len(line) < 4:
        line.append(generator.choice(position.legal_moves()))
        position.play(line[-1])
    return line if len(line) == 4 else opening(game, generator)


def test_notation_round_trips(game: str) -> None:
    for position in some_positions(game, 10, seed=6, most=500):
        again = native.Position(game, str(position))
        assert again == position
        if position.ending == "threefold repetition":
            continue  # no text has the positions before it
        assert (again.key, again.ply, again.side_to_move, again.result) == (
            position.key,
            position.ply,
            position.side_to_move,
            position.result,
        )
        assert again.legal_moves() == position.legal_moves()
        for move in position.legal_moves():
            assert position.parse_move(position.move_text(move)) == move


def test_planes_invert_to_the_position(game: str) -> None:
    for position in some_positions(game, 5, seed=7):
        planes = position.planes()
        assert planes.dtype == np.float32
        assert planes.shape == position.planes_shape
        assert set(np.unique(planes)) <= {0.0, 1.0}
        if game in CHESS:
            assert pieces_of(position, planes) == position.cells
            continue
        layers = len(position.cells) // planes[0].size
        own, other = planes[:layers], planes[layers : 2 * layers]
        first, second = (own, other) if position.side_to_move == 0 else (other, own)
        assert (first + 2 * second).astype(np.uint8).tobytes() == position.cells


def pieces_of(position: native.Position, planes: np.ndarray) -> bytes:
    """The cells of a position of chess by its planes: six of the side to move, six of the other, the side."""
    assert (planes[12] == position.side_to_move).all()
    kinds = np.arange(1, 7)
    ours, theirs = (kinds, kinds + 6) if position.side_to_move == 0 else (kinds + 6, kinds)
    return np.tensordot(np.concatenate([ours, theirs]), planes[:12], 1).astype(np.uint8).tobytes()


@pytest.mark.parametrize("game", ["uttt", "uttt-majority"])
def test_planes_of_uttt_name_the_legal_cells(game: str) -> None:
    for position in random_positions(game, 5, seed=8):
        cells = {
            (9 - int(name[1]), "abcdefghi".index(name[0])) for name in map(position.move_text, position.legal_moves())
        }
        assert {(int(r), int(c)) for r, c in np.argwhere(position.planes()[2])} == cells


@pytest.mark.parametrize("game", ["gomoku9", "gomoku15", "gomoku20", "standard15", "renju15"])
def test_planes_of_gomoku_show_the_last_move_and_the_colour(game: str) -> None:
    position, rng = native.Position(game), random.Random(8)
    assert not position.planes()[2].any()
    while position.result is None and position.ply < 40:
        move = rng.choice(position.legal_moves())
        position.play(move)
        last, colour = position.planes()[2:]
        assert np.flatnonzero(last).tolist() == [move]
        assert (colour == 1 - position.side_to_move).all()
        for symmetry in range(position.num_symmetries):
            image = position.transformed(symmetry).planes()[2]
            assert np.flatnonzero(image).tolist() == [position.transformed_move(symmetry, move)]
    assert not native.Position(game, str(position)).planes()[2].any()


def test_play_refuses_every_illegal_move(game: str) -> None:
    for position in some_positions(game, 2, seed=9, most=5 if game in LONG else 60):
        legal = set(position.legal_moves())
        before = str(position)
        for move in (*range(position.num_actions), -1, position.num_actions, 10**6):
            assert position.is_legal(move) == (move in legal) if 0 <= move < position.num_actions else True
            if move not in legal:
                with pytest.raises(native.IllegalMoveError):
                    position.play(move)
        assert str(position) == before


NO_MOVES = ("", "z", "a0", "A1", "1a", "a1 ", " a1", "aa1", "a01", "a-1", "é5", "a" * 10_000, "a1\n", "\0")
NO_MOVES_OF = {
    "cube": ("a1", "0a1", "5a1", "1e1", "1a5", "1a0", "11a1", "1a01", "1a11", "1A1", "11a", "1a1 ", "é1a", "a11"),
    "connect4": ("a1", "h", "aa", "1"),
    "tictactoe": ("a", "d1", "a4", "a10"),
}


def test_parse_move_refuses_other_text(game: str) -> None:
    position = native.Position(game)
    start = str(position)
    _, rows, columns = position.planes_shape
    outside = (f"{ascii_lowercase[columns]}1", f"a{rows + 1}", f"a{rows + 10}", "z1", "a99")
    for text in NO_MOVES + outside + NO_MOVES_OF.get(game, ("a", "1a1")):
        with pytest.raises(native.IllegalMoveError, match="move: expected") as refusal:
            position.parse_move(text)
        assert "\n" not in str(refusal.value)
        assert len(str(refusal.value)) < 300
    assert str(position) == start


def test_parse_position_survives_every_damage(game: str) -> None:
    generator = random.Random(10)
    for position in some_positions(game, 3, seed=11, most=150):
        for _ in range(20):
            text = list(str(position))
            place = generator.randrange(len(text))
            text[place : place + generator.randrange(2)] = generator.choice(
                ["", "X", "O", ".", ";", "/", "@", "#", "é"]
            )
            damaged = "".join(text)
            with contextlib.suppress(native.PositionError):
                assert str(native.Position(game, damaged)) == damaged


def no_positions(game: str) -> list[str]:
    """Texts that are nearly the start of the game: cut, too long, against the turn, with too many stones."""
    start = str(native.Position(game))
    head, board = start[:2], start[2:]
    unfair = ["O;" + board, head + "XXX" + board[3:], head + board[:-1] + "O"]
    return [
        *(unfair if native.Position(game).fills_cells else ()),  # where stones are taken, they need not be balanced
        *(start[:length] for length in range(len(start))),
        *(start + more for more in (".", "/", ";", " ", "\n", "/" + board)),
        "x;" + board,
        head + board.replace(".", "X"),
        head + board.replace(".", "O"),
        head + board[:-1] + "é",
        head + board[:-1] + "\0",
        head + board * 100,
    ]


def test_texts_that_are_nearly_a_position_are_refused_in_one_line(game: str) -> None:
    for text in set(no_positions(game)) - {str(native.Position(game))}:
        with pytest.raises(native.PositionError) as refusal:
            native.Position(game, text)
        assert re.fullmatch(r"[ -~é]{20,300}", str(refusal.value)), refusal.value


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("é2", "'é2'"),
        ("ß" * 70, "'" + "ß" * 60 + "...'"),
        ("a\a\u0085\u202e\ufeff🎲", "'a????🎲'"),
    ],
)
def test_refused_text_is_quoted_with_control_characters_replaced(text: str, shown: str) -> None:
    with pytest.raises(native.IllegalMoveError) as refusal:
        native.Position("tictactoe").parse_move(text)
    assert str(refusal.value) == f"move: expected a1 to c3, got {shown}"


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
        ("uttt", "X;é.......;" + "/".join(["........."] * 9), "'é' is given"),
        ("uttt", "X;.........;" + "/".join(["........."] * 8), "9 boards"),
        ("uttt", "X;.........;" + "/".join(["XXXOOO..."] + ["........."] * 8), "both players"),
    ],
)
def test_contradictory_positions_are_refused_with_the_reason(game: str, text: str, why: str) -> None:
    with pytest.raises(native.PositionError, match=why):
        native.Position(game, text)


def test_unknown_game_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown game 'checkers'; known: tictactoe"):
        native.Position("checkers")


@pytest.mark.parametrize("game", ["uttt", "uttt-majority"])
def test_ultimattt_notation_is_read_and_written(game: str) -> None:
    position = native.Position(game)
    for name in ("e5", "d4"):
        position.play(position.parse_move(name))
    boards = ["........."] * 9
    boards[4] = "....X.O.."
    assert str(position) == "X;......@..;" + "/".join(boards)


@pytest.mark.numbers
def test_rollouts_are_unbiased(game: str) -> None:
    """Shares of uniform play; 4 standard errors."""
    shares = data_of(game)["shares"]
    count = 50_000 if native.Position(game).num_actions > 100 else 200_000
    wins, draws, losses = native.rollouts(native.Position(game), count, seed=1)
    assert wins + draws + losses == count
    for seen, share in ((wins, shares["wins"]), (draws, shares["draws"])):
        assert abs(seen / count - share) < 4 * (share * (1 - share) / count) ** 0.5 + shares["off_by"]
