"""The starts of Chess960 against python-chess, and openings from them."""

from __future__ import annotations

from itertools import islice

import chess

from fiedler import games
from fiedler.games.openings import Opening, from_random_starts
from fiedler.games.scharnagl import numbered_start

GAME = games.game("chess960")


def test_all_starts_have_their_numbers() -> None:
    starts = [GAME.numbered_start(number) for number in range(GAME.num_starts)]
    assert starts == [chess.Board.from_chess960_pos(number).fen().replace(" ", "_") for number in range(960)]
    assert [str(GAME.position(start)) for start in starts] == starts
    assert starts[518] == str(GAME.position())
    assert numbered_start(0).startswith("bbqnnrkr/")


def test_random_starts_are_all_of_them_once_in_an_order_from_the_seed() -> None:
    found = [list(from_random_starts(GAME, 0, seed)) for seed in (1, 1, 2)]
    assert found[0] == found[1] != found[2]
    assert len({one.start for one in found[0]}) == len(found[0]) == 960
    assert Opening() in found[0]
    assert all(one.moves == () for one in found[0])


def test_random_moves_may_follow_a_random_start() -> None:
    found = list(islice(from_random_starts(GAME, 2, 7), 1000))
    assert len({one.start for one in found[:960]}) == 960
    assert all(len(one.moves) == 2 for one in found)
    assert len({str(GAME.position(one.start, one.moves)) for one in found}) == 1000
