"""The slow work of a player besides its searches: it gets ready, forgets, or is loaded."""

from __future__ import annotations

from collections.abc import Callable

from fiedler.engine.host.search import Driver, Failure, tried
from fiedler.engine.host.seat import Seat
from fiedler.support.errors import WorkError

Then = Callable[[str], None]
"""Receives the error of a job, or an empty text."""


class Jobs:
    """At most one job at a time, which does not block other sessions."""

    def __init__(self, seat: Seat, driver: Driver) -> None:
        self._seat = seat
        self._driver = driver
        self._is_closed = False
        self.busy = False
        """Whether a job runs in another thread."""

    def run(self, job: Callable[[], None], then: Then) -> None:
        """Let the player do a job: at once if it is instant, else in another thread."""
        player = self._seat.player
        if player.instant:
            then(_why(tried(player.name, self._seat.position, job)))
        else:
            self.lend(player.name, job, then)

    def lend(self, player: str, job: Callable[[], None], then: Then) -> None:
        """Do the job of a player, given by name, in another thread."""
        position = self._seat.position

        def work() -> None:
            outcome = tried(player, position, job)
            self._driver.post(lambda: self._done(outcome, then))

        self.busy = True
        try:
            self._driver.work(work)
        except WorkError as error:
            self._done(Failure(str(error)), then)

    def close(self) -> None:
        """Call no `then` any more: a job that still runs gives back the player at its end."""
        self._is_closed = True

    def _done(self, outcome: Failure | None, then: Then) -> None:
        self.busy = False
        if self._is_closed:
            self._seat.leave()
        else:
            then(_why(outcome))


def _why(outcome: Failure | None) -> str:
    return outcome.why if isinstance(outcome, Failure) else ""
