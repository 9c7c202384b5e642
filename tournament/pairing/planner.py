"""What every method of pairing is: a function from what was played so far to what is played next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from msgspec import Struct

from tournament.plan import History, Pair
from tournament.schedule import Schedule


class Step(Struct, frozen=True):
    """The next meetings, two games each, in the order of play; the first of each pair moves first in the first game.

    Without meetings the tournament is over. `note` says why, or what the step is for. `pairs` are those that are to
    meet, now or later, and how often in all.
    """

    meetings: Sequence[Pair] = ()
    note: str = ""
    pairs: Mapping[Pair, int] = {}


class Planner(ABC):
    """Plans a tournament step by step. The same schedule and history give the same step.

    Raises UsageError where no plan can be what the schedule asks for.
    """

    overlaps = False
    """whether the next step may be asked for while games of this one are played"""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule

    @abstractmethod
    def next_step(self, history: History) -> Step:
        """Return what is played next."""

    def remark(self, history: History) -> str:  # noqa: ARG002
        """Return what is worth saying after a game has ended, empty if nothing."""
        return ""

    @property
    def per_meeting(self) -> int:
        """Meetings of two players who meet: half the games, since each opening is played with both colours."""
        return self.schedule.tournament.games_per_pair // 2

    def present(self, history: History) -> tuple[str, ...]:
        """Return the players that are not benched, in the order of the schedule."""
        return tuple(name for name in self.schedule.names if name not in history.benched)
