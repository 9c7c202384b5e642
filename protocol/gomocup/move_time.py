"""The time of a move, from the keys of INFO."""

from fiedler.protocol.gomocup.words import UNLIMITED
from fiedler.protocol.limit import Limit


class MoveTime:
    """The time for a move and for the game. No clock is read: the time of our own searches is what they report."""

    def __init__(self) -> None:
        self.turn: int | None = None
        """Milliseconds for a move; 0: as fast as possible."""
        self.match: int | None = None
        """Milliseconds for the game; 0: no limit."""
        self.left: int | None = None
        """Milliseconds left, as the manager said last; it may be negative."""
        self._spent = 0
        """Milliseconds of our searches since then."""

    def start(self) -> None:
        """Begin another game: all its time is left."""
        self.left, self._spent = None, 0

    def spend(self, milliseconds: int) -> None:
        """Deduct the time of a search."""
        self._spent += milliseconds

    def set_left(self, milliseconds: int) -> None:
        """Set the time that is left."""
        self.left, self._spent = milliseconds, 0

    def limit(self) -> Limit:
        """Return the limit of the next move."""
        turn = None if self.turn is None else max(1, self.turn)
        clock = self._clock()
        return Limit(movetime_ms=turn, p1time_ms=clock, p2time_ms=clock)

    def _clock(self) -> int | None:
        """Return the milliseconds left for the game; None: no limit."""
        total = self.left if self.left is not None else (self.match or UNLIMITED)
        return None if total >= UNLIMITED else max(0, total - self._spent)
