"""The games for their users: names, notation, drawing."""

from games.game import AnyGame, Game
from games.others import absolute, is_place
from games.registry import (
    FILLED,
    GAMES,
    REGISTERED,
    any_game,
    every_id,
    game,
    game_at,
    game_id,
    known_game,
    named_game,
    register,
)

__all__ = [
    "FILLED",
    "GAMES",
    "REGISTERED",
    "AnyGame",
    "Game",
    "absolute",
    "any_game",
    "every_id",
    "game",
    "game_at",
    "game_id",
    "is_place",
    "known_game",
    "named_game",
    "register",
]
