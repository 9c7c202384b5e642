"""The native core: games as small values, searches as templates over them (C++20).

It is built once for every machine and once more for each x86-64 level that makes a difference; the best that runs here
is taken. The environment variable FIEDLER_LEVEL names another one: `baseline`, `v3` or `v4`.
"""

from __future__ import annotations

import importlib
import os
import sys

from native import _cpu


def _load() -> str:
    """Make the best build of the core known as `native._core`; return its level."""
    levels = ("baseline", "v3", "v4")
    best = os.environ.get("FIEDLER_LEVEL") or _cpu.level()
    if best not in levels:
        raise ImportError(f"FIEDLER_LEVEL: expected one of {', '.join(levels)}, got {best!r}")
    for level in reversed(levels[1 : levels.index(best) + 1]):
        try:
            core = importlib.import_module(f"native._core_{level}")
        except ModuleNotFoundError:
            continue
        sys.modules["native._core"] = core
        return level
    return "baseline"


LEVEL = _load()
"""The x86-64 level of the build in use."""

from native._core import (  # noqa: E402
    Batcher,
    BatcherStats,
    EvaluationError,
    Exchange,
    IllegalMoveError,
    Limits,
    Mcts,
    Negamax,
    Position,
    PositionError,
    Puct,
    RootMove,
    Samples,
    SearchInfo,
    SelfPlay,
    SelfPlayStats,
    StopFlag,
    choose_hsp,
    choose_osp,
    forced_win,
    games,
    order_units,
    perft,
    rollouts,
)

GAMES: tuple[str, ...] = tuple(games())

__all__ = [
    "GAMES",
    "LEVEL",
    "Batcher",
    "BatcherStats",
    "EvaluationError",
    "Exchange",
    "IllegalMoveError",
    "Limits",
    "Mcts",
    "Negamax",
    "Position",
    "PositionError",
    "Puct",
    "RootMove",
    "Samples",
    "SearchInfo",
    "SelfPlay",
    "SelfPlayStats",
    "StopFlag",
    "choose_hsp",
    "choose_osp",
    "forced_win",
    "games",
    "order_units",
    "perft",
    "rollouts",
]
