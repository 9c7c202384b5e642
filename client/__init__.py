"""Engines of any dialect, over pipes or TCP, for programs and notebooks."""

from client.async_engine import AsyncEngine, open_engine_async
from client.engine import Engine, open_engine
from client.errors import EngineError, EngineGoneError, EngineRefusedError, EngineRulesError
from client.line import MovesFromStart
from client.search_result import PlayResult

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
