"""A server ends on request, with busy clients and with searches that do not stop."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.engine.engine_process import Client, Serving, serving
from tests.patience import PATIENCE

STUBBORN = [sys.executable, str(Path(__file__).with_name("stubborn.py"))]
PUMPED = b"isready\ngo infinite\n" + b"query gameover\n" * 1200 + b"stop\n"


class Pump:
    """Clients that repeat a request, and read the answers."""

    def __init__(self, port: int, count: int) -> None:
        self._links = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
        for link in self._links:
            link.sendall(b"ugi\n")
            link.setblocking(False)
        self._left = dict.fromkeys(self._links, memoryview(PUMPED))
        self.received = 0
        """The number of received bytes."""

    def run(self) -> None:
        """Pump until the server has closed every connection."""
        while self._left:
            readable, writable, _ = select.select(self._left, self._left, [], PATIENCE)
            for link in {*readable, *writable}:
                try:
                    self._serve(link, link in readable, link in writable)
                except OSError:
                    del self._left[link]
        for link in self._links:
            link.close()

    def _serve(self, link: socket.socket, readable: bool, writable: bool) -> None:
        if readable:
            data = link.recv(65536)
            if not data:
                raise ConnectionError
            self.received += len(data)
        if writable:
            self._left[link] = self._left[link][link.send(self._left[link]) :] or memoryview(PUMPED)


@contextmanager
def pumping(server: Serving, count: int) -> Iterator[None]:
    pump = Pump(server.port, count)
    thread = threading.Thread(target=pump.run)
    thread.start()
    while pump.received < 100_000:
        assert thread.is_alive()
        thread.join(0.01)
    yield
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_a_server_ends_while_its_clients_pump() -> None:
    with serving("--game", "uttt", "--player", "mcts", "--set", "hash_mb=16") as server:
        with pumping(server, 40):
            assert server.end() == 0
        assert server.rest() == ""


def search(client: Client) -> None:
    """Begin a search; a signal may come before the server has read its request."""
    client.hello().say("go infinite", "isready")
    client.until("readyok")


def test_a_search_that_does_not_stop_is_not_waited_for() -> None:
    with serving(command=[*STUBBORN, "0.2"]) as server, Client(server.port) as client:
        search(client)
        assert server.end() == 0
        assert server.rest() == "a search has not stopped within 0.2 s; ending without it\n"


def test_a_second_signal_ends_at_once() -> None:
    with serving(command=[*STUBBORN, "600"]) as server, Client(server.port) as client:
        search(client)
        server.process.send_signal(signal.SIGTERM)
        assert client.line() == ""  # it is ending, but for the search
        assert server.process.poll() is None
        assert server.end() == -signal.SIGTERM


def test_two_signals_that_come_together_are_one() -> None:
    with serving("--game", "uttt", "--player", "random") as server:
        server.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, server.process.pid, os.WSTOPPED)
        for number in (signal.SIGINT, signal.SIGTERM):
            server.process.send_signal(number)
        assert server.end(signal.SIGCONT) in (0, 130)
        assert server.rest() == ""
