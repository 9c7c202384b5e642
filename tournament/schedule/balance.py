"""`[openings] balance`: the evaluator of openings, and the limit of its search."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from fiedler import protocol
from fiedler.support.errors import UsageError
from fiedler.support.player_spec import PlayerSpec, read_player

LIMITS = {"depth": protocol.MAX_DEPTH, "nodes": protocol.MAX_NODES}
"""The settings of `balance` that limit the search, with their largest values."""


class Balance(NamedTuple):
    """The player and the limit of `balance = "PLAYER key=value …"`."""

    player: PlayerSpec
    limit: protocol.Limit


def read_balance(text: str) -> Balance:
    """Read `PLAYER key=value …`; at least one of `depth` and `nodes` limits the search.

    A limit of time and several threads are refused, because a schedule must give the same openings on every machine.

    Raises:
        UsageError: the text is wrong.

    """
    player = read_player(text)
    values = dict(player.options)
    if (threads := values.get("threads", "1")) != "1":
        raise UsageError(f"expected threads=1, since more threads are not reproducible, got threads={threads}")
    limits = {name: _limit(name, values.pop(name)) for name in LIMITS if name in values}
    if not limits:
        raise UsageError(f"expected depth=N or nodes=N, which limits the search, got {text!r}")
    limit = protocol.Limit(depth=limits.get("depth"), nodes=limits.get("nodes"))
    return Balance(replace(player, options=values), limit)


def _limit(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:20]) <= LIMITS[name]):
        raise UsageError(f"expected a whole number from 1 to {LIMITS[name]} after {name}=, got {text!r}")
    return int(text)
