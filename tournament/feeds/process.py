"""The feed of a run as a child process: it costs the manager nothing, and no game notices its end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Self

from fiedler.support.companion import Companion
from fiedler.support.mqtt.broker import Broker
from fiedler.support.programs import PYTHON
from fiedler.tournament.feeds.feeder import DRAIN_S, WARNING
from fiedler.tournament.run.events import Began, Event

COMMAND = (*PYTHON, "-m", "fiedler.tournament.feeds.child")
WAIT_S = DRAIN_S + 5.0
"""Seconds for the end of the feed; then it is killed."""
SHOWN = (WARNING, "error: ")


class FeedProcess:
    """A context manager and a subscriber that starts the feed when the run begins."""

    def __init__(self, results: Path, broker: Broker, warn: Callable[[str], None], url: str = "") -> None:
        """`warn` takes the warnings of the feed, in another thread; `url` is the run's page, if it has one."""
        self._results = results
        self._broker = broker
        self._warn = warn
        self._url = url
        self._companion: Companion | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._companion is not None:
            self._companion.close(WAIT_S)

    def __call__(self, event: Event) -> None:
        """Start the feed with the first `began`."""
        if isinstance(event, Began) and self._companion is None:
            self._start(self._results / event.name)

    def _start(self, folder: Path) -> None:
        command = [*COMMAND, str(folder.resolve()), "--broker", str(self._broker.address), *self._broker.arguments]
        command += ["--url", self._url] if self._url else []
        try:
            self._companion = Companion(command, self._take)
        except OSError as error:
            self._warn(f"no feed: {error}")

    def _take(self, line: str) -> None:
        shown = next((word for word in SHOWN if line.startswith(word)), None)
        if shown is not None:
            self._warn(f"feed: {line.removeprefix(shown)}")
