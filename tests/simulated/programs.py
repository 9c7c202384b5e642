"""The programs of a simulation: a player of tic-tac-toe, and a table process. Their pipes are queues of bytes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from typing import Protocol

import games
from tests.simulated.virtual_loop import Process
from tournament.run import table_process

GAME = games.any_game("tictactoe")


class Program(Protocol):
    """What runs in a process."""

    def receive(self, data: bytes) -> None:
        """Take bytes of the standard input; none at its end."""


class Output:
    """The writing end of standard output."""

    def __init__(self, write: Callable[[bytes], None]) -> None:
        self.write = write


class Player:
    """A player over UGI. Its move depends on the position and the seed of its game alone, its time on chance."""

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
                self._say("id name simulated\nid author Fiedler")
                self._say("option name seed type spin default 0 min 0 max 2147483647\nugiok")
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
            case ["go", *_]:
                asyncio.get_running_loop().call_later(self._think_s(), self._move)
            case ["quit"]:
                self._process.die(0)

    def _move(self) -> None:
        position = GAME.position(moves=self._moves)
        legal = sorted(position.move_text(move) for move in position.legal_moves())
        words = f"{self._seed} {' '.join(self._moves)}"
        number = int.from_bytes(hashlib.sha256(words.encode()).digest()[:4])
        self._say(f"bestmove {legal[number % len(legal)]}")

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
