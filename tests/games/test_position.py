"""The capabilities of positions."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from fiedler.games import FILLED, game
from fiedler.games.position import fills_cells, has_grid, most_plies_left
from tests.flip import FLIP
from tests.take import TAKE


@pytest.mark.parametrize("game_id", FILLED)
def test_no_game_has_more_plies_than_are_left(game_id: str) -> None:
    source, position = random.Random(1), game(game_id).position()
    bounds = [position.plies_left]
    assert bounds[0] == game(game_id).most_plies
    while position.result is None:
        assert not fills_cells(position) or position.plies_left <= most_plies_left(position)
        position.play(source.choice(position.legal_moves()))
        bounds.append(position.plies_left)
    assert all(later < earlier for earlier, later in pairwise(bounds))
    assert bounds[-1] >= 0
    assert bounds[0] == game(game_id).most_plies


def test_cells_that_are_filled_twice_are_not_counted() -> None:
    position = FLIP.position()
    assert has_grid(position)
    assert not fills_cells(position)
    assert has_grid(game("chess").position())
    assert not fills_cells(game("chess").position())
    assert not has_grid(TAKE.position())
    assert FLIP.has_cells
    assert game("uttt").has_cells
    assert not TAKE.has_cells
    assert not replace(FLIP, board=None).has_cells


def test_a_line_of_a_game_whose_stones_may_go_can_always_be_won() -> None:
    full = replace(FLIP, in_a_row=6)
    assert full.can_be_won(full.position("X;OXOXOX/XOXOXO/OXOXOX/XOXOXO/OXOXOX/XOXOX."))
