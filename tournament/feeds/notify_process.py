"""The sender of notices as its parent sees it: a child that delays no game, and neither does its receiver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import msgspec
from msgspec import Struct

from fiedler.support.companion import Companion
from fiedler.support.programs import PYTHON
from fiedler.tournament.feeds.notices import Notices, RunNotice
from fiedler.tournament.run.events import Event
from fiedler.tournament.schedule.schedule import Schedule

COMMAND = (*PYTHON, "-m", "fiedler.tournament.feeds.notifier")
DRAIN_S = 6.0
"""Seconds in which it sends the rest when the run ends."""
WAIT_S = DRAIN_S + 2.0
"""Seconds for its end; then it is killed."""
WARNING = "warning: "
END = b"null\n"
"""The last line of a manager that ends as it should."""


class SenderSettings(Struct, frozen=True, kw_only=True):
    """The first line."""

    url: str
    form: str
    lost: RunNotice
    """To be sent if the input ends without END."""


class NotifyProcess:
    """A context manager and a subscriber that sends the notices of a run to a URL."""

    def __init__(self, schedule: Schedule, url: str, warn: Callable[[str], None]) -> None:
        """`warn` takes what was not sent, in another thread."""
        self._schedule, self._url, self._warn = schedule, url, warn
        self._notices = Notices(schedule)
        self._companion: Companion | None = None

    def __enter__(self) -> Self:
        """Start the process: the URL is in no command line and no environment."""
        first = SenderSettings(url=self._url, form=self._schedule.notify.format, lost=self._notices.lost())
        try:
            self._companion = Companion(COMMAND, self._take)
        except OSError as error:
            self._warn(f"no notices: {error}")
        self._write(msgspec.json.encode(first) + b"\n")
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._send(self._notices.at_end(error))
        self._write(END)
        if self._companion is not None:
            self._companion.close(WAIT_S)

    def __call__(self, event: Event) -> None:
        """Send the notice of an event, if it has one."""
        self._send(self._notices.after(event))

    def _send(self, notice: RunNotice | None) -> None:
        if notice is not None and not self._write(msgspec.json.encode(notice) + b"\n"):
            self._warn(f"notices: {notice.event}: not sent: their process does not take it")

    def _write(self, line: bytes) -> bool:
        return self._companion is not None and self._companion.write(line)

    def _take(self, line: str) -> None:
        if line.startswith(WARNING):  # a traceback may quote the URL
            self._warn(f"notices: {self._schedule.notify.place}: {line.removeprefix(WARNING)}")
