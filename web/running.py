"""The running games of a run, as viewers see them."""

from __future__ import annotations

from contextlib import suppress
from typing import NotRequired, TypedDict

import msgspec

from fiedler.games import AnyGame
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.game import Change
from fiedler.games.replay import Replay, replay
from fiedler.tournament.feeds.live_reader import LiveLine
from fiedler.tournament.run.live import Board

MOST = 32
"""Most games that the page of a run shows at a time."""


class RunningGame(Board, frozen=True, kw_only=True):
    """A running game with its picture; without `cells` a page lists moves."""

    cells: list[Change] | None = None
    """The cells with a piece, as cell and piece; null: the game has no board of cells."""
    last: int | None = None
    """The cell of the last move; null without one."""
    regions: str = ""
    """The signs of the regions, as in a replay."""
    lost: tuple[int, int] | None = None
    """The stones that each side has lost; null in games that do not count them."""


class RunningGamesNews(TypedDict):
    """What is new of the running games."""

    all: NotRequired[list[RunningGame]]
    """All of them, in place of those that a page had."""
    changed: NotRequired[list[RunningGame]]
    """Those with a new move."""
    ended: NotRequired[list[int]]
    """The numbers of those that are over."""


class RunningGames:
    """The positions of the running games, and those that changed since the last look."""

    def __init__(self) -> None:
        self.game: AnyGame | None = None
        """The game that is played; None if it is not known here."""
        self.boards: dict[int, Board] = {}
        """By the number of the game."""
        self._shown = set[int]()
        self._changed: dict[int, Board] = {}
        self._ended: list[int] = []

    @property
    def shown(self) -> list[RunningGame]:
        """The games that the page of the run shows."""
        return [self.picture(board) for number, board in self.boards.items() if number in self._shown]

    def picture(self, board: Board) -> RunningGame:
        """Return a board with its picture."""
        plain = RunningGame(**msgspec.structs.asdict(board))
        if self.game is not None and self.game.has_cells:
            with suppress(IllegalMoveError, PositionError):
                return _drawn(plain, self.game, replay(self.game, board.moves, board.start, words=False))
        return plain

    def receive(self, line: LiveLine) -> None:
        """Take the new positions, and remove the games that have ended."""
        for number in line.ended:
            self._remove(number)
        for board in line.tables:
            self.boards[board.number] = self._changed[board.number] = board
            if len(self._shown) < MOST:
                self._shown.add(board.number)

    def clear(self) -> None:
        """Remove all games: no manager is at work."""
        for number in list(self.boards):
            self._remove(number)

    def take(self, game: int = 0) -> RunningGamesNews:
        """Return the changes of the games that are shown, or of one game: `changed` boards, `ended` numbers."""
        seen = {game} if game else self._shown
        changed = [self.picture(board) for number, board in self._changed.items() if number in seen]
        return {"changed": changed, "ended": [number for number in self._ended if game in (0, number)]}

    def forget(self) -> None:
        """Begin with the next changes."""
        self._changed, self._ended = {}, []

    def _remove(self, number: int) -> None:
        if self.boards.pop(number, None) is not None:
            self._shown.discard(number)
            self._changed.pop(number, None)
            self._ended.append(number)


def _drawn(board: RunningGame, game: AnyGame, found: Replay) -> RunningGame:
    """Return a board with the picture of its position."""
    pieces = [(cell, piece) for cell, piece in enumerate(found.last_cells) if piece]
    changes = found.changes[-1] if found.changes else ()
    return msgspec.structs.replace(
        board,
        cells=pieces,
        last=changes[0][0] if changes else None,
        regions=found.regions[-1] if found.regions else "",
        lost=found.lost if game.has_area else None,
    )
