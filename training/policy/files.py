"""The games of the files of a recipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from fiedler.games import Game
from fiedler.games.record import RecordedGame, refused
from fiedler.games.records import read
from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.training.policy.recipe import FilesTable

WRONG = "wrong"
"""The reason of games with an error in their file."""
FIRST = 3
"""The places that are shown for each reason."""


class FileGames:
    """Reads the files of the table `[files]`."""

    def __init__(self, game: Game, table: FilesTable) -> None:
        """Find the files.

        Raises:
            UsageError: A pattern has no file.
        """
        self._game = game
        self._table = table
        self._paths: list[Path] = []
        self.left_out: dict[str, list[str]] = {}
        """The games that were left out, by reason: their places in the files, and the errors of wrong ones."""
        for pattern in table.paths:
            found = sorted(_matching(Path(pattern)))
            if not found:
                raise UsageError(f"files.paths: no file {pattern!r} here")
            self._paths += found

    def games(self) -> Iterator[RecordedGame]:
        """Yield the games to learn.

        Raises:
            UsageError: A file cannot be read; or a game is wrong, and `skip_wrong` is not set.
        """
        self.left_out.clear()
        on_wrong = self._skip if self._table.skip_wrong else refused
        for path in self._paths:
            for one in read(path, self._game, on_wrong, partial(self._leave, "no moves")):
                reason = self._reason(one)
                if reason:
                    self._leave(reason, one.place)
                else:
                    yield one

    @property
    def wrong(self) -> list[str]:
        """The errors of the wrong games that were left out."""
        return self.left_out.get(WRONG, [])

    @property
    def about_left_out(self) -> list[str]:
        """A line for each reason: the number of games and the first places."""
        return [
            f"{counted(len(places), 'game')} left out: {reason} ({'; '.join(_first(places))})"
            for reason, places in self.left_out.items()
        ]

    def _reason(self, one: RecordedGame) -> str:
        """Return why a sound game is not learned; empty if it is."""
        if not one.moves:
            return "no moves"
        if one.result is None:
            return "no result"
        return "" if one.finished or self._table.unfinished else "not ended by the rules, and unfinished = false"

    def _skip(self, error: UsageError) -> None:
        self._leave(WRONG, str(error))

    def _leave(self, reason: str, place: str) -> None:
        self.left_out.setdefault(reason, []).append(place)


def _first(places: Sequence[str]) -> list[str]:
    return [*places[:FIRST], "…"] if len(places) > FIRST else [*places]


def _matching(pattern: Path) -> Iterator[Path]:
    """Yield the files of a pattern."""
    return Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))
