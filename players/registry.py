"""The registry of all players. To add one: a module, an entry here."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from games import Game
from players.player import Factory, Player
from players.shipped import strongest
from support.errors import UsageError, nearest

PLAYERS: dict[str, tuple[str, str]] = {
    "random": ("players.bots", "RandomPlayer"),
    "osp": ("players.bots", "OspPlayer"),
    "hsp": ("players.bots", "HspPlayer"),
    "negamax": ("players.negamax", "NegamaxPlayer"),
    "mcts": ("players.mcts", "MctsPlayer"),
    "checkpoint": ("players.checkpoint", "CheckpointPlayer"),
}
"""Name -> module and class; a module is loaded when its player is asked for, and not before."""
FALLBACK = "mcts"
"""Who plays when nobody is named and no shipped checkpoint can."""


def player_kind(name: str) -> type[Player]:
    """Return the class of the player of this name; raises UsageError naming the nearest known one."""
    if name not in PLAYERS:
        raise UsageError(f"unknown player {name!r}{nearest(name, PLAYERS)} (known: {', '.join(PLAYERS)})")
    module, kind = PLAYERS[name]
    found: type[Player] = getattr(importlib.import_module(module), kind)
    return found


def create(game: Game, name: str | None = None, options: Mapping[str, str] | None = None) -> Factory:
    """Return what makes players of this name with these options (values as text), one for each session.

    None as the name: the strongest shipped checkpoint for the game that the installed extras allow, else mcts. That
    checkpoint is also the model of the player that it is for, where `options` names none.
    Raises UsageError for an unknown player, option or value, and for a model that is missing, damaged or another
    game's.
    """
    values = dict(options or {})
    shipped = strongest(game.id)
    if name is None:
        name = shipped.player if shipped else FALLBACK
    if shipped and shipped.player == name:
        values.setdefault("model", str(shipped.model))
    return player_kind(name).factory(game, values)
