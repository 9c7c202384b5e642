"""The events of a run, and the feed that passes them to subscribers: the progress display, `events.jsonl`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import GameRecord, PlannedGame, now
from fiedler.tournament.pairing.chosen_player import Standing
from fiedler.tournament.pairing.disputes import end_by_disputes, kept_apart
from fiedler.tournament.pairing.plan import Decision, History
from fiedler.tournament.schedule.schedule import Schedule

VERSION = 2
"""Version of the lines in `events.jsonl`; it rises when a field changes its meaning or is removed."""


class Event(Struct, frozen=True, kw_only=True, tag_field="event", tag=lambda name: name.lower()):
    """Something that happened `at` an ISO 8601 time (UTC, milliseconds); on disk one line of JSON."""

    v: int = VERSION
    at: str


class Probing(Event, frozen=True, kw_only=True):
    """Players are being started and identified; comes before a change of the run's folder."""

    players: int


class Receiving(Event, frozen=True, kw_only=True):
    """The manager listens for players that dial in."""

    address: str
    players: tuple[str, ...]


class Predicted(Event, frozen=True, kw_only=True):
    """The predicted RMS error of the ratings, in Elo, when all games of the plan are played."""

    rms: float


class Judged(Event, frozen=True, kw_only=True):
    """The number of judged openings so far, and of the balanced ones that are kept; from time to time."""

    judged: int
    kept: int


class Began(Event, frozen=True, kw_only=True):
    """A manager began or resumed the run."""

    name: str
    game: str
    players: tuple[str, ...]
    scheduled: int
    finished: int
    benched: tuple[str, ...] = ()
    given_up: int = 0
    """Games that earlier managers gave up; they are not among the scheduled ones."""


class Started(Event, frozen=True, kw_only=True):
    """A game began. `planned` is the number of the last game of the plan so far, with those given up."""

    game: PlannedGame
    attempt: int = 1
    planned: int
    scheduled: int


class Finished(Event, frozen=True, kw_only=True):
    """A game ended and is stored for good. `finished` counts the finished games of the run."""

    game: GameRecord
    attempt: int = 1
    finished: int
    scheduled: int
    waits_for: tuple[str, ...] = ()
    """The players that are away, if all games left in the queue wait for them and none is played."""


class Voided(Event, frozen=True, kw_only=True):
    """A game that was begun does not count and will be played again under the same id."""

    game: PlannedGame
    attempt: int = 1
    why: str


class Disputed(Event, frozen=True, kw_only=True):
    """A game ended without a result: its players, who alone know the rules, do not agree. It is not played again."""

    dispute: Dispute
    attempt: int = 1
    stops: str = ""
    """The sentence that this pair meets no more; empty while it does."""
    over: str = ""
    """The reason of the end of the run; empty if it continues."""
    given_up: int
    """Games that are given up now, this one among them."""
    scheduled: int


class Planned(Event, frozen=True, kw_only=True):
    """A step of the plan was written, with its number of games; `note` is its purpose."""

    step: int
    note: str
    games: int
    scheduled: int


class Benched(Event, frozen=True, kw_only=True):
    """A player failed too often, or was benched by hand, and gets no more games; the rest of its games is given up."""

    player: str
    why: str
    given_up: int
    scheduled: int


class Readmitted(Event, frozen=True, kw_only=True):
    """A benched player plays again, also `games` games that were given up."""

    player: str
    games: int
    scheduled: int


class Added(Event, frozen=True, kw_only=True):
    """Players that were added while the run is played."""

    players: tuple[str, ...]
    scheduled: int


class Annulled(Event, frozen=True, kw_only=True):
    """A finished game that does not count any more, with the reason; it is played again under the same id.

    It is not if disputes stopped its pair, or the run: `stops` is that sentence then.
    """

    game: GameRecord
    why: str
    finished: int
    scheduled: int
    waits_for: tuple[str, ...] = ()
    """Its benched players: until they are readmitted it is given up."""
    stops: str = ""


class Withdrawn(Event, frozen=True, kw_only=True):
    """A dispute that does not count any more, with the reason: its game is played again under the same id."""

    dispute: Dispute
    why: str
    games: int
    """Games that are back in the plan, this one among them."""
    scheduled: int
    waits_for: tuple[str, ...] = ()
    """The benched players of the game: until they are readmitted it is given up."""
    stops: str = ""
    """The sentence that its pair meets no more, or the end of the run, by other disputes: then it stays given up."""
    over: str = ""
    """The reason of the end of the run, if other disputes have ended it."""


