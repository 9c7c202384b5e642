"""The time control of GTP: main time, then periods of overtime for a number of stones each."""

from dataclasses import dataclass

from fiedler.protocol.limit import MAX_MS, Limit

MAX_SECONDS = MAX_MS // 1000


@dataclass(slots=True)
class _Clock:
    """The time left to a side, in milliseconds."""

    main: int
    period: int
    stones: int
    """Moves that the rest of the period is for."""


class Timing:
    """Both clocks. No clock is read: the time of our own searches is what they report."""

    def __init__(self) -> None:
        self._main = self._period = self._stones = 0
        self._clocks: list[_Clock | None] = [None, None]

    def set(self, main: int, period: int, stones: int) -> None:
        """Set main time and period in seconds and the stones of a period. No time at all, or no stones in a period: no
        limit.
        """  # noqa: D205
        self._main, self._period, self._stones = 1000 * main, 1000 * period, stones
        self.start()

    def start(self) -> None:
        """Give both sides the time of a new game."""
        endless = (self._period and not self._stones) or not (self._main or self._period)
        self._clocks = [None if endless else _Clock(self._main, self._period, self._stones) for _ in range(2)]

    def set_left(self, side: int, seconds: int, stones: int) -> None:
        """Set the time left to a side: of the main time, or with stones of the period."""
        milliseconds = 1000 * seconds
        main, period = (0, milliseconds) if stones else (milliseconds, self._period)
        self._clocks[side] = _Clock(main, period, stones or self._stones)

    def spend(self, side: int, milliseconds: int) -> None:
        """Take the time of a move from a clock."""
        clock = self._clocks[side]
        if clock is None:
            return
        if clock.main > milliseconds or not self._stones:
            clock.main = max(0, clock.main - milliseconds)
            return
        clock.period -= milliseconds - clock.main
        clock.main = 0
        clock.stones -= 1
        if clock.stones <= 0:
            clock.period, clock.stones = self._period, self._stones

    def limit(self, side: int) -> Limit:
        """Return the limit of the next move of a side."""
        clock = self._clocks[side]
        if clock is None:
            return Limit()
        if clock.main == 0 and clock.stones:
            return Limit(movetime_ms=max(1, clock.period // clock.stones))
        increment = self._period // self._stones if self._stones else 0
        return Limit(p1time_ms=clock.main, p2time_ms=clock.main, p1inc_ms=increment, p2inc_ms=increment)
