"""The reader of PGN files, against python-chess and our own writer."""

from __future__ import annotations

from pathlib import Path

import chess.pgn
import pytest

from fiedler import games
from fiedler.games.pgn import pgn_of
from fiedler.games.pgn_reader import PgnGame, read_games
from fiedler.support.errors import UsageError
from tests.folders import ROOT

SMALL = ROOT / "tests/data/openings/small.pgn"


def read(folder: Path, text: str | bytes, most: int | None = None) -> list[PgnGame]:
    path = folder / "games.pgn"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_games(path, most))


def test_games_are_read_as_by_another_library() -> None:
    ours = list(read_games(SMALL))
    with SMALL.open() as file:
        for one in ours:
            read = chess.pgn.read_game(file)
            assert read is not None
            names = games.game("chess").read_moves(one.moves)
            assert names == [move.uci() for move in read.mainline_moves()]
            assert one.tags["Event"] == read.headers["Event"]
    assert [one.number for one in ours] == list(range(1, 9))
    assert (ours[0].line, ours[1].line) == (2, 11)


@pytest.mark.parametrize("most", [0, 1, 3, 7])
def test_only_the_first_moves_are_kept(most: int) -> None:
    whole = [one.moves for one in read_games(SMALL)]
    assert [one.moves for one in read_games(SMALL, most)] == [moves[:most] for moves in whole]


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1. e4 e5 * 1. d4 *", [["e4", "e5"], ["d4"]]),
        ("1. e4 (1. d4 {a ) ( comment} d5 (1... Nf6)) e5 $12 !? e.p. 2.Nf3", [["e4", "e5", "Nf3"]]),
        ("1.e4{a}e5(1...c5)2.Nf3;rest ( {\nNc6", [["e4", "e5", "Nf3", "Nc6"]]),
        ("{a comment\nof two ; lines\n[with a tag]}\n1... e5 ... Nc6 1-0", [["e5", "Nc6"]]),
        ("% not ( read\ne4\n%{\ne5\n", [["e4", "e5"]]),
        ('[A "1"]\n[B "x \\"y\\" z"]\n\n[C "no text"]\n\n[A ""]\n\n*\n[E "1"]\n', [[], [], []]),
        ("", []),
        ("\n \n% only this\n", []),
    ],
)
def test_the_signs_of_the_format(tmp_path: Path, text: str, moves: list[list[str]]) -> None:
    found = read(tmp_path, text)
    assert [one.moves for one in found] == moves
    assert [one.moves for one in read(tmp_path, text, 1)] == [each[:1] for each in moves]
    assert [one.moves for one in read(tmp_path, text.replace("\n", "\r\n"))] == moves
    assert all(len(one.places) == len(one.moves) for one in found)


@pytest.mark.parametrize("most", [None, 0])
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{ my openings }\n[Event "a"]\n\n1. e4 *\n', [2]),
        ("{ my\nopenings }\n\n1. e4 e5\n", [4]),
        ('1. e4 1-0 { well played }\n\n{ the next }\n[Event "b"]\n*\n', [1, 4]),
        ("1. e4 1-0 {a comment} $1 !?\n", [1]),
        ("{ only this }\n1.\n", []),
        ('[Event "a"]\n{ no moves }\n[White "b"]\n', [1, 3]),
        ('[Event "a"]\n1. e4\n[White "b"]\n1. d4\n', [1, 3]),
    ],
)
def test_a_comment_alone_is_not_a_game(tmp_path: Path, text: str, lines: list[int], most: int | None) -> None:
    assert [one.line for one in read(tmp_path, text, most)] == lines


@pytest.mark.parametrize("most", [0, 1, None])
def test_a_line_may_have_thousands_of_games(tmp_path: Path, most: int | None) -> None:
    found = read(tmp_path, "1. e4\n" + "{a comment}1-0{of White} 1. e4 " * 3000, most)
    assert [one.moves for one in found] == [["e4"][:most]] * 3001


def test_tags_and_places() -> None:
    first, second = list(read_games(SMALL))[:2]
    assert first.tags == {"Event": "a", "White": "A", "Black": "B", "Result": "1/2-1/2"}
    assert second.places == [14] * 10


@pytest.mark.parametrize(
    ("line", "tags"),
    [
        ('[Event "a"] [FEN "8/8"][SetUp "1"]', {"Event": "a", "FEN": "8/8", "SetUp": "1"}),
        (r'[Event "a\"] [FEN \"b"] [Round "\\"]', {"Event": 'a"] [FEN "b', "Round": "\\"}),
        (r'[Event "a "b" c"] [Site "C:\"] [Round "[1]"]', {"Event": 'a "b" c', "Site": "C:\\", "Round": "[1]"}),
    ],
)
def test_a_line_may_have_several_tags(tmp_path: Path, line: str, tags: dict[str, str]) -> None:
    assert [one.tags for one in read(tmp_path, f"{line}\n\n*\n")] == [tags]


def test_our_own_games_are_read(tmp_path: Path) -> None:
    """Also words that PGN has no place for."""
    moves = ["a", "(b)", "c;d", "1-0", "%", "x{y}"]
    text = pgn_of({"Event": 'a "b" \\ c', "Result": "*"}, moves, "*", ["", "a comment"])
    found = read(tmp_path, text * 2)
    assert [one.moves for one in found] == [moves, moves]
    assert found[1].tags["Event"] == 'a "b" \\ c'


def test_names_in_latin_1_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, '[White "Müller"]\n\n1. e4 *\n'.encode("latin-1"))[0].tags == {"White": "Müller"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1. e4 *\n[White]\n", ":2: game 2: expected a tag such as [White \"A\"], got '[White]'"),
        ('[A "1"] 1. e4 *\n', ":1: game 1: expected a tag such as [White \"A\"], got '1. e4 *'"),
        ('1. e4 { no end\n\n[White "A"]\n', ":1: game 1: expected '}' behind a comment, got the end of the file"),
        ('1. e4\n(1. d4\n\n[A ""]\n', ":2: game 1: expected ')' behind a variation, got the end of the game"),
        ("1. e4 )", ":1: game 1: expected '(' before ')'"),
        (b"\0\1\2", ": expected text in UTF-8, or in UTF-16 with a byte order mark; got zero bytes"),
    ],
)
def test_broken_text_is_refused(tmp_path: Path, text: str | bytes, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    assert str(caught.value) == f"{tmp_path / 'games.pgn'}{why}"
