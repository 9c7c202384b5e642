"""The games for their users: names, notation, drawing."""

from fiedler.games.game import AnyGame, Game
from fiedler.games.others import absolute, is_place
from fiedler.games.registry import (
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
