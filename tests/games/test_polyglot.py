"""Books of PolyGlot, against python-chess and a book that the program itself made."""

from __future__ import annotations

import random
from itertools import islice
from pathlib import Path

import chess
import chess.polyglot
import pytest

from fiedler import games
from fiedler.games.chess import is_chess
from fiedler.games.isaac64 import isaac64
from fiedler.games.polyglot import PolyglotBook, key_of
from fiedler.native import Position
from fiedler.support.errors import UsageError
from tests.folders import ROOT

BOOK = ROOT / "tests/data/openings/small.bin"
GAME = games.game("chess")


def book(path: Path, game: str = "chess") -> PolyglotBook:
    found = games.game(game)
    assert is_chess(found)
    return PolyglotBook(found, path)


def test_the_numbers_of_the_format_are_those_of_isaac64() -> None:
    assert tuple(islice(isaac64(), 781)) == tuple(chess.polyglot.POLYGLOT_RANDOM_ARRAY)


def test_keys_are_those_of_another_library() -> None:
    for seed in range(5):
        generator, board = random.Random(seed), chess.Board()
        position, last = GAME.position(), None
        while position.result is None:
            assert key_of(position, last) == chess.polyglot.zobrist_hash(board)
            last = generator.choice(position.legal_moves())
            board.push_uci(position.move_text(last))
            position.play(last)


def moves_of(found: PolyglotBook, position: Position, last: int | None) -> dict[str, int]:
    return {position.move_text(move): weight for move, weight in found.moves(position, last).items()}


def test_every_line_of_a_book_is_read_as_by_another_library() -> None:
    """The lines castle on both sides, and take a pawn in passing."""
    found, names, positions = book(BOOK), set[str](), 0
    queue: list[tuple[Position, chess.Board, int | None]] = [(GAME.position(), chess.Board(), None)]
    with chess.polyglot.open_reader(BOOK) as reader:
        while queue:
            position, board, last = queue.pop()
            ours = moves_of(found, position, last)
            assert ours == {entry.move.uci(): entry.weight for entry in reader.find_all(board)}
            positions += 1
            for name in ours:
                child, after = position.copy(), board.copy()
                child.play(position.parse_move(name))
                after.push_uci(name)
                names.add(name)
                queue.append((child, after, position.parse_move(name)))
    assert positions > 30
    assert {"e1g1", "e1c1", "e8g8", "e5d6"} <= names


def test_a_king_castles_in_chess960_by_a_move_to_his_rook() -> None:
    line = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5"
    found = [
        moves_of(book(BOOK, name), position, last_of(position))
        for name in ("chess", "chess960")
        for position in [games.game(name).position(moves=line.split())]
    ]
    assert found == [{"e1g1": 1}, {"e1h1": 1}]


def last_of(position: Position) -> int:
    """The move f8c5: it passes no pawn."""
    return position.num_actions - 1


def entry(key: int, move: int = 796, weight: int = 1) -> bytes:
    return key.to_bytes(8, "big") + move.to_bytes(2, "big") + weight.to_bytes(2, "big") + bytes(4)


START = key_of(GAME.position())


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "expected a book of PolyGlot, entries of 16 bytes, got 0 bytes"),
        (b"x" * 33, "expected a book of PolyGlot, entries of 16 bytes, got 33 bytes"),
        (entry(9) + entry(5) + entry(START), "expected the entries of a book in the order of their keys, not so at 2"),
        (entry(5) + entry(9), "expected a book for the start of chess, got 2 entries without a move of it"),
        (entry(START, 0xFFFF), "got 1 entry without a move of it"),
        (entry(START, weight=0), "got 1 entry without a move of it"),
    ],
)
def test_a_file_that_is_not_a_book_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    path = tmp_path / "book.bin"
    path.write_bytes(data)
    with pytest.raises(UsageError) as caught:
        book(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert why in str(caught.value)


def test_entries_of_one_move_add_up_and_illegal_ones_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "book.bin"
    path.write_bytes(entry(START, 796, 2) + entry(START, 796, 3) + entry(START, 1, 9) + entry(START, 731, 4))
    assert moves_of(book(path), GAME.position(), None) == {"e2e4": 5, "d2d4": 4}


def test_a_missing_book_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none.bin: cannot be read: no such file or directory"):
        book(tmp_path / "none.bin")
