"""The interface of every pairing method: a function from the games so far to the next games."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set

from msgspec import Struct

from fiedler.support.text import counted, listed
from fiedler.tournament.pairing.disputes import end_by_disputes, stop_text, stopped_pairs
from fiedler.tournament.pairing.plan import Decision, History, Played
from fiedler.tournament.pairing.stop import stop_reason, too_few, unmet
from fiedler.tournament.schedule.pairs import Pair
from fiedler.tournament.schedule.schedule import Schedule


class Step(Struct, frozen=True):
    """The next meetings, at least one."""

    meetings: Sequence[Pair]
    """In the order of play, two games each; the first of each pair moves first in the first game."""
    note: str = ""
    """The name of the step."""
    pairs: Mapping[Pair, int] = {}
    """The chosen pairs, now or later, with their total numbers of meetings."""


class Wait(Struct, frozen=True):
    """No meetings now: ask again after the next change of the run, such as the end of a game, or a new player."""

    why: str
    """The awaited change."""


class Over(Struct, frozen=True):
    """The end of the tournament, unless players are added or readmitted."""

    why: str
    """The reason for the end."""


NextStep = Step | Wait | Over
"""The answer of a planner to the games so far."""


class Planner(ABC):
    """Plans one tournament step by step. The same schedule and history give the same answer and the same decision.

    Raises:
        UsageError: no plan satisfies the schedule.
    """

    overlaps = False
    """Whether the next step may be planned during the games of this one."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self._evaluated = (0, 0)
        """Step and number of benched players of the last evaluation of the stopping rule."""

    def next_step(self, history: History) -> NextStep:
        """Return the next step, a wait, or the end, if nothing is decided."""
        return self._disputed(history) or self.few(history) or self.following(history)

    def _disputed(self, history: History) -> Over | None:
        reason = end_by_disputes(self.schedule, history.disputes)
        return self._end(reason, history) if reason else None

    @abstractmethod
    def following(self, history: History) -> NextStep:
        """Return the next step, a wait, or the end, if enough players remain."""

    def decide(self, history: History) -> Decision | None:
        """Return the decision of the settled games, None if there is none.

        A stopping rule, or a goal, is evaluated after every step of the plan, with exactly the games up to its end. The
        decision therefore does not depend on the order of the games' ends or on the number of concurrent games.
        """
        if not self.schedule.pairing.ends_early:
            return None
        for step in range(max(1, history.undecided), len(history.settled_steps) + 1):
            state = (step, len(history.benched))
            if state != self._evaluated and (found := self._decided_after(step, history)):
                return found
            self._evaluated = state
        history.undecided = len(history.settled_steps)
        return None

    def _decided_after(self, step: int, history: History) -> Decision | None:
        """Return the decision of the settled games up to the end of a step."""
        games = history.settled_steps[step - 1]
        reason = stop_reason(self.schedule, history.settled[:games], history.benched)
        return Decision(f"{reason} after {counted(games, 'game')}", games) if reason else None

    def missed(self, games: Sequence[Played], benched: Set[str]) -> str:
        """Return what a decision lacks after these games; empty if it lacks nothing, or there is nothing to decide."""
        return unmet(self.schedule, games, benched)

    def end(self, why: str, history: History) -> Over:
        """Return the end of the tournament with the reason, the games given up, and the unmet stopping rule or goal."""
        return self._end(f"{why}{given_up_text(history)}", history)

    def _end(self, why: str, history: History) -> Over:
        """Return the end of the tournament with the reason and the unmet stopping rule or goal."""
        pairing = self.schedule.pairing
        if pairing.ends_early and len(history.settled) < len(history.finished):
            rule = "stop rule" if pairing.goal is None else "goal"
            missed = f"the {rule} waits for games that are planned earlier and not played"
        else:
            missed = self.missed(history.settled, history.benched)
        return Over(f"{why}; {missed}" if missed else why)

    def few(self, history: History) -> Over | None:
        """Return the end of the tournament if benching left too few players, else None."""
        reason = too_few(self.schedule, history.benched)
        return self._end(reason, history) if reason else None

    @property
    def open_end(self) -> bool:
        """Whether results may end the tournament before all games are played."""
        return self.schedule.pairing.ends_early

    def remark(self, history: History) -> str:  # noqa: ARG002
        """Return a remark after the end of a game, or an empty text."""
        return ""

    @property
    def per_meeting(self) -> int:
        """Meetings of a pair: half of its games, because each opening is played with both colours."""
        return self.schedule.tournament.games_per_pair // 2

    def present(self, history: History) -> tuple[str, ...]:
        """Return the players that are not benched, in the order of the schedule."""
        return tuple(name for name in self.schedule.names if name not in history.benched)


def given_up_text(history: History) -> str:
    """Return `, 12 games given up: bob is benched`; empty if there are none."""
    number, benched = history.given_up, sorted(history.benched - history.away)
    if not number:
        return ""
    why = [f"{listed(benched)} {'is' if len(benched) == 1 else 'are'} benched"] if benched else []
    if disputes := len(history.disputes):
        why.append(counted(disputes, "dispute"))
    why += map(stop_text, sorted(stopped_pairs(history.disputes), key=sorted))
    return f", {counted(number, 'game')} given up{': ' if why else ''}{'; '.join(why)}"
