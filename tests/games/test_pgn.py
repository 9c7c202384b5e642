"""Games as PGN and SGF that begin elsewhere, whose sides do not take turns, or whose moves are no words of PGN."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler import games
from fiedler.games.pgn import pgn_of, pgn_word, start_tags
from fiedler.games.sgf import sgf_of, sgf_points, sgf_result
from fiedler.games.sides import side_at, sides_of, turns
from fiedler.tournament.ratings.files import read_results


def moves_as_pgn(moves: list[str], sides: str = "", comments: tuple[str, ...] = ()) -> str:
    """Return the words of a game without its tags and result, on one line."""
    text = pgn_of({"Result": "*"}, moves, "*", comments, sides=sides)
    return " ".join(text.partition("\n\n")[2].split()).removesuffix(" *")


@pytest.mark.parametrize(
    ("sides", "text"),
    [
        ("", "1. a b 2. c d 3. e"),
        ("10101", "1... a 2. b c 3. d e"),
        ("00110", "1. a 1. b c 1... d 2. e"),
        ("11001", "1... a 1... b 2. c 2. d e"),
        ("00000", "1. a 1. b 1. c 1. d 1. e"),
        ("01111", "1. a b 1... c 1... d 1... e"),
    ],
)
def test_a_number_is_that_of_a_turn(sides: str, text: str) -> None:
    assert moves_as_pgn(list("abcde"), sides) == text


@given(st.lists(st.integers(0, 1), max_size=30))
def test_the_sides_can_be_counted_from_the_numbers(movers: list[int]) -> None:
    text = moves_as_pgn(["x"] * len(movers), sides_of(movers))
    found, side = [], 1
    for number, _ in re.findall(r"(?:(\d+\.+) )?(x)", text):
        side = int(number.endswith("...")) if number else 1 - side
        found.append(side)
    assert found == movers


@given(st.lists(st.integers(0, 1), max_size=9))
def test_the_sides_are_those_that_moved(movers: list[int]) -> None:
    sides = sides_of(movers)
    assert [side_at(sides, ply) for ply in range(len(movers))] == movers
    assert sides_of([(1 + ply) % 2 for ply in range(len(movers))]) == turns(1, len(movers))


ODD = ["(a)", "{b}", "[c]", "d;e", "f%28", "$1", "g h", "1-0", "1/2-1/2", "*", "plain", "e4-e5/d2"]


@given(st.lists(st.one_of(st.sampled_from(ODD), st.text(min_size=1, max_size=8)), max_size=40))
def test_moves_are_words_of_pgn_and_read_back(moves: list[str]) -> None:
    words = [pgn_word(move) for move in moves]
    assert [unquote(word, errors="strict") for word in words] == moves
    assert all(word.split() == [word] and not set(word) & set("(){}[];$") for word in words)
    lines = pgn_of({"Result": "*"}, moves, "*").partition("\n\n")[2].splitlines()
    assert not any(line.startswith("%") for line in lines), "a reader leaves such a line out"


def test_results_are_read_from_games_with_odd_moves(tmp_path: Path) -> None:
    tags = {"White": "a", "Black": "b", "Result": "0-1"}
    path = tmp_path / "games.pgn"
    path.write_text("".join(pgn_of(tags, ODD * 9, "0-1", sides=sides) for sides in ("", "1" * 9 * len(ODD))), "utf-8")
    read = read_results(path)
    assert (read.results.rows, read.skipped) == (((0, 1, 0, 0, 2),), 0)


def test_a_start_is_in_the_tags_and_in_the_stones() -> None:
    assert start_tags("O;X../.../...") == {"SetUp": "1", "FEN": "O;X../.../..."}
    game = games.game("gomoku15")
    start = str(game.position(moves=["h8", "a1", "b1"]))
    assert sgf_of(game, "F", {}, ["c1", "a15"], start) == (
        "(;FF[4]GM[4]CA[UTF-8]AP[F]SZ[15]RU[gomoku15]AB[hh][bo]AW[ao]PL[W];W[co];B[aa])\n"
    )
    assert sgf_of(game, "F", {}, ["c1"]).endswith("RU[gomoku15];B[co])\n")


def test_sgf_of_go_has_captures_passes_and_the_komi() -> None:
    moves = ["b9", "a9", "pass", "pass"]
    assert sgf_of(games.game("go9"), "F", {}, moves[:1]).startswith(
        "(;FF[4]GM[1]CA[UTF-8]AP[F]SZ[9]KM[7.5]RU[Chinese];B[ba])"
    )
    ruled = f"{games.game('go9').position()};komi=-3;suicide=true"
    assert sgf_of(games.game("go9"), "F", {}, moves[:1], ruled).startswith(
        "(;FF[4]GM[1]CA[UTF-8]AP[F]SZ[9]KM[-3]RU[Tromp-Taylor];B[ba])"
    )
    text = sgf_of(games.game("go9"), "F", {}, ["b9", "a9", "a8", *moves[2:]])
    assert text.endswith(";B[ba];W[aa];B[ab];W[];B[])\n"), "a8 takes a9"


def test_sgf_of_go_has_the_points_of_a_win_by_the_rules() -> None:
    game = games.game("go9")
    assert sgf_result("1-0", sgf_points(game, ["e5", "pass", "pass"])) == "B+73.5"
    assert sgf_result("0-1", sgf_points(game, ["pass", "pass"])) == "W+7.5"
    assert sgf_points(game, ["e5", "pass"]) == "", "it runs"
    even = f"{game.position()};komi=81"
    assert sgf_result("1/2-1/2", sgf_points(game, ["e5", "pass", "pass"], even)) == "0"
    assert sgf_points(games.game("tictactoe"), ["b2", "a3", "c1", "a1", "a2"]) == ""
