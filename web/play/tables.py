"""The games under way on a server: a bounded number, each until it is left alone for a while."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from fiedler.games import Game
from fiedler.protocol import Limit
from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.commands.serve_options import PER_ADDRESS
from fiedler.web.play.engines import EnginePool
from fiedler.web.play.game import PlayedGame
from fiedler.web.play.people import RATED_MS, People
from fiedler.web.play.table import Contestants, PlayTable

MOST = 64
"""The most games under way."""
IDLE_S = 15 * 60.0
"""Seconds without a page or a request, after which a game is closed."""
SWEEP_S = 15.0
"""Seconds between two looks for such games."""
LEFT_S = 60.0
"""Seconds without a page or a request, after which a game makes room for another one of its address."""
YOU = "you"
"""A person without a name."""
NOT_KEPT = "Not rated: the server cannot keep the game."
log = logging.getLogger(__name__)


class FullError(UsageError):
    """There is no room for another game."""


class PlayTables:
    """The games by their keys, which nobody can guess."""

    def __init__(self, people: People, idle_s: float = IDLE_S, most_per_address: int = PER_ADDRESS) -> None:
        self._tables: dict[str, PlayTable] = {}
        self._people = people
        self._idle_s = idle_s
        self._most_per_address = most_per_address
        self._engines = EnginePool()
        self._group = asyncio.TaskGroup()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take games; at the end all of them are closed, and their engines end."""
        async with self._engines.running(), asyncio.TaskGroup() as self._group:
            sweeping = self._group.create_task(self._sweep())
            try:
                yield
            finally:
                sweeping.cancel()
                await self.close()

    async def close(self) -> None:
        """Close all games; their streams end."""
        tables, self._tables = self._tables, {}
        for table in tables.values():
            await _closed(table)

    @property
    def count(self) -> int:
        """The number of games under way."""
        return len(self._tables)

    @property
    def streams(self) -> int:
        """The number of their open streams."""
        return sum(table.streams for table in self._tables.values())

    def find(self, key: str) -> PlayTable | None:
        """Return a game; None if there is none, or it was closed."""
        return self._tables.get(key)

    def begin(self, game: Game, seats: Contestants, limit: Limit, person: str, address: str = "") -> PlayTable:
        """Begin a game; `person` is the name that was typed, or empty.

        `address` is that of the visitor, empty for this machine. At its limit a game of its own that is over, or that
        no page shows any more, makes room.

        Raises:
            FullError: There are too many games.
        """
        self._make_room(address)
        if len(self._tables) >= MOST:
            raise FullError(f"{MOST} games are under way here, which is the most; try again later")
        names = tuple(offer.name if (offer := seats[side]) is not None else person or YOU for side in (0, 1))
        key = secrets.token_urlsafe(12)
        played = PlayedGame(game, (names[0], names[1]), person=seats.person, level=_in_words(limit))
        table = PlayTable(key, played, seats, limit, self._engines, self._spawn)
        table.address = address
        if person:
            table.on_end = lambda ended: self._rate(ended, person)
        self._tables[key] = table
        return table

    async def remove(self, table: PlayTable) -> None:
        """Close a game and forget it."""
        self._tables.pop(table.key, None)
        await _closed(table)

    def _make_room(self, address: str) -> None:
        """Close a game of an address that has as many as it may; raises FullError if all of them are under way."""
        own = [table for table in self._tables.values() if table.address == address] if address else []
        if len(own) < self._most_per_address:
            return
        left_before = asyncio.get_running_loop().time() - LEFT_S
        spare = [one for one in own if one.game.is_over or (not one.is_watched and one.seen < left_before)]
        if not spare:
            most = counted(self._most_per_address, "game")
            are = "is" if self._most_per_address == 1 else "are"
            raise FullError(f"{most} of your address {are} under way here, which is the most; close one first")
        oldest = min(spare, key=lambda one: one.seen)
        del self._tables[oldest.key]
        self._spawn(_closed(oldest))

    def _rate(self, table: PlayTable, person: str) -> None:
        """Count a game for the person's rating, once, if it was played at the level of the ratings without help."""
        side = table.seats.person
        offer = None if side is None else table.seats[1 - side]
        if table.note or side is None or offer is None or offer.elo is None:
            return
        if table.helped or table.limit != Limit(movetime_ms=RATED_MS):
            table.note = "Not rated: a move was taken back, a hint was asked for, or the level is another one."
            return
        table.note = "…"
        score = {"1-0": 1.0, "0-1": 0.0}.get(table.game.result, 0.5)
        self._spawn(self._record(table, person, offer.name, offer.elo, 1.0 - score if side else score))

    async def _record(self, table: PlayTable, person: str, opponent: str, elo: float, score: float) -> None:
        game = table.game.game.id
        try:
            rating = await asyncio.to_thread(self._people.add, person, game, opponent, elo, score)
            table.note = f"{person}: {rating}"
        except (sqlite3.Error, OSError) as error:
            log.warning("the games of people cannot be kept: %s", error)
            table.note = NOT_KEPT
        except Exception:
            table.note = NOT_KEPT
            raise
        finally:
            table.changed()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(min(SWEEP_S, self._idle_s))
            await self._end_idle()

    async def _end_idle(self) -> None:
        """Close the games without a page or a request for a while."""
        idle_since = asyncio.get_running_loop().time() - self._idle_s
        for table in [one for one in self._tables.values() if not one.is_watched and one.seen < idle_since]:
            await self.remove(table)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task of one game, which ends with the server; the other games outlive a failure of it."""
        task = self._group.create_task(_logged(work))
        task.add_done_callback(lambda _: work.close())  # one that was cancelled before its start
        return task


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception:
        log.exception("a game failed")


async def _closed(table: PlayTable) -> None:
    """Close a table; the other games and the server outlive a failure."""
    try:
        await table.close()
    except Exception:
        log.exception("closing a game of %s", table.game.game.id)


def _in_words(limit: Limit) -> str:
    """Return the limit of a move, such as `0.1 s a move`; a time beside nodes is only their bound."""
    if limit.nodes is not None:
        return f"{limit.nodes:,} node{'s' * (limit.nodes != 1)} a move"
    return f"{(limit.movetime_ms or 0) / 1000:g} s a move"
