"""The programs of a simulation: a player of tic-tac-toe, and a table process. Their pipes are queues of bytes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from typing import Protocol

from fiedler import games
from fiedler.tournament.run import table_process
from tests.simulated.virtual_loop import Process

GAME = games.any_game("tictactoe")
MOVE_S = (*(0.2, 1.0, 2.0, 3.0) * 5, 12.0)
"""The times of a move, in seconds, where a move has a time: the last one is too late."""
CLOCK_S = (0.2, 0.2, 3.0, 6.0)
"""Where a game has one: all moves together may be too late."""


class Program(Protocol):
    """What runs in a process."""

    def receive(self, data: bytes) -> None:
        """Take bytes of the standard input; none at its end."""


class Output:
    """The writing end of standard output."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.write = write


class Player:
    """A player over UGI. Its move depends on the position and the seed of its game alone.

    So does its time where a move or the game has one, and sometimes it is late; otherwise its time depends on chance.
    """

    def __init__(self, process: Process, output: Output, think_s: Callable[[], float], *, broken: bool) -> None:
        self._process = process
        self._output = output
        self._think_s = think_s
        self._broken = broken
        self._unread = b""
        self._seed = "0"
        self._moves: list[str] = []

    def receive(self, data: bytes) -> None:
        if not data:
            self._process.die(0)
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            if not self._process.is_dead:
                self._obey(line.decode().split())

    def _obey(self, words: list[str]) -> None:
        match words:
            case ["ugi"]:
                asyncio.get_running_loop().call_later(self._think_s() / 4, self._introduce)
            case ["isready"]:
                self._say("readyok")
            case ["setoption", "name", "seed", "value", number]:
                self._seed = number
            case ["position", "startpos", *rest]:
                self._moves = rest[1:]
            case ["query", "position"]:
                self._say(f"response {GAME.position()}")
            case ["go", *_] if self._broken:
                self._process.die(-6)
            case ["go", *limit]:
                asyncio.get_running_loop().call_later(self._seconds(limit), self._move)
            case ["quit"]:
                self._process.die(0)

    def _introduce(self) -> None:
        self._say("id name simulated\nid author Fiedler")
        self._say("option name seed type spin default 0 min 0 max 2147483647\nugiok")

    def _seconds(self, limit: list[str]) -> float:
        if "movetime" in limit:
            return MOVE_S[self._draw("time") % len(MOVE_S)]
        if "p1time" in limit:
            return CLOCK_S[self._draw("time") % len(CLOCK_S)]
        return self._think_s()

    def _move(self) -> None:
        position = GAME.position(moves=self._moves)
        legal = sorted(position.move_text(move) for move in position.legal_moves())
        self._say(f"bestmove {legal[self._draw('move') % len(legal)]}")

    def _draw(self, what: str) -> int:
        """Return a number of 32 bits."""
        words = f"{what} {self._seed} {' '.join(self._moves)}"
        return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4])

    def _say(self, text: str) -> None:
        self._output.write(f"{text}\n".encode())


class TableProgram:
    """The table process of a node, with its own code."""

    def __init__(self, process: Process, output: Output) -> None:
        self._process = process
        self._portions = asyncio.Queue[bytes]()
        self._task = asyncio.get_running_loop().create_task(self._run(output), context=process.context)

    async def _run(self, output: Output) -> None:
        await table_process.work(self._portions, output)
        self._process.die(0)

    def receive(self, data: bytes) -> None:
        self._portions.put_nowait(data)
