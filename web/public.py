"""The view of a public server: a visitor without a token sees results, and no path, address, command or reason of one.

The organiser's texts quote programs and files: failures, warnings, reasons. A public page has none of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from fiedler.tournament.game import GameRecord
from fiedler.tournament.run import events
from fiedler.tournament.run.events import Event
from fiedler.tournament.run.records import GameFilter
from fiedler.tournament.run.store import AT_A_TIME, Store
from fiedler.tournament.termination import FAILURES
from fiedler.web.run_model import Change, RunModel

PATHS = re.compile(
    r"/(healthz|static/[^/]+|runs/[^/]+(/(games(/\d+)?|player|pair))?|api/games/[^/]+/(geometry|replay)"
    r"|api/runs(/[^/]+(/(live|player|pair|games(/\d+(\.(pgn|sgf))?)?))?)?)?"
)
"""The pages and documents that everybody may read."""
UNREADABLE = "this run cannot be shown now"
BENCHED = "it gets no more games"
ABSENT = "is missing"
SHOWN = (events.Began, events.Predicted, events.Started, events.Planned, events.Decided, events.Joined, events.Rated)
SHOWN_TOO = (events.Away, events.Back, events.Waiting, events.Readmitted, events.Added, events.Remarked, events.Ended)
SHOWN_OF_GAMES = (events.Disputed,)
"""Events that name players and games alone."""
OF_CLUSTERS = ("cluster",)
"""What a visitor does not see of a cluster."""
OF_NODES = ("address", "why", "cannot")
"""What a visitor does not see of a node."""


class PublicStore(Store):
    """A run without the texts of the organiser."""

    def game(self, number: int) -> GameRecord | None:
        """Return a finished game without the details of a failure."""
        record = super().game(number)
        return None if record is None else shown_record(record)

    def select(self, chosen: GameFilter, offset: int = 0, most: int = AT_A_TIME) -> tuple[int, list[GameRecord]]:
        """Return finished games without the details of failures."""
        count, found = super().select(chosen, offset, most)
        return count, [shown_record(record) for record in found]

    @property
    def benched(self) -> dict[str, str]:
        """The benched players."""
        return dict.fromkeys(super().benched, BENCHED)

    @property
    def command(self) -> str:
        """Nothing: a command names files of the organiser."""
        return ""

    @property
    def absent(self) -> dict[str, str]:
        """The missing players."""
        return dict.fromkeys(super().absent, ABSENT)


class PublicModel(RunModel):
    """Follows the events of a run without the texts of the organiser."""

    def take(self, seq: int, event: Event) -> Change:
        """Take the public part of the event with this number; return what it changes."""
        return super().take(seq, shown_event(event))


def shown_record(record: GameRecord) -> GameRecord:
    """Return a game without the details of a failure, which quote programs."""
    return msgspec.structs.replace(record, detail="") if record.termination in FAILURES else record


def shown_nodes(nodes: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the nodes of a run without addresses and reasons."""
    if nodes is None:
        return None
    rows = [_without(OF_NODES, node) for node in nodes["nodes"]]
    return {**_without(OF_CLUSTERS, nodes), "nodes": rows}


def _without(hidden: Collection[str], document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in hidden}


def shown_event(event: Event) -> Event:
    """Return an event without the texts of the organiser; of an event that is nothing else, a silent one."""
    if isinstance(event, events.Finished):
        return msgspec.structs.replace(event, game=shown_record(event.game))
    if isinstance(event, events.Annulled):
        return msgspec.structs.replace(event, game=shown_record(event.game), why="by the organiser")
    if isinstance(event, events.Withdrawn):
        return msgspec.structs.replace(event, why="by the organiser")
    if isinstance(event, events.Benched):
        return msgspec.structs.replace(event, why=BENCHED)
    if isinstance(event, events.Voided):
        return msgspec.structs.replace(event, why="it is played again")
    return event if isinstance(event, (*SHOWN, *SHOWN_TOO, *SHOWN_OF_GAMES)) else events.Remarked(at=event.at, text="")
