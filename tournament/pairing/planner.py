"""The interface of every pairing method: a function from the games so far to the next games."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from msgspec import Struct

from support.text import counted
from tournament.pairing.plan import Decision, History
from tournament.pairing.stop import stop_reason, too_few, unmet
from tournament.schedule.pairs import Pair
from tournament.schedule.schedule import Schedule


class Step(Struct, frozen=True):
    """The next meetings, two games each, in the order of play; the first of each pair moves first in the first game.

    Without meetings the tournament is over. `note` says why, or what the step is for. `pairs` are those that are to
    meet, now or later, and how often in all.
    """

    meetings: Sequence[Pair] = ()
    note: str = ""
    pairs: Mapping[Pair, int] = {}


class Planner(ABC):
    """Plans one tournament step by step. The same schedule and history give the same step and the same decision.

    Raises UsageError where no plan can be what the schedule asks for.
    """

    overlaps = False
    """whether the next step may be asked for while games of this one are played"""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self._looked = (0, 0)

    def next_step(self, history: History) -> Step:
        """Return what is played next, where nothing is decided."""
        return self.few(history) or self.following(history)

    @abstractmethod
    def following(self, history: History) -> Step:
        """Return what is played next, where enough players are left."""

    def decide(self, history: History) -> Decision | None:
        """Return what the games that are settled decide, None as long as they do not.

        A stopping rule is looked at after every step of the plan, with the games up to its end and no others: the
        order in which games end says nothing. So every game is played the same way, and the decision is the same,
        however many are played at a time.
        """
        if self.schedule.pairing.stop is None:
            return None
        for step in range(max(1, history.undecided), len(history.settled_steps) + 1):
            looked = (step, len(history.benched))
            if looked != self._looked and (found := self._decided_after(step, history)):
                return found
            self._looked = looked
        history.undecided = len(history.settled_steps)
        return None

    def _decided_after(self, step: int, history: History) -> Decision | None:
        games = history.settled_steps[step - 1]
        reason = stop_reason(self.schedule, history.settled[:games], history.benched)
        return Decision(f"{reason} after {counted(games, 'game')}", games) if reason else None

    def end(self, note: str, history: History) -> Step:
        """Return that nothing is left to play, why, and how far a stopping rule is from what it asks for."""
        if self.schedule.pairing.stop is not None and len(history.settled) < len(history.finished):
            missed = "the stop rule waits for games that are planned earlier and not played"
        else:
            missed = unmet(self.schedule, history.settled, history.benched)
        return Step(note=f"{note}; {missed}" if missed else note)

    def few(self, history: History) -> Step | None:
        """Return the end of a tournament where benching has left too few players to find anything out; else None."""
        left = too_few(self.schedule, history.benched)
        return self.end(left, history) if left else None

    @property
    def open_end(self) -> bool:
        """Whether results may end the tournament before all that could be played is."""
        return self.schedule.pairing.stop is not None

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
