"""From lines to turns: the opponent's move, and in rowcol-list the legal moves after it."""

from dataclasses import dataclass

from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.rowcol.cell import FIRST, SIDE, is_cell, read_cell
from fiedler.protocol.words import number, quoted


@dataclass(frozen=True, slots=True)
class Turn:
    """The lines of the manager before a move of the player."""

    cell: str
    """The opponent's move, `ROW COLUMN` or FIRST."""
    legal: tuple[str, ...] | None = None
    """The legal moves after it, `ROW COLUMN` each; None in rowcol."""


class TurnReader:
    """Collects the lines of a turn. A bad line drops the whole turn, with the rest of its list."""

    def __init__(self, *, with_list: bool) -> None:
        self._with_list = with_list
        self._cell: str | None = None
        self._listed: list[str] = []
        self._left = 0
        """Lines of the list that are still to come."""
        self._bad = False
        """Whether the turn is dropped and the rest of its list is skipped."""

    @property
    def is_begun(self) -> bool:
        """Whether some lines of a turn have come, but not all."""
        return self._cell is not None or self._left > 0

    def take(self, line: str) -> Turn | None:
        """Take a line; return the turn that it completes.

        Raises:
            RemoteProtocolError: The line is wrong; its turn is dropped.
        """
        if not self._with_list:
            return Turn(read_cell(line, first=True))
        if self._left:
            return self._take_listed(line)
        if self._cell is not None:
            return self._take_count(line)
        self._cell = read_cell(line, first=True)
        return None

    def drop(self) -> None:
        """Drop the turn: a line of it is wrong."""
        self._cell = None
        if self._left:
            self._left -= 1
            self._bad = self._left > 0

    def _take_count(self, line: str) -> Turn | None:
        """Take the length of the list. A cell in its place begins another turn: a lost line costs one turn."""
        count = number(line.strip())
        if count is None or not 0 <= count <= SIDE * SIDE:
            self._cell = read_cell(line, first=True) if is_cell(line) else None
            wrong = f"expected the number of legal moves, from 0 to {SIDE * SIDE}, got {quoted(line.strip())}"
            raise RemoteProtocolError(wrong)
        self._left, self._listed, self._bad = count, [], False
        return None if count else self._complete()

    def _take_listed(self, line: str) -> Turn | None:
        if self._bad:
            self.drop()
            return None
        try:
            self._listed.append(read_cell(line))
        except RemoteProtocolError:
            self.drop()
            raise
        self._left -= 1
        return None if self._left else self._complete()

    def _complete(self) -> Turn:
        turn = Turn(self._cell or FIRST, tuple(self._listed))
        self._cell = None
        return turn
