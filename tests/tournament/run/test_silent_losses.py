"""Lines that are lost without a word: the manager and our own player notice, and the player returns to its game."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial

import pytest

from fiedler.engine.port.dial import Manager, dial
from fiedler.engine.port.server import Server
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.games import game
from fiedler.players import create
from fiedler.protocol.admission import Credentials
from fiedler.support.address import Address
from fiedler.support.errors import UsageError
from fiedler.support.keep_alive import LOSS_SECONDS
from fiedler.tournament.play.admission import Listening
from fiedler.tournament.run import manager
from tests.patience import PATIENCE, wait_until
from tests.players.misbehave import Player
from tests.sockets import go_dark, losses_at, losses_to, need_filters
from tests.tournament.line import free_port
from tests.tournament.schedules import Bench, Tables, example, player

NODES: Tables = {"nodes": 1, "startup_s": PATIENCE, "reconnect_s": PATIENCE}
RETRY_S = 0.1


class Vanishing(threading.Thread):
    """A player of tic-tac-toe that dials in, loses its line without a word at its second `go`, and dials in again."""

    def __init__(self, port: int, *, thinking: bool) -> None:
        """`thinking`: the line is lost before the answer, else right after it."""
        super().__init__(daemon=True)
        self._port = port
        self._thinking = thinking
        self.answers: list[str] = []
        """The answers to its first lines."""

    def run(self) -> None:
        with self._admitted() as first:
            self._vanish(first)
            with self._admitted() as second, second.makefile("r") as inputs, second.makefile("w") as outputs:
                Player("fine", 1, inputs, outputs).run()

    def _vanish(self, link: socket.socket) -> None:
        with link.makefile("r") as inputs, link.makefile("w") as outputs:
            playing = Player("fine", 1, inputs, outputs)
            for line in inputs:
                leaves = line.startswith("go") and playing.own_moves == 1
                if leaves and self._thinking:
                    break
                playing.do(line.split())
                if leaves:
                    break
            go_dark(link)

    @contextmanager
    def _admitted(self) -> Iterator[socket.socket]:
        """Dial until the manager admits the player."""
        while True:
            with connected(self._port) as link:
                link.sendall(b"player far -\n")
                answer = b""
                while not answer.endswith(b"\n"):
                    answer += link.recv(1)
                self.answers.append(answer.decode().strip())
                if self.answers[-1] == "welcome":
                    yield link
                    return
            time.sleep(RETRY_S)


def connected(port: int) -> socket.socket:
    """Connect as soon as somebody listens."""
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), PATIENCE)
        except ConnectionRefusedError:
            time.sleep(RETRY_S)


@pytest.mark.parametrize("thinking", [True, False])
def test_a_returning_player_takes_the_place_of_its_lost_connection(bench: Bench, thinking: bool) -> None:
    need_filters()
    port = free_port()
    far = Vanishing(port, thinking=thinking)
    far.start()
    bench.write([{"name": "far", "dial_in": True}, player("near")], limit=NODES)
    listening = Listening.read(Address("127.0.0.1", port), None, None, None)
    manager.run(bench.path, results=bench.results, listening=listening)
    far.join(PATIENCE)
    assert [one.termination for one in bench.games()] == ["rules"] * 2
    assert far.answers[0] == far.answers[-1] == "welcome"
    assert set(far.answers[1:-1]) <= {"refused: all sessions are connected"}


def called(port: int, ready: threading.Event) -> list[tuple[float, float]]:
    """Listen for the manager, and look at its connection once it speaks."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        ready.set()
        with listener.accept()[0] as link:
            assert link.recv(1)
            return losses_to(port)


def calling(port: int, ready: threading.Event, first: bytes) -> list[tuple[float, float]]:
    """Connect to the manager, and look at its connection once it speaks."""
    ready.set()
    with connected(port) as link:
        link.sendall(first)
        assert link.recv(1)
        found = losses_at(port)
        if first == b"OK\n":  # it loses its games at once
            link.sendall(b"OK\n")
            for line in link.makefile():
                link.sendall(b"MOVE:256\n" if line.startswith("MAKE_MOVE") else b"OK\n")
        return found


Look = Callable[[int, threading.Event], list[tuple[float, float]]]
WAYS: dict[str, tuple[Tables, Look]] = {
    "address": ({"address": "127.0.0.1:PORT"}, called),
    "listen": ({"listen": "127.0.0.1:PORT", "protocol": "makemove"}, partial(calling, first=b"OK\n")),
    "dial_in": ({"dial_in": True}, partial(calling, first=b"player far -\n")),
}


@pytest.mark.parametrize(("way", "look"), WAYS.values(), ids=WAYS)
def test_the_manager_asks_for_signs_of_life_on_every_line(bench: Bench, way: Tables, look: Look) -> None:
    port = free_port()
    entry = {name: value.replace("PORT", str(port)) if isinstance(value, str) else value for name, value in way.items()}
    limit = {"movetime_ms": 1000, "startup_s": 8}
    bench.write([{"name": "far", **entry}, example("near")], tournament={"game": "uttt"}, limit=limit)
    listening = Listening.read(Address("127.0.0.1", port), None, None, None) if way.get("dial_in") else None
    with ThreadPoolExecutor() as threads:
        looking = threads.submit(look, port, ready := threading.Event())
        ready.wait(PATIENCE)
        with suppress(UsageError):  # it has left
            manager.run(bench.path, results=bench.results, listening=listening)
        assert looking.result() == [(LOSS_SECONDS, LOSS_SECONDS)]


@pytest.mark.parametrize("credentials", [Credentials("", "far"), None])
def test_our_player_notices_a_lost_manager_as_early_as_the_manager_a_lost_player(
    credentials: Credentials | None,
) -> None:
    async def look() -> None:
        accepted: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
        listener = await asyncio.start_server(lambda _, writer: accepted.put_nowait(writer), "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        pinned = None if credentials else "makemove"
        server = Server(EngineOffer(game("uttt"), create(game("uttt"), "random"), pinned))
        dialling = asyncio.create_task(dial(server, Manager(Address("127.0.0.1", port), credentials)))
        async with asyncio.timeout(PATIENCE):
            referee = await accepted.get()
            referee.write(b"welcome\n")
            await asyncio.to_thread(wait_until, lambda: losses_to(port) == [(LOSS_SECONDS, LOSS_SECONDS)])
            await server.close()
        dialling.cancel()
        referee.close()
        listener.close()

    asyncio.run(look())
