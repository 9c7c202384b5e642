"""Openings: distinct up to symmetry, none of them over, the same for the same seed."""

from __future__ import annotations

import random
from itertools import islice

import pytest

from fiedler import games
from fiedler.games.openings import Opening, candidates, canonical_key, draw, identity

UTTT, TICTACTOE, CONNECT4 = (games.game(name) for name in ("uttt", "tictactoe", "connect4"))


def openings(game: games.Game, plies: int, count: int, seed: int) -> list[Opening]:
    return list(islice(candidates(game, plies, seed), count))


def test_no_plies_is_the_start_position() -> None:
    assert openings(UTTT, 0, 5, 1) == [Opening()]


@pytest.mark.parametrize(("plies", "classes"), [(1, 3), (2, 12), (3, 38)])
def test_all_distinct_openings_of_a_small_game_are_found(plies: int, classes: int) -> None:
    found = openings(TICTACTOE, plies, 1000, 1)
    assert len(found) == classes
    assert len({canonical_key(TICTACTOE.position(moves=one.moves)) for one in found}) == classes


@pytest.mark.parametrize(("game", "plies"), [(UTTT, 2), (UTTT, 6), (CONNECT4, 5), (CONNECT4, 12)])
def test_openings_are_distinct_and_go_on(game: games.Game, plies: int) -> None:
    found = openings(game, plies, 50, 1)
    positions = [game.position(moves=one.moves) for one in found]
    assert len(found) == 50
    assert all(position.result is None and position.ply == plies for position in positions)
    assert len({canonical_key(position) for position in positions}) == 50


@pytest.mark.parametrize("plies", [2, 6])
def test_seed_makes_the_openings_and_fewer_are_a_prefix(plies: int) -> None:
    assert openings(UTTT, plies, 20, 1)[:7] == openings(UTTT, plies, 7, 1)
    assert openings(UTTT, plies, 20, 1) != openings(UTTT, plies, 20, 2)


def test_openings_of_go_are_distinct_boards() -> None:
    game = games.game("go9")
    lines = [["d4", "f6", "c7", "g3"], ["c7", "g3", "d4", "f6"], ["f6", "d4", "g3", "c7"], ["d4", "f6", "pass", "g3"]]
    found = [identity(game.position(moves=moves)) for moves in lines]
    assert found[0] == found[1] == found[2], "the same stones in another order, and half a turn"
    assert found[0] != found[3]
    assert identity(game.position(moves=["d4"])) != identity(game.position(moves=["d4", "pass"]))
    boards = {identity(game.position(moves=one.moves)) for one in openings(game, 2, 1000, 1)}
    assert len(boards) == len(openings(game, 2, 1000, 1)) == 846 + 15 + 15, "two stones, or one before or after a pass"


def test_more_plies_than_the_game_has_gives_none() -> None:
    assert openings(TICTACTOE, 9, 4, 1) == []


def test_drawing_ends_without_new_openings() -> None:
    found = list(draw(TICTACTOE, 2, random.Random(1), 200))
    assert len(found) == 12
    assert len(set(found)) == 12