class Decided(Event, frozen=True, kw_only=True):
    """A sequential test or a stopping rule has ended the tournament for good; running games do not change it.

    It rests on the first `games` games of the plan; `test` is the line of a sequential test after them. Games that have
    not begun are given up.
    """

    why: str
    games: int
    test: str
    given_up: int
    scheduled: int


class Joined(Event, frozen=True, kw_only=True):
    """A player that was missing at the start came; `games` games had waited for it."""

    player: str
    games: int


class Awaiting(Event, frozen=True, kw_only=True):
    """Before the first game: the players that dial in and are not here yet, and those that are; with the address."""

    players: tuple[str, ...]
    here: tuple[str, ...]
    address: str
    seconds: float
    """Most seconds to wait for them."""


class Away(Event, frozen=True, kw_only=True):
    """A player that dials in has no connection; its `games` in the queue wait."""

    player: str
    games: int


class Back(Event, frozen=True, kw_only=True):
    """A player that was away has dialled in again; its `games` in the queue are played."""

    player: str
    games: int


class Waiting(Event, frozen=True, kw_only=True):
    """All `games` that are left wait for these players, for `seconds` at most."""

    players: tuple[str, ...]
    games: int
    seconds: int


class Remarked(Event, frozen=True, kw_only=True):
    """A line: the state of a sequential test after a game, of a goal after a batch, or the awaited change.

    `games` have finished by then.
    """

    text: str
    games: int = 0
    standing: Standing | None = None
    """The chosen player of a goal, which the line is about."""


class RatedPlayer(Struct, frozen=True):
    """A player in the ranking so far. An unknown number is null."""

    name: str
    elo: float | None
    minus: float | None
    """Elo to the lower end of the 95 % interval."""
    plus: float | None
    """Elo to its upper end."""
    score: float
    """Points per game, 0 to 1."""
    games: int
    failures: int


class Rated(Event, frozen=True, kw_only=True):
    """The ranking after `games` finished games, best first, and its answer; at most one in two seconds."""

    games: int
    players: tuple[RatedPlayer, ...]
    answer: str


class Warned(Event, frozen=True, kw_only=True):
    """A warning that stops nothing."""

    text: str


class Ended(Event, frozen=True, kw_only=True):
    """A manager stopped: `state` is `finished`, `interrupted` or `failed`; `why` is the reason of a finished run."""

    state: str
    why: str = ""
    finished: int
    scheduled: int


Subscriber = Callable[[Event], None]


class Feed:
    """Passes every event to every subscriber, at once and in order."""

    def __init__(self, subscribers: Iterable[Subscriber] = ()) -> None:
        self._subscribers = list(subscribers)

    def subscribe(self, subscriber: Subscriber) -> None:
        """Pass every event from now on to `subscriber`, which must not block."""
        self._subscribers.append(subscriber)

    def emit(self, event: Event) -> None:
        """Pass an event to all subscribers."""
        for subscriber in self._subscribers:
            subscriber(event)


def annulment(
    schedule: Schedule,
    history: History,
    game: PlannedGame,
    end: GameRecord | Dispute,
    why: str,
    *,
    before: int,
    scheduled: int,
) -> Annulled | Withdrawn:
    """Return the event of a game whose end counts no more; the history is the one after it.

    `before` and `scheduled` are the scheduled games before and after it.
    """
    waits_for = game.among(history.benched)
    stops = kept_apart(schedule, history.disputes, {game.first, game.second})
    if isinstance(end, GameRecord):
        finished = len(history.finished)
        rest: dict[str, int] = {"finished": finished, "scheduled": scheduled}
        return Annulled(at=now(), game=end, why=why, waits_for=waits_for, stops=stops, **rest)
    over = end_by_disputes(schedule, history.disputes)
    rest = {"games": scheduled - before, "scheduled": scheduled}
    return Withdrawn(at=now(), dispute=end, why=why, waits_for=waits_for, stops=stops, over=over, **rest)


def decided(found: Decision, given_up: int, scheduled: int) -> Decided:
    """Return the event of a decision."""
    rest: dict[str, int] = {"games": found.games, "given_up": given_up, "scheduled": scheduled}
    return Decided(at=now(), why=found.why, test=found.test, **rest)
