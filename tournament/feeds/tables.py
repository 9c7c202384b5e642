"""Running games at tables: each game has a table of its own while it runs, the lowest that is free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fiedler.tournament.feeds.live_reader import LiveLine
from fiedler.tournament.run.live import Board

REFRESH_S = 20.0
"""Seconds after which the position of a running game is published again: the broker forgets it after 60 s."""


class Tables:
    """The tables of a run, numbered from 1, as many as there are games at the same time.

    Only `live.sock` fills and frees them: its lines and those of the log may be apart by seconds.
    """

    def __init__(self) -> None:
        self._games: dict[int, Board] = {}
        """The game at each table."""
        self._changed: dict[int, Board] = {}
        """The last position at each table, until it is published."""
        self._due: dict[int, float] = {}
        """The time of the next publication of a position without a new move."""
        self._retained = set[int]()
        """The tables that the broker retains."""
        self._shown = set[int]()
        """Those of them that are of this manager."""

    def receive(self, line: LiveLine) -> None:
        """Free the tables of the games that have ended, and take the new positions."""
        self._games = {table: board for table, board in self._games.items() if board.number not in line.ended}
        for board in line.tables:
            table = self._table(board.number)
            self._games[table] = self._changed[table] = board

    def clear(self) -> None:
        """Free all tables: the manager has left."""
        self._games.clear()
        self._changed.clear()
        self._due.clear()
        self._shown.clear()

    def publish_again(self, retained: Iterable[int]) -> None:
        """Publish everything on a new connection; the broker retains these tables of an earlier one."""
        self._due.clear()
        self._retained.update(retained)

    def take(self, now: float) -> Iterator[tuple[int, Board]]:
        """Yield the positions to publish, with their tables."""
        late = {table: board for table, board in self._games.items() if now >= self._due.get(table, now)}
        changed, self._changed = late | self._changed, {}
        for table, board in changed.items():
            self._due[table] = now + REFRESH_S
            self._shown.add(table)
            self._retained.add(table)
            yield table, board

    def remove(self, *, everything: bool = False) -> Iterator[int]:
        """Yield the tables to remove from the broker: those that no manager has filled, or `everything`."""
        for table in sorted(self._retained if everything else self._retained - self._shown):
            yield table
            self._retained.discard(table)
            self._shown.discard(table)

    def _table(self, number: int) -> int:
        for table, board in self._games.items():
            if board.number == number:
                return table
        return next(table for table in range(1, len(self._games) + 2) if table not in self._games)
