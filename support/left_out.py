"""The games that a reader left out: how many, why and where. No game vanishes without a count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fiedler.support.text import counted, lines_text

MOST_LINES = 3
"""The lines of a file that are kept for each reason, the first ones."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The games of a file that were left out for one reason."""

    file: str
    reason: str
    games: int
    lines: tuple[int, ...] = ()
    """The first lines with such a game; empty in a format without lines."""

    def text(self) -> str:
        """Return `FILE: 5 games left out: no result (lines 3, 9, 15 …)`."""
        where = f" ({lines_text(self.lines, self.games)})" if self.lines else ""
        return f"{self.file}: {counted(self.games, 'game')} left out: {self.reason}{where}"

    def document(self) -> dict[str, Any]:
        """Return the object of a JSON document; `line` is the first one, or null."""
        line = self.lines[0] if self.lines else None
        return {"file": self.file, "line": line, "reason": self.reason, "games": self.games}


class Leaving:
    """Counts the games of a file that are left out, by reason."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._found: dict[str, tuple[int, tuple[int, ...]]] = {}

    def add(self, reason: str, line: int | None = None) -> None:
        """Leave out one game."""
        games, lines = self._found.get(reason, (0, ()))
        if line is not None and len(lines) < MOST_LINES:
            lines = (*lines, line)
        self._found[reason] = (games + 1, lines)

    @property
    def all(self) -> tuple[LeftOut, ...]:
        """The reasons in the order of their first game."""
        return tuple(LeftOut(self._file, reason, *counts) for reason, counts in self._found.items())


def total(left_out: Sequence[LeftOut]) -> int:
    """Return the number of games."""
    return sum(one.games for one in left_out)
