"""Running games at tables: each game has a table of its own while it runs, the lowest that is free."""

from __future__ import annotations

from collections.abc import Iterator

from tournament.run.live import Board


class Tables:
    """The tables of a run, numbered from 1.

    Positions and ends of games come by two ways: a game keeps its table until its end is read, so that on a busy machine
    there may be more tables than games at the same time.
    """

    def __init__(self) -> None:
        self._games: dict[int, int] = {}
        """The game at each table, by its number in the schedule."""
        self._waiting: dict[int, Board] = {}
        """The last position of each game, if it is not published yet."""
        self._ended: set[int] = set()
        self.used: set[int] = set()
        """The tables that have been published and not removed."""

    def show(self, board: Board) -> None:
        """Take a position; the latest of each game counts, and none after its end."""
        if board.number not in self._ended:
            self._waiting[board.number] = board

    def begin(self, number: int) -> None:
        """Expect positions of a game, perhaps once more."""
        self._ended.discard(number)

    def end(self, number: int) -> None:
        """Free the table of a game."""
        self._ended.add(number)
        self._waiting.pop(number, None)
        self._games = {table: game for table, game in self._games.items() if game != number}

    def clear(self) -> None:
        """Free all tables."""
        self._waiting.clear()
        self._games.clear()

    def take(self) -> Iterator[tuple[int, Board]]:
        """Yield the positions that are not published yet, with their tables."""
        waiting, self._waiting = self._waiting, {}
        tables = {game: table for table, game in self._games.items()}
        for number, board in waiting.items():
            if (table := tables.get(number)) is None:
                table = next(one for one in range(1, len(self._games) + 2) if one not in self._games)
                self._games[table] = number
            self.used.add(table)
            yield table, board
