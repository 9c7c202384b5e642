"""The native core: games as small values, searches as templates over them (C++20)."""

from native._core import (
    IllegalMoveError,
    Limits,
    Mcts,
    Negamax,
    Position,
    PositionError,
    SearchInfo,
    StopFlag,
    choose_hsp,
    choose_osp,
    games,
    perft,
    rollouts,
)

GAMES: tuple[str, ...] = tuple(games())

__all__ = [
    "GAMES",
    "IllegalMoveError",
    "Limits",
    "Mcts",
    "Negamax",
    "Position",
    "PositionError",
    "SearchInfo",
    "StopFlag",
    "choose_hsp",
    "choose_osp",
    "games",
    "perft",
    "rollouts",
]
