"""The games of the files of a recipe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from games import Game
from games.record import RecordedGame, refused
from games.records import read
from support.errors import UsageError
from training.policy.recipe import FilesTable


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
        self.wrong: list[UsageError] = []
        """The errors of the games that were left out."""
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
        self.wrong.clear()
        on_wrong = self.wrong.append if self._table.skip_wrong else refused
        for path in self._paths:
            for one in read(path, self._game, on_wrong):
                if one.moves and one.result is not None and (one.finished or self._table.unfinished):
                    yield one


def _matching(pattern: Path) -> Iterator[Path]:
    """Yield the files of a pattern."""
    return Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))
