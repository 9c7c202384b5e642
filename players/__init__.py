"""The players, which choose moves: one class for each kind of player."""

from fiedler.players.option import Settings, options_of, setting
from fiedler.players.player import MEMORY_OPTION, MODEL_OPTION, THREADS_OPTION, Evaluations, Factory, OnInfo, Player
from fiedler.players.registry import (
    PLAYERS,
    about,
    chosen,
    complete,
    create,
    create_player,
    kinds_of,
    loaded_mb,
    player_kind,
)
from fiedler.players.seeds import FRESH, MAX_SEED, Seeds
from fiedler.support.option import Option, Value
from fiedler.support.telemetry import disable_telemetry

__all__ = [
    "FRESH",
    "MAX_SEED",
    "MEMORY_OPTION",
    "MODEL_OPTION",
    "PLAYERS",
    "THREADS_OPTION",
    "Evaluations",
    "Factory",
    "OnInfo",
    "Option",
    "Player",
    "Seeds",
    "Settings",
    "Value",
    "about",
    "chosen",
    "complete",
    "create",
    "create_player",
    "kinds_of",
    "loaded_mb",
    "options_of",
    "player_kind",
    "setting",
]

disable_telemetry()
