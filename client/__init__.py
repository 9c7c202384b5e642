"""Engines of any dialect, over pipes or TCP, for programs and notebooks.

Names are loaded when they are used: a command that only starts or calls a program needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fiedler.client.async_engine import AsyncEngine, open_engine_async
    from fiedler.client.engine import Engine, open_engine
    from fiedler.client.errors import EngineError, EngineGoneError, EngineRefusedError, EngineRulesError
    from fiedler.client.line import MovesFromStart
    from fiedler.client.search_result import PlayResult

__all__ = [
    "AsyncEngine",
    "Engine",
    "EngineError",
    "EngineGoneError",
    "EngineRefusedError",
    "EngineRulesError",
    "MovesFromStart",
    "PlayResult",
    "open_engine",
    "open_engine_async",
]

_HOME_OF = {
    "AsyncEngine": "async_engine",
    "open_engine_async": "async_engine",
    "Engine": "engine",
    "open_engine": "engine",
    "EngineError": "errors",
    "EngineGoneError": "errors",
    "EngineRefusedError": "errors",
    "EngineRulesError": "errors",
    "MovesFromStart": "line",
    "PlayResult": "search_result",
}
"""The modules of the names."""


def __getattr__(name: str) -> Any:  # noqa: ANN401 - of a module
    """Load a name."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"fiedler.client.{_HOME_OF[name]}"), name)
