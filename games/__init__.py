"""The games for their users: names, notation, drawing."""

from games.game import AnyGame, Game
from games.registry import GAMES, REGISTERED, any_game, game, game_id, register

__all__ = ["GAMES", "REGISTERED", "AnyGame", "Game", "any_game", "game", "game_id", "register"]
