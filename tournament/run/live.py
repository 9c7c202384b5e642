"""Running games for watchers: `live.sock` in the folder of a run, JSON lines with the latest positions.

A ply costs nothing: with a watcher, the games are polled four times a second. A slow watcher does not delay games: each
has at most one line under way, and the next line has only the changes since.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from fiedler.games.game import START
from fiedler.tournament.run.run_socket import listening

FILE = "live.sock"
VERSION = 1
"""Version of the lines; it rises when a field changes its meaning or is removed."""
PERIOD_S = 0.25
"""Seconds between two looks at the games."""
MOST_WATCHERS = 64


class Board(Struct, frozen=True):
    """A running game at one moment."""

    number: int
    """Number of the game in the schedule, from 1."""
    id: str
    first: str
    second: str
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    """All moves, with those of the opening."""
    clock_ms: tuple[int, int] | None
    """Time left of each side after the last move; null without clocks."""
    to_move: int
    """0: the first player, 1: the second."""
    score: int | None
    """The last score of a player, in centipawns from its own view; null if there is none."""
    depth: int | None
    nps: int | None
    start: str = START
    """The position before the first move, in one word."""
    sides: str = ""
    """The side of each move, `0` or `1`; empty if they took turns from the first player on."""


class Boards:
    """The running games. Each has a function that returns its board; the cheap `ply` is called first."""

    def __init__(self) -> None:
        self._running: dict[int, tuple[Callable[[], int], Callable[[], Board]]] = {}
        self._watchers = 0
        self._on_watched: list[Callable[[], None]] = []

    @property
    def are_watched(self) -> bool:
        """Whether there are watchers."""
        return self._watchers > 0

    def when_watched(self, call: Callable[[], None]) -> None:
        """Call this when the first watcher comes or the last one leaves."""
        self._on_watched.append(call)

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Count a watcher."""
        self._count(1)
        try:
            yield
        finally:
            self._count(-1)

    def _count(self, more: int) -> None:
        before, self._watchers = self.are_watched, self._watchers + more
        if self.are_watched != before:
            for call in self._on_watched:
                call()

    @contextlib.contextmanager
    def showing(self, number: int, ply: Callable[[], int], board: Callable[[], Board]) -> Iterator[None]:
        """Show a game while it is played."""
        self._running[number] = ply, board
        try:
            yield
        finally:
            self.hide(number)

    def show(self, board: Board) -> None:
        """Show this board of a game until the next one or `hide`."""
        self._running[board.number] = lambda: len(board.moves), lambda: board

    def hide(self, number: int) -> None:
        """Stop showing a game, if it is shown."""
        self._running.pop(number, None)

    @property
    def plies(self) -> int:
        """The moves of all running games."""
        return sum(ply() for ply, _ in self._running.values())

    def ended(self, seen: dict[int, int]) -> list[int]:
        """Return the games in `seen` that are over, and remove them there."""
        over = sorted(seen.keys() - self._running.keys())
        for number in over:
            del seen[number]
        return over

    def changed(self, seen: dict[int, int]) -> list[Board]:
        """Return the boards with a new move, and update `seen`, the ply of each game."""
        found = []
        for number, (ply, board) in self._running.items():
            if seen.get(number) != (reached := ply()):
                seen[number] = reached
                found.append(board())
        return found


async def serve(folder: Path, boards: Boards) -> None:
    """Serve watchers until cancelled.

    Raises:
        OSError: the folder takes no socket.

    """
    with listening(folder, FILE) as listener:
        await _serve(listener, boards)


async def _serve(listener: socket.socket, boards: Boards) -> None:
    async with asyncio.TaskGroup() as group:
        watchers = set[asyncio.Task[None]]()

        def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if len(watchers) >= MOST_WATCHERS:
                writer.transport.abort()
                return
            task = group.create_task(_watched(reader, writer, boards))
            watchers.add(task)
            task.add_done_callback(watchers.discard)

        server = await asyncio.start_unix_server(come, sock=listener)
        async with server:
            await server.serve_forever()


async def _watched(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, boards: Boards) -> None:
    """Serve one watcher until it leaves: all games first, then the changed ones."""
    sending = asyncio.create_task(_send(writer, boards))
    try:
        while await reader.read(4096):  # input of a watcher is ignored
            pass
    except OSError:
        pass  # the connection broke
    finally:
        sending.cancel()
        await asyncio.wait({sending})
        writer.transport.abort()


async def _send(writer: asyncio.StreamWriter, boards: Boards) -> None:
    encoder = msgspec.json.Encoder()
    writer.transport.set_write_buffer_limits(high=0)  # a line leaves before the next one is made
    seen: dict[int, int] = {}
    ended, found = list[int](), boards.changed(seen)
    first = True
    with contextlib.suppress(OSError), boards.watched():
        while True:
            if found or ended or first:
                writer.write(encoder.encode({"v": VERSION, "tables": found, "ended": ended}) + b"\n")
                await writer.drain()
                first = False
            await asyncio.sleep(PERIOD_S)
            ended, found = boards.ended(seen), boards.changed(seen)
