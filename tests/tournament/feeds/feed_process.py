"""A run whose log grows as a test wants, and its feeds."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.mosquitto import Mosquitto, Subscriber
from tests.patience import PATIENCE, wait_until
from tests.tournament.manager_process import COMMAND
from tests.tournament.schedules import Bench, player
from tournament.game import now
from tournament.run.event_log import EventLog
from tournament.run.events import Warned
from tournament.run.lock import run_lock


def made_run(bench: Bench, games_per_pair: int = 12) -> Path:
    """Play a short run and return its folder."""
    bench.play([player("a"), player("b")], tournament={"games_per_pair": games_per_pair})
    return bench.results / "test"


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text("utf-8").splitlines()]


@contextlib.contextmanager
def at_work(folder: Path) -> Iterator[EventLog]:
    """Be a manager of this run that plays nothing: hold its lock and append to its log."""
    with run_lock(folder), EventLog(folder) as log:
        yield log


def warn(log: EventLog, count: int = 1) -> None:
    for _ in range(count):
        log(Warned(at=now(), text=f"line {log.seq + 1}"))


class Feed:
    """`tournament feed` in its own process."""

    def __init__(self, folder: Path, broker: Mosquitto, *options: str) -> None:
        words = [*COMMAND, "feed", str(folder), "--broker", broker.address, *options]
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        self.said: list[str] = []

    def wait_for(self, text: str) -> None:
        """Wait until it has printed this."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if text in line:
                return
        raise AssertionError(f"the feed ended early: {self.said}")

    def end(self, number: signal.Signals | None = None) -> tuple[int, list[str]]:
        """Send a signal, if one is given, wait, and return the exit code and all lines."""
        if number is not None:
            self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=PATIENCE)
        self.said += rest.splitlines(keepends=True)
        return self.process.returncode, self.said


def numbers(subscriber: Subscriber) -> list[int]:
    """Return the numbers of all events that were published, in order."""
    return [one.payload["seq"] for one in subscriber.of("/games", "/events")]


def once(found: list[int]) -> list[int]:
    """Return the numbers that a consumer counts: those above all before."""
    kept: list[int] = []
    for seq in found:
        if not kept or seq > kept[-1]:
            kept.append(seq)
    return kept


def wait_for_event(subscriber: Subscriber, seq: int) -> None:
    wait_until(lambda: seq in numbers(subscriber)[-40:], f"event {seq} was not published")
