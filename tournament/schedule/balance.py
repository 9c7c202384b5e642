"""`[openings] balance`: the evaluator of openings, and the limit of its search."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, NoReturn

import protocol

LIMITS = {"depth": protocol.MAX_DEPTH, "nodes": protocol.MAX_NODES}
"""The settings of `balance` that limit the search, with their largest values."""


class Balance(NamedTuple):
    """The player, limit and settings of `balance = "PLAYER key=value …"`."""

    player: str
    limit: protocol.Limit
    options: dict[str, str]


def read_balance(text: str, refuse: Callable[[str], NoReturn]) -> Balance:
    """Read `PLAYER key=value …`; at least one of `depth` and `nodes` limits the search.

    A limit of time and several threads are refused, because a schedule must give the same openings on every machine.
    """
    player, *settings = text.split() or [""]
    values = dict(setting.partition("=")[::2] for setting in settings)
    if not player or "=" in player or not all(name and value for name, value in values.items()):
        refuse(f"expected a player and its settings, as 'negamax depth=8', got {text!r}")
    if values.get("threads", "1") != "1":
        refuse(f"expected threads=1, since more threads are not reproducible, got threads={values['threads']}")
    limits = {name: _limit(name, values.pop(name), refuse) for name in LIMITS if name in values}
    if not limits:
        refuse(f"expected depth=N or nodes=N, which limits the search, got {text!r}")
    return Balance(player, protocol.Limit(depth=limits.get("depth"), nodes=limits.get("nodes")), values)


def _limit(name: str, text: str, refuse: Callable[[str], NoReturn]) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:20]) <= LIMITS[name]):
        refuse(f"expected a whole number from 1 to {LIMITS[name]} after {name}=, got {text!r}")
    return int(text)
