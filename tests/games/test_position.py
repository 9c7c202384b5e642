"""The capabilities of positions."""

from __future__ import annotations

import random

import pytest

from games import GAMES, game
from games.position import has_grid, most_plies_left


@pytest.mark.parametrize("game_id", GAMES)
def test_no_game_has_more_plies_than_are_left(game_id: str) -> None:
    source, position = random.Random(1), game(game_id).position()
    assert has_grid(position)
    bounds = [most_plies_left(position)]
    while position.result is None:
        position.play(source.choice(position.legal_moves()))
        bounds.append(most_plies_left(position))
    assert bounds == list(range(bounds[0], bounds[-1] - 1, -1))
    assert bounds[-1] >= 0
