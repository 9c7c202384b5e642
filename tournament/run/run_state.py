"""The state of a run, as far as its answer depends on it."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, NamedTuple

from fiedler.tournament.pairing.chosen_player import Standing
from fiedler.tournament.run.events import Began, Benched, Decided, Disputed, Event, Readmitted, Remarked, Withdrawn

if TYPE_CHECKING:
    from fiedler.tournament.run.store import Store


class RunState(NamedTuple):
    """The end of a run, if it has one, its benched players, and the chosen player of a goal."""

    over: str = ""
    """The reason of the end; empty as long as more games may be played."""
    decided: bool = False
    """Whether a sequential test or a stopping rule ended the run."""
    benched: Set[str] = frozenset()
    """Players that get no more games; none of them can be the best."""
    standing: Standing | None = None
    """The chosen player of a goal, where it was judged last."""

    @classmethod
    def of(cls, store: Store) -> RunState:
        """Return the state of a stored run."""
        return cls(store.over, store.decision is not None, store.benched.keys(), store.standing)

    def after(self, event: Event) -> RunState:
        """Return the state after an event: this one itself if the event does not change it."""
        if isinstance(event, Began):
            return RunState(benched=frozenset(event.benched))
        if isinstance(event, Benched):
            return self._replace(benched=self.benched | {event.player})
        if isinstance(event, Readmitted):
            return self._replace(benched=self.benched - {event.player})
        if isinstance(event, Remarked) and event.standing is not None:
            return self._replace(standing=event.standing)
        if isinstance(event, Decided):
            return self._replace(over=event.why, decided=True)
        if isinstance(event, Withdrawn) or (isinstance(event, Disputed) and event.over):
            return self._replace(over=event.over)
        return self
