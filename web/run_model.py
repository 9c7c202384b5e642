"""The state of a run as a page shows it: a snapshot, and small changes that lead from one snapshot to the next.

`static/run_model.js` applies the same changes in the browser; docs/web.md describes both.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

import msgspec
from msgspec import Struct

from fiedler.games.result import Result
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run import events
from fiedler.tournament.run.event_text import event_text
from fiedler.tournament.run.events import Benched, Event, Finished, Rated
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.termination import FAILURES

SHOWN_EVENTS = 60
SHOWN_FAILURES = 50
MOST_ROWS = 200
"""Rows of the course of the ratings above which every other one is left out."""
QUIET = (events.Started, events.Probing, events.Judged, events.Remarked)
"""Events without a line on the page."""
RESULTS = {Result.FIRST_WIN: 0, Result.DRAW: 1, Result.SECOND_WIN: 2}


CourseRow = tuple[int, list[int | None]]
"""A row of the course of the ratings: finished games, and the Elo of every player; null without one."""


class FailedGame(Struct, frozen=True):
    """A game that a player lost by a failure."""

    number: int
    player: str
    termination: str
    detail: str


class Change(Struct, frozen=True, omit_defaults=True):
    """What one event changes. Players are numbered by their places, from 0."""

    seq: int
    at: str
    kind: str
    text: str = ""
    """A line for the list of events."""
    game: tuple[int, int, int] | None = None
    """A finished game: first player, second player, and 0, 1, 2 for a win of the first, a draw, a win of the second."""
    number: int = 0
    """Of this game."""
    failure: FailedGame | None = None
    ratings: CourseRow | None = None
    """A row of the course of the ratings."""


class RunEvent(TypedDict):
    """A line of the list of events."""

    seq: int
    """Its number in `events.jsonl`."""
    at: str
    """ISO 8601."""
    kind: str
    text: str


class Course(TypedDict):
    """The course of the ratings, thinned out."""

    stride: int
    """Every how manieth ranking is a row."""
    looks: int
    """Rankings so far."""
    rows: list[CourseRow]


class ModelDocument(TypedDict):
    """The parts of the snapshot that come from events. Players are numbered by their places, from 0."""

    seq: int
    """The number of the last event."""
    players: tuple[str, ...]
    pairs: list[tuple[int, int, int, int, int]]
    """The places of two players, the smaller one first, the wins of the first, draws, losses."""
    failures: list[int]
    """Games lost by a failure, by the place of the player."""
    failed: list[FailedGame]
    """The last of them."""
    events: list[RunEvent]
    """The last ones."""
    course: Course


class RunModel:
    """Follows the events of a run."""

    def __init__(self, players: Sequence[str], schedule: Schedule, folder: Path | None = None) -> None:
        """The lines of events name commands for the run in this folder; without it none."""
        self.players = tuple(players)
        self.seq = 0
        self._schedule = schedule
        self._folder = folder
        self._place = {name: place for place, name in enumerate(players)}
        self._pairs: dict[tuple[int, int], list[int]] = {}
        """Two places, the smaller first -> wins of the first, draws, wins of the second."""
        self._failures = [0] * len(players)
        self._failed: deque[FailedGame] = deque(maxlen=SHOWN_FAILURES)
        self._lines: deque[RunEvent] = deque(maxlen=SHOWN_EVENTS)
        self._rows: list[CourseRow] = []
        self._stride, self._looks = 1, 0

    def take(self, seq: int, event: Event) -> Change:
        """Take the event with this number; return what it changes."""
        kind = type(event).__name__.lower()
        text = "" if isinstance(event, QUIET) else event_text(event, self._schedule.pairing, self._folder)
        change = Change(seq, event.at, kind, text, *self._specific(event))
        self.apply(change)
        if isinstance(event, events.Annulled):
            self._take_back(event.game)
        return change

    def apply(self, change: Change) -> None:
        """Apply a change; the same function is in static/run_model.js."""
        self.seq = change.seq
        if change.text:
            self._lines.append({"seq": change.seq, "at": change.at, "kind": change.kind, "text": change.text})
        if change.game is not None:
            first, second, result = change.game
            pair = self._pairs.setdefault((min(first, second), max(first, second)), [0, 0, 0])
            pair[result if first < second else 2 - result] += 1
        if change.failure is not None:
            self._failed.append(change.failure)
            self._failures[self._place[change.failure.player]] += 1
        if change.ratings is not None:
            self._add_row(change.ratings)

    def _take_back(self, game: GameRecord) -> None:
        """Forget a finished game; the browser gets a new snapshot after it."""
        places = (self._place.get(game.first), self._place.get(game.second))
        if places[0] is None or places[1] is None:
            return
        pair = self._pairs[min(places[0], places[1]), max(places[0], places[1])]
        result = RESULTS[game.result]
        pair[result if places[0] < places[1] else 2 - result] -= 1
        if game.loser is not None and game.termination in FAILURES:
            self._failures[self._place[game.loser]] -= 1
            kept = [failed for failed in self._failed if failed.number != game.number]
            self._failed = deque(kept, maxlen=SHOWN_FAILURES)

    def _add_row(self, row: CourseRow) -> None:
        if self._looks % self._stride == 0:
            self._rows.append(row)
        self._looks += 1
        if len(self._rows) > MOST_ROWS:
            self._rows = self._rows[::2]
            self._stride *= 2

    def _specific(self, event: Event) -> tuple[Any, ...]:
        """Return the fields of a change from `game` on."""
        if isinstance(event, Finished):
            return self._of_game(event.game)
        if isinstance(event, Rated):
            elo: list[int | None] = [None] * len(self.players)
            for player in event.players:
                if player.elo is not None and player.name in self._place:
                    elo[self._place[player.name]] = round(player.elo)
            return None, 0, None, (event.games, elo)
        return ()

    def _of_game(self, game: GameRecord) -> tuple[Any, ...]:
        places = (self._place.get(game.first), self._place.get(game.second))
        if None in places:
            return ()
        failure = None
        if game.loser is not None and game.termination in FAILURES:
            failure = FailedGame(game.number, game.loser, game.termination, game.detail)
        return (*places, RESULTS[game.result]), game.number, failure

    def document(self) -> ModelDocument:
        """Return the snapshot, without the parts that do not come from events."""
        return {
            "seq": self.seq,
            "players": self.players,
            "pairs": [(*pair, wins, draws, losses) for pair, (wins, draws, losses) in self._pairs.items()],
            "failures": self._failures,
            "failed": list(self._failed),
            "events": list(self._lines),
            "course": {"stride": self._stride, "looks": self._looks, "rows": self._rows},
        }


AnyEvent = (
    events.Probing
    | events.Receiving
    | events.Predicted
    | events.Judged
    | events.Began
    | events.Started
    | Finished
    | events.Voided
    | events.Disputed
    | events.Planned
    | Benched
    | events.Decided
    | events.Joined
    | events.Readmitted
    | events.Added
    | events.Annulled
    | events.Withdrawn
    | events.Awaiting
    | events.Away
    | events.Back
    | events.Waiting
    | events.Remarked
    | Rated
    | events.Warned
    | events.Ended
)
_DECODER: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent, strict=False)


def event_of(line: bytes) -> Event | None:
    """Return the event of a line of `events.jsonl`; None for one that a newer manager wrote."""
    try:
        return _DECODER.decode(line)
    except msgspec.MsgspecError:
        return None
