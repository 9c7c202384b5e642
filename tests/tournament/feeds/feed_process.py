"""A run whose log grows as a test wants, and its feeds."""

from __future__ import annotations

import contextlib
import functools
import json
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fiedler.support.lock import run_lock
from fiedler.tournament.game import now
from fiedler.tournament.run.event_log import EventLog
from fiedler.tournament.run.events import Warned
from tests.mosquitto import Message, Mosquitto, Subscriber
from tests.patience import PATIENCE, wait_until
from tests.tournament.manager_process import COMMAND
from tests.tournament.run.test_live import slow
from tests.tournament.schedules import Bench, player

PLAYERS = [player("a"), player("b")]
FINISHED = {"games_per_pair": 12}


def made_run(bench: Bench) -> Path:
    """Return the folder of a short run that is finished; it is played once for all tests."""
    bench.write(PLAYERS, tournament=FINISHED)
    folder = bench.results / "test"
    folder.mkdir(parents=True)
    for name, content in _files().items():
        (folder / name).write_bytes(content)
    return folder


@functools.cache
def _files() -> dict[str, bytes]:
    with TemporaryDirectory() as place:
        bench = Bench(Path(place))
        bench.play(PLAYERS, tournament=FINISHED)
        return {file.name: file.read_bytes() for file in (bench.results / "test").iterdir() if file.is_file()}


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text("utf-8").splitlines()]


def patient(bench: Bench) -> list[dict[str, Any]]:
    """Two players that are slow until `hurry`: on no machine the run ends before its feed begins."""
    (bench.folder / "patient").touch()
    return [slow(name, 0.15, while_exists=bench.folder / "patient") for name in "ab"]


def hurry(bench: Bench) -> None:
    """End the patience of the players."""
    (bench.folder / "patient").unlink()


@contextlib.contextmanager
def at_work(folder: Path) -> Iterator[EventLog]:
    """Be a manager of this run that plays nothing: hold its lock and append to its log."""
    with run_lock(folder, "tournament run"), EventLog(folder) as log:
        yield log


def warn(log: EventLog, count: int = 1) -> None:
    for _ in range(count):
        log(Warned(at=now(), text=f"line {log.seq + 1}"))


class Feed:
    """`tournament feed` in its own process, which ends with its broker."""

    def __init__(self, folder: Path, broker: Mosquitto, *options: str) -> None:
        words = [*COMMAND, "feed", str(folder), "--broker", broker.address, *options]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        broker.clients.append(self.process)
        self.output: list[str] = []
        self._seen = 0
        """The lines up to the last text that was waited for."""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as lines:
            self.output.extend(iter(lines.readline, ""))

    def wait_for(self, text: str) -> None:
        """Wait until it has printed this, after the last text that was waited for."""
        deadline = time.monotonic() + PATIENCE
        while not self._has_printed(text):
            assert self._reader.is_alive() or self._has_printed(text), f"the feed ended early: {self.output}"
            assert time.monotonic() < deadline, f"no {text!r} in {self.output}"
            time.sleep(0.005)

    def _has_printed(self, text: str) -> bool:
        found = [number for number, line in enumerate(self.output) if number >= self._seen and text in line]
        if found:
            self._seen = found[0] + 1
        return bool(found)

    def end(self, number: signal.Signals | None = None) -> tuple[int, list[str]]:
        """Send a signal, if one is given, wait, and return the exit code and all lines."""
        if number is not None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code, self.output


def numbers(subscriber: Subscriber) -> list[int]:
    """Return the numbers of all events that were published, in order."""
    return numbers_of(list(subscriber.messages))


def numbers_of(messages: Sequence[Message]) -> list[int]:
    return [one.payload["seq"] for one in messages if one.topic.endswith(("/games", "/events"))]


def once(found: list[int]) -> list[int]:
    """Return the numbers that a consumer counts: those above all before."""
    kept: list[int] = []
    for seq in found:
        if not kept or seq > kept[-1]:
            kept.append(seq)
    return kept


def wait_for_event(subscriber: Subscriber, seq: int) -> None:
    """Wait for an event; only the last messages are parsed, so that many of them still arrive meanwhile."""
    wait_until(lambda: seq in numbers_of(subscriber.messages[-60:]), f"event {seq} was not published")
