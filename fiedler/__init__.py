"""Fiedler from Python and from notebooks: engines, matches, runs, ratings, meeting graphs, training curves, boards.

`docs/python.md` shows each in a few lines. Names are loaded when they are used, so the import is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiedler.board import Board
    from fiedler.client import (
        AsyncEngine,
        Engine,
        EngineError,
        EngineGoneError,
        EngineRefusedError,
        EngineRulesError,
        PlayResult,
        open_engine,
        open_engine_async,
    )
    from fiedler.curve import training_curve
    from fiedler.games import GAMES, Game
    from fiedler.games.errors import IllegalMoveError, PositionError
    from fiedler.games.registry import game
    from fiedler.graph import meeting_graph, played_graph
    from fiedler.matches import MatchGame, MatchResult, match
    from fiedler.native import Position
    from fiedler.protocol import Info, Limit
    from fiedler.ratings import rate
    from fiedler.runs import RunGame, played_games
    from fiedler.support.errors import UsageError

__all__ = [
    "GAMES",
    "AsyncEngine",
    "Board",
    "Engine",
    "EngineError",
    "EngineGoneError",
    "EngineRefusedError",
    "EngineRulesError",
    "Game",
    "IllegalMoveError",
    "Info",
    "Limit",
    "MatchGame",
    "MatchResult",
    "PlayResult",
    "Position",
    "PositionError",
    "RunGame",
    "UsageError",
    "game",
    "match",
    "meeting_graph",
    "open_engine",
    "open_engine_async",
    "played_games",
    "played_graph",
    "rate",
    "training_curve",
]

_HOMES = {
    "fiedler.client": (
        *("AsyncEngine", "Engine", "EngineError", "EngineGoneError", "EngineRefusedError", "EngineRulesError"),
        *("PlayResult", "open_engine", "open_engine_async"),
    ),
    "fiedler.board": ("Board",),
    "fiedler.curve": ("training_curve",),
    "fiedler.graph": ("meeting_graph", "played_graph"),
    "fiedler.matches": ("MatchGame", "MatchResult", "match"),
    "fiedler.ratings": ("rate",),
    "fiedler.runs": ("RunGame", "played_games"),
    "fiedler.games": ("GAMES", "Game", "game"),
    "fiedler.games.errors": ("IllegalMoveError", "PositionError"),
    "fiedler.native": ("Position",),
    "fiedler.protocol": ("Info", "Limit"),
    "fiedler.support.errors": ("UsageError",),
}
"""The modules of the names."""
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - of a module
    """Load a name."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
