"""The limit of a search, as a dialect can express it."""

from __future__ import annotations

from fiedler.protocol import DIALECTS, MAX_MS, Limit
from fiedler.support.errors import UsageError


def search_limit(given: Limit | float, protocol: str) -> Limit:
    """Return the limit of a search in a dialect; a number is its time in seconds.

    Raises:
        UsageError: It does not end, is out of range, or the dialect cannot express it.
    """
    limit = given if isinstance(given, Limit) else _time(given)
    if limit.infinite:
        raise UsageError("limit: expected one that ends, got infinite")
    values = {
        "depth": limit.depth,
        "nodes": limit.nodes,
        "movetime_ms": limit.movetime_ms,
        "base_ms": limit.p1time_ms if limit.p1time_ms is not None else limit.p2time_ms,
    }
    for name, value in values.items():
        if value is not None and name not in DIALECTS[protocol].limits:
            kind = "a clock" if name == "base_ms" else name
            raise UsageError(f"limit: protocol {protocol} cannot express {kind}")
    return limit


def search_seconds(limit: Limit, side: int) -> float:
    """Return the most seconds of a search of a side, 0 for the first: its time, or all of its clock."""
    clock = (limit.p1time_ms, limit.p2time_ms)[side]
    return (limit.movetime_ms or clock or 0) / 1000


def _time(seconds: float) -> Limit:
    """Return a limit of `seconds` for a move."""
    if not 0 < seconds <= MAX_MS / 1000:
        raise UsageError(f"limit: expected seconds above 0 and of at most {MAX_MS // 1000}, got {seconds}")
    return Limit(movetime_ms=max(1, round(1000 * seconds)))
