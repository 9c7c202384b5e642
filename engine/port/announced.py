"""Lists of the engines that announce themselves at a broker."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from fiedler.support.errors import printable
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.connection import require_library
from fiedler.support.mqtt.engines import AnnouncedEngine, find_engines

HEADINGS = ("engine", "state", "sessions", "game", "player", "address", "needs")


def announced_engines(broker: Broker, game: str | None, seconds: float) -> list[AnnouncedEngine]:
    """Return the engines of a game, or all, ordered by id; waits this time for the first one."""
    require_library()

    def wanted(engines: Mapping[str, AnnouncedEngine]) -> list[AnnouncedEngine]:
        return [one for one in engines.values() if game in (None, one.info.game)]

    return wanted(asyncio.run(find_engines(broker, seconds, lambda engines: bool(wanted(engines)))))


def listed_engines(found: Sequence[AnnouncedEngine]) -> list[dict[str, Any]]:
    """Return engines for JSON: the id, and the fields of both payloads."""
    return [{"id": one.id} | msgspec.to_builtins(one.info) | msgspec.to_builtins(one.state) for one in found]


def engine_table(found: Sequence[AnnouncedEngine]) -> str:
    """Return engines as readable lines."""
    rows = [HEADINGS, *map(_row, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(lines) if found else "no engine"


def _row(one: AnnouncedEngine) -> tuple[str, ...]:
    info, state = one.info, one.state
    needs = [word for word, is_needed in (("token", info.token), ("TLS", info.tls)) if is_needed]
    sessions = f"{state.sessions} of {state.sessions_max}"
    cells = (one.id, state.state, sessions, info.game, info.player, info.address, ", ".join(needs))
    return tuple(printable(cell) for cell in cells)
