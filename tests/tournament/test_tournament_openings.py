"""Openings: distinct up to symmetry, none of them over, the same for the same seed."""

from __future__ import annotations

from pathlib import Path

import pytest

import games
from games import UsageError
from tournament.openings import canonical_key, openings, read_openings

UTTT, TICTACTOE, CONNECT4 = (games.game(name) for name in ("uttt", "tictactoe", "connect4"))


def test_no_plies_is_the_start_position() -> None:
    assert openings(UTTT, 0, 5, 1) == [()]


@pytest.mark.parametrize(("plies", "classes"), [(1, 3), (2, 12), (3, 38)])
def test_all_distinct_openings_of_a_small_game_are_found(plies: int, classes: int) -> None:
    found = openings(TICTACTOE, plies, 1000, 1)
    assert len(found) == classes
    assert len({canonical_key(TICTACTOE.position("startpos", moves)) for moves in found}) == classes


@pytest.mark.parametrize(("game", "plies"), [(UTTT, 2), (UTTT, 6), (CONNECT4, 5), (CONNECT4, 12)])
def test_openings_are_distinct_and_go_on(game: games.Game, plies: int) -> None:
    found = openings(game, plies, 50, 1)
    positions = [game.position("startpos", moves) for moves in found]
    assert len(found) == 50
    assert all(position.result is None and position.ply == plies for position in positions)
    assert len({canonical_key(position) for position in positions}) == 50


@pytest.mark.parametrize("plies", [2, 6])
def test_seed_makes_the_openings_and_fewer_are_a_prefix(plies: int) -> None:
    assert openings(UTTT, plies, 20, 1)[:7] == openings(UTTT, plies, 7, 1)
    assert openings(UTTT, plies, 20, 1) != openings(UTTT, plies, 20, 2)


def test_more_plies_than_the_game_has_gives_none() -> None:
    assert openings(TICTACTOE, 9, 4, 1) == []


def test_file(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# two openings\n\na1 b2  # the first\n\t c3 \n")
    assert read_openings(TICTACTOE, path) == [("a1", "b2"), ("c3",)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1\na1 a1\n", ":2: move a1: not legal"),
        ("\n# no\nz9\n", ":3: move: expected a1 to c3, got 'z9'"),
        ("a1 b1 a2 b2 a3\n", ":1: expected an opening, got a finished game"),
        ("# nothing\n", ": expected at least one opening, got none"),
    ],
)
def test_file_that_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_openings(TICTACTOE, path)
    assert str(caught.value).startswith(str(path) + message)


def test_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_bytes(b"a1 # caf\xe9\n")
    with pytest.raises(UsageError, match=r"openings.txt: expected UTF-8 text, got byte 0xe9"):
        read_openings(TICTACTOE, path)
    path.write_bytes(b"\xef\xbb\xbfa1 b2\n")
    assert read_openings(TICTACTOE, path) == [("a1", "b2")]


@pytest.mark.parametrize("game_id", ["gomoku15", "standard15", "renju15"])
def test_the_26_openings_of_renju_differ(game_id: str) -> None:
    game = games.game(game_id)
    found = read_openings(game, Path(__file__).parents[2] / "configs" / "openings" / "renju26.txt")
    assert len({canonical_key(game.position(moves=moves)) for moves in found}) == len(found) == 26
    assert {moves[0] for moves in found} == {"h8"}
