"""Real engines: the command as a process, and clients of its port."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE

ENGINE = str(Path(sys.executable).parent / "engine")


def engine(*words: str, said: str = "", seconds: float = PATIENCE) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run([ENGINE, *words], input=said, capture_output=True, text=True, timeout=seconds, check=False)


class Serving:
    """`engine serve`, or another command that serves, as a process."""

    def __init__(self, *words: str, command: Sequence[str] = (ENGINE, "serve")) -> None:
        # unbuffered: select does not see bytes that are already in a buffer
        self.process = subprocess.Popen([*command, *words], stderr=subprocess.PIPE, bufsize=0)
        self.said: list[str] = []
        self.address = ""

    def start(self) -> None:
        """Wait until it listens."""
        while not (self.said and self.said[-1].startswith("listening on ")):
            self.said.append(self.line())
        self.address = self.said[-1].removeprefix("listening on ")

    @property
    def host(self) -> str:
        return self.address.rpartition(":")[0]

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def line(self) -> str:
        """Return the next line of its standard error."""
        assert self.process.stderr is not None
        ready, _, _ = select.select([self.process.stderr], [], [], PATIENCE)
        line = self.process.stderr.readline().decode() if ready else ""
        assert line, f"no word from the server, its code is {self.process.poll()}"
        return line.rstrip("\n")

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def rest(self) -> str:
        """Return the rest of its output, once it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def cpu_seconds(self) -> float:
        """Return the processor time of the process so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving(*words: str, command: Sequence[str] = (ENGINE, "serve")) -> Iterator[Serving]:
    """Start `engine serve`, and end it afterwards."""
    server = Serving(*words, command=command)
    try:
        server.start()
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        if server.process.stderr is not None:
            server.process.stderr.close()


class Client:
    """A connection to a port."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection((host, port), timeout=PATIENCE)
        self._lines = self.socket.makefile("r", encoding="utf-8")

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def say(self, *lines: str) -> None:
        self.socket.sendall("".join(f"{line}\n" for line in lines).encode())

    def line(self) -> str:
        """Return the next line; an empty string when the server has closed."""
        return self._lines.readline().rstrip("\n")

    def until(self, start: str) -> list[str]:
        """Return the lines up to the first with this beginning."""
        lines = [self.line()]
        while not lines[-1].startswith(start):
            assert lines[-1], f"closed before {start!r}"
            lines.append(self.line())
        return lines

    def hello(self) -> Client:
        self.say("ugi")
        self.until("ugiok")
        return self

    def rest(self) -> list[str]:
        return self._lines.read().splitlines()

    def close(self) -> None:
        self._lines.close()
        self.socket.close()
