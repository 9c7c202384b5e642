"""The feed of a run as a child process: it costs the manager nothing, and no game notices its end."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

from support.mqtt.broker import Broker
from tournament.feeds.feeder import DRAIN_S, WARNING
from tournament.run.events import Began, Event

COMMAND = (sys.executable, "-P", "-m", "tournament.feeds.child")
WAIT_S = DRAIN_S + 5.0
"""Seconds for the end of the feed; then it is killed."""
SHOWN = (WARNING, "error: ")


class FeedProcess:
    """A context manager and a subscriber that starts the feed when the run begins."""

    def __init__(self, results: Path, broker: Broker, warn: Callable[[str], None]) -> None:
        """`warn` takes the warnings of the feed, in another thread."""
        self._results = results
        self._broker = broker
        self._warn = warn
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is None or self._reader is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(WAIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()

    def __call__(self, event: Event) -> None:
        """Start the feed with the first `began`."""
        if isinstance(event, Began) and self._process is None:
            self._start(self._results / event.name)

    def _start(self, folder: Path) -> None:
        pipe = subprocess.PIPE
        command = [*COMMAND, str(folder.resolve()), "--broker", str(self._broker.address), *self._broker.arguments]
        try:
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, text=True, start_new_session=True
            )
        except OSError as error:
            self._warn(f"no feed: {error}")
            return
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        with process.stderr as lines:
            for line in lines:
                shown = next((word for word in SHOWN if line.startswith(word)), None)
                if shown is not None:
                    self._warn(f"feed: {line.removeprefix(shown).rstrip()}")
