"""`--cluster local:N`: a head and nodes of Ray on this machine, each at a loopback address of its own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Self

from fiedler.support.errors import WorkError
from fiedler.support.exit_message import exit_message
from fiedler.support.reaper import VARIABLE, Reaper, new_mark

HEAD = "127.0.0.2"
"""Its address: Ray takes 127.0.0.1 for the address of the network card. Nodes have the next ones."""
START_S = 120.0
"""Most seconds for a head or a node to start."""
LOOK_S = 0.1
MOST_PATH = 20
"""Characters: Ray adds 75 of its own, and a path of a socket has 107."""
STORE_BYTES = 80_000_000
"""The memory of Ray's object store, its least: only models pass through it, in portions."""
BUSY = "this machine is too busy, or short of memory"
CAUSES = {
    "timed out during startup": f"Ray has given up waiting for it: {BUSY}",
    "ddress already in use": "another program has taken its port meanwhile",
    "No space left on device": "the disk with the folder of temporary files is full",
    "Cannot allocate memory": "this machine has no memory left",
}
"""Why Ray does not start, by its own words."""
NEXT_STEP = "the games are played here after wait_s; the same command on an idle machine has nodes"
SETTINGS = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""A node that dies is reported after some seconds instead of a minute."""

Settled = Callable[[int, bool], None]
"""Takes the number of a node, from 1, and whether it runs now; called in the thread that starts the nodes."""


class LocalNodes:
    """A head without games, and nodes. All end with this object, or with this process, however that ends."""

    def __init__(self, number: int, cpus: int) -> None:
        """Prepare `number` nodes, each of which offers `cpus` cores."""
        self._number = number
        self._cpus = cpus
        self._reaper = Reaper()
        self._folder = Path(tempfile.mkdtemp(prefix="fiedler-ray-", dir=_temporary()))
        self._programs: list[subprocess.Popen[bytes]] = []
        self._closed = threading.Event()
        self._starting: threading.Thread | None = None
        self.port = _free_port()

    def __enter__(self) -> Self:
        """Start the head.

        Raises:
            WorkError: it does not start.

        """
        try:
            head = self._start(0, HEAD, "--head", f"--port={self.port}", "--num-cpus=0", "--include-dashboard=false")
            _wait(lambda: _listens(HEAD, self.port), head, f"the head of a local cluster ({HEAD})", self._log(0))
        except WorkError as error:
            self.__exit__()
            raise WorkError(f"{error}; the same command tries again") from None
        except BaseException:
            self.__exit__()
            raise
        return self

    def start_nodes(self, alive: Callable[[], int], warn: Callable[[str], None], settled: Settled) -> None:
        """Start the nodes in a thread, one after the other: two that start together take each other's ports.

        `alive` returns how many nodes run; `warn` reports one that does not start, and `settled` each one.
        """
        self._starting = threading.Thread(target=self._start_nodes, args=(alive, warn, settled), daemon=True)
        self._starting.start()

    def start_no_more(self) -> None:
        """Wait for the end of that thread: nobody can be asked any more which nodes run."""
        self._closed.set()
        if self._starting is not None:
            self._starting.join()

    def _start_nodes(self, alive: Callable[[], int], warn: Callable[[str], None], settled: Settled) -> None:
        for number in range(1, self._number + 1):
            runs = False
            try:
                self._start_node(number, alive)
                runs = not self._closed.is_set()
            except WorkError as error:
                warn(f"{error}; {'the others play' if self._number > 1 else NEXT_STEP}")
            finally:
                settled(number, runs)
            if self._closed.is_set():
                return

    def _start_node(self, number: int, alive: Callable[[], int]) -> None:
        """Start a node and wait until it runs, or we end; raises WorkError if it does not start."""
        where, before = HEAD.removesuffix("2") + str(2 + number), alive()
        node = self._start(number, where, f"--address={HEAD}:{self.port}", f"--num-cpus={self._cpus}")
        _wait(partial(self._has_come, alive, before), node, f"local node {number} ({where})", self._log(number))

    def _has_come(self, alive: Callable[[], int], before: int) -> bool:
        """Return whether a node has come, or we end."""
        return self._closed.is_set() or alive() > before

    def _start(self, number: int, where: str, *options: str) -> subprocess.Popen[bytes]:
        """Start a program of Ray's at an address: the head, number 0, or a node."""
        mark = new_mark()
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats"]
        command += [f"--node-ip-address={where}", f"--object-store-memory={STORE_BYTES}", *options]
        if "--head" in options:
            command.append(f"--temp-dir={self._folder}")
        with self._log(number).open("wb") as log:
            program = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **SETTINGS, VARIABLE: mark},
                start_new_session=True,
            )
        self._reaper.watch(program.pid, mark)
        self._programs.append(program)
        return program

    def _log(self, number: int) -> Path:
        return self._folder / f"start-{number}.log"

    def __exit__(self, *_: object) -> None:
        """Kill all of it, with everything that it started."""
        self.start_no_more()
        self._reaper.close()
        for program in self._programs:
            program.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _temporary() -> str:
    """Return the folder of temporary files; `/tmp` if its path is too long for Ray's sockets."""
    usual = tempfile.gettempdir()
    return usual if len(usual) <= MOST_PATH else "/tmp"  # noqa: S108


def _wait(done: Callable[[], bool], program: subprocess.Popen[bytes], name: str, log: Path) -> None:
    """Wait until something is done; raises WorkError if the program ends before, or after START_S."""
    ends = time.monotonic() + START_S
    while not done():
        if program.poll() is not None:
            raise WorkError(f"{name} does not start: {_cause(program.returncode, log.read_bytes())}")
        if time.monotonic() > ends:
            raise WorkError(f"{name} does not start: it is not there after {START_S:g} s: {BUSY}")
        time.sleep(LOOK_S)


def _cause(status: int, words: bytes) -> str:
    """Return why a program of Ray's has ended, in our words where we know its own."""
    for sign, cause in CAUSES.items():
        if sign.encode() in words:
            return cause
    return f"its program {exit_message(status, words)}"


def _listens(host: str, port: int) -> bool:
    with suppress(OSError), socket.create_connection((host, port), 1):
        return True
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HEAD, 0))
        return int(probe.getsockname()[1])
