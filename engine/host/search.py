"""One `go`: a search in its own thread that reports to its session."""

from __future__ import annotations

import errno
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar, cast

from fiedler import native
from fiedler.games.position import Position
from fiedler.native import Limits, SearchInfo, StopFlag
from fiedler.players import Player
from fiedler.support.errors import WorkError

log = logging.getLogger("fiedler.engine.search")
Result = TypeVar("Result")

REPORT_SECONDS = 0.1
"""The time between two reports of a running search: a search of 10 ms must not spend its time on reports."""
NO_THREAD = os.strerror(errno.EAGAIN)
"""The core's error when the system has no further thread."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The player could not search."""

    why: str


def tried(player: str, place: object, job: Callable[[], Result]) -> Result | Failure:
    """Return the result of a job of a player, given by name. An exception, logged with `place`, fails only that one."""
    try:
        return job()
    except WorkError as error:
        return Failure(str(error))
    except MemoryError:
        return Failure(f"player {player}: not enough memory")
    except RuntimeError as error:
        if str(error) != NO_THREAD:
            return _bug(player, place)
        return Failure(f"player {player}: the machine has no thread left for its search; set fewer `threads`")
    except Exception:  # a bug of one player
        return _bug(player, place)


def _bug(player: str, place: object) -> Failure:
    log.exception("player %s failed in %s", player, place)
    return Failure(f"player {player} failed; see the log of the engine")


class Driver(Protocol):
    """The driver of a session: it lends threads and sends the answers."""

    def work(self, job: Callable[[], None]) -> None:
        """Run `job` in another thread.

        Raises:
            WorkError: There is no thread; the job does not run.
        """

    def post(self, call: Callable[[], None]) -> None:
        """Run `call` in the thread of the session, then handle lines and send answers. Called from a job's thread."""


class Search:
    """One search, from `go` to its result. `reported` and `ended` are called in the thread of the session."""

    def __init__(
        self,
        player: Player,
        position: Position,
        limits: Limits,
        reported: Callable[[Search, SearchInfo], None],
        ended: Callable[[Search, SearchInfo | Failure], None],
        since: float | None = None,
    ) -> None:
        """`since`: the moment of the request, from which its time counts, in seconds of `time.monotonic`; None: now."""
        self.position = position
        self.stop = StopFlag()
        self.result: SearchInfo | Failure | None = None
        self.waited = 0.0
        """Seconds from `go` until the search itself began."""
        self._player = player
        self._limits = limits
        self._reported = reported
        self._ended = ended
        self._started = time.monotonic() if since is None else since
        self._next_report = self._started + REPORT_SECONDS
        self._timer: threading.Timer | None = None

    def end_within(self, seconds: float) -> None:
        """End `seconds` after the beginning at the latest."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(max(0.0, self._started + seconds - time.monotonic()), self.stop.set)
        self._timer.daemon = True
        self._timer.start()

    def run_inline(self) -> None:
        """Search now, in the thread of the session; for players that answer at once."""
        self._ended(self, self._outcome(None))

    def run(self, driver: Driver) -> None:
        """Search in a thread of the driver; without one the search fails."""
        try:
            driver.work(lambda: self._work(driver))
        except WorkError as error:
            self._ended(self, Failure(str(error)))

    def _work(self, driver: Driver) -> None:
        def report(info: SearchInfo) -> None:
            now = time.monotonic()
            if now >= self._next_report:
                self._next_report = now + REPORT_SECONDS
                driver.post(lambda: self._reported(self, info))

        outcome = self._outcome(report)
        if self._timer is not None:
            self._timer.cancel()
        driver.post(lambda: self._ended(self, outcome))

    def _outcome(self, report: Callable[[SearchInfo], None] | None) -> SearchInfo | Failure:
        return tried(self._player.name, self.position, lambda: self._found(report))

    def _found(self, report: Callable[[SearchInfo], None] | None) -> SearchInfo:
        self._player.prepare()
        self.waited = time.monotonic() - self._started  # a thread may have to wait for its turn, too
        own = cast("native.Position", self.position)  # a player gets the positions of its own game
        return self._player.search(own, self._limits_left(), self.stop, report)

    def _limits_left(self) -> Limits:
        """Return the limits, less the time since `go`."""
        own = self._limits
        return Limits(own.depth, own.nodes, max(own.seconds - self.waited, 1e-6)) if own.seconds else own
