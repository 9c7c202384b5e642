"""Levels of play by name."""

from __future__ import annotations

from contextlib import closing

import pytest

from fiedler.games import GAMES
from fiedler.players import create
from fiedler.players.levels import STRONGEST, level, level_names


def test_the_strongest_level_is_the_default_player() -> None:
    assert level_names()[-1] == STRONGEST
    assert level(STRONGEST) == (None, {})


@pytest.mark.parametrize("name", level_names()[:-1])
def test_a_level_plays_every_game(name: str) -> None:
    player, options = level(name)
    for game in GAMES.values():
        with closing(create(game, player, options).player()) as made:
            assert made.name == player
