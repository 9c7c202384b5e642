"""The games for their users: names, notation, drawing."""

from games.game import Game
from games.registry import GAMES, game, game_id

__all__ = ["GAMES", "Game", "game", "game_id"]
