"""The native core: games as small values, searches as templates over them (C++20).

An installation has one or more builds of it (`native/levels.py`). The best that runs here is loaded, or the one
that the environment variable FIEDLER_LEVEL names.
"""

from __future__ import annotations

import importlib
import os
import sys
from importlib.util import find_spec

from fiedler.native import _cpu
from fiedler.native.levels import LEVELS, SANITIZED, choose

BUILDS: tuple[str, ...] = tuple(level for level in (*LEVELS, SANITIZED) if find_spec(f"fiedler.native._core_{level}"))
"""The installed builds of the core."""

LEVEL: str = choose(BUILDS, _cpu.level(), os.environ.get("FIEDLER_LEVEL", ""))
"""The build in use."""

sys.modules["fiedler.native._core"] = importlib.import_module(f"fiedler.native._core_{LEVEL}")

from fiedler.native._core import (  # noqa: E402
    Batcher,
    BatcherStats,
    BestFirst,
    CellNet,
    DescentPlay,
    DescentPlayStats,
    EvaluationError,
    Exchange,
    IllegalMoveError,
    KeptTrees,
    KeptTreesStats,
    LabelPlay,
    LabelPlayStats,
    Limits,
    Mcts,
    Negamax,
    PatternNet,
    PgnCounter,
    Position,
    PositionError,
    Puct,
    RootMove,
    Samples,
    SearchInfo,
    SelfPlay,
    SelfPlayStats,
    StopFlag,
    cell_rows,
    choose_hsp,
    choose_osp,
    forced_win,
    games,
    order_units,
    pattern_inputs,
    pattern_sets,
    perft,
    rollouts,
)

GAMES: tuple[str, ...] = tuple(games())

__all__ = [
    "BUILDS",
    "GAMES",
    "LEVEL",
    "Batcher",
    "BatcherStats",
    "BestFirst",
    "CellNet",
    "DescentPlay",
    "DescentPlayStats",
    "EvaluationError",
    "Exchange",
    "IllegalMoveError",
    "KeptTrees",
    "KeptTreesStats",
    "LabelPlay",
    "LabelPlayStats",
    "Limits",
    "Mcts",
    "Negamax",
    "PatternNet",
    "PgnCounter",
    "Position",
    "PositionError",
    "Puct",
    "RootMove",
    "Samples",
    "SearchInfo",
    "SelfPlay",
    "SelfPlayStats",
    "StopFlag",
    "cell_rows",
    "choose_hsp",
    "choose_osp",
    "forced_win",
    "games",
    "order_units",
    "pattern_inputs",
    "pattern_sets",
    "perft",
    "rollouts",
]
