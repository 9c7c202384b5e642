"""Engines of any dialect, over pipes or TCP, for programs and notebooks."""

from client.async_engine import AsyncEngine, PlayResult, open_engine_async
from client.engine import Engine, open_engine
from client.errors import EngineError, EngineGoneError, EngineRefusedError, EngineRulesError
from client.line import MovesFromStart

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
