"""The notices of a run: its start, its verdict, a benched player, a failure, an interruption."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct

from fiedler.support.errors import reason
from fiedler.support.text import counted
from fiedler.tournament.game import now
from fiedler.tournament.run.events import Began, Benched, Decided, Ended, Event, Finished, Rated, RatedPlayer, Started
from fiedler.tournament.run.interim import games_text
from fiedler.tournament.schedule.schedule import Schedule

STARTED, BENCHED, FINISHED, INTERRUPTED, FAILED = "started", "benched", "finished", "interrupted", "failed"
MOST_NAMES = 10
"""The players that a start names."""
TOP = 5
"""The players of the ranking at the end."""
RESUME = "the same command resumes it"
LOST = f"the manager has ended without a word, killed or interrupted twice; {RESUME}"
CALLS = re.compile(r"[<@](?=\S)")
"""Beginnings of words by which a name would call everybody of a chat, as `@everyone` and `<!channel>`."""


class RunNotice(Struct, frozen=True, kw_only=True):
    """One message about a run."""

    event: str
    """`started`, `benched`, `finished`, `interrupted` or `failed`."""
    run: str
    game: str
    at: str
    """ISO 8601, UTC, milliseconds."""
    text: str
    """The whole notice for a reader, in one line or more."""
    finished: int = 0
    """Finished games of the run."""
    scheduled: int = 0
    """Its games, those of the plan so far."""
    players: tuple[str, ...] = ()
    """At the start: the first MOST_NAMES of them."""
    num_players: int = 0
    ranking: tuple[RatedPlayer, ...] = ()
    """At the end: the first TOP of them; empty with fewer games than a ranking needs."""
    verdict: str = ""
    """At the end: the answer of the run, and the reason of its end."""


def payload(notice: RunNotice) -> dict[str, Any]:
    """Return the JSON object of a notice: `text` is that of Slack and Matrix, `content` that of Discord."""
    fields = msgspec.to_builtins(notice)
    text = CALLS.sub("\\g<0>\u200b", fields.pop("text"))
    return {"text": text, "content": text, "notice": fields}


class Notices:
    """The notices that the events of one manager give. A run without a game left gives none."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._began: Began | None = None
        self._ended: Ended | None = None
        self._rated: Rated | None = None
        self._finished = self._scheduled = 0
        self._plays = False
        """Whether a game has begun, or the run was decided without one."""

    def after(self, event: Event) -> RunNotice | None:
        """Return the notice of an event, if it has one."""
        if isinstance(event, Began):
            self._began, self._finished, self._scheduled = event, event.finished, event.scheduled
        elif isinstance(event, Rated):
            self._rated = event
        elif isinstance(event, Finished | Ended):
            self._finished, self._scheduled = event.finished, event.scheduled
            self._ended = event if isinstance(event, Ended) else None
        elif isinstance(event, Benched):
            self._scheduled = event.scheduled
            return self._notice(BENCHED, f"benched {event.player}: {event.why}")
        elif isinstance(event, Started | Decided):
            begins, self._plays = not self._plays and isinstance(event, Started), True
            self._scheduled = event.scheduled
            return self._start() if begins else None
        return None

    def at_end(self, error: BaseException | None) -> RunNotice | None:
        """Return the notice of the end of the manager: by an error or a signal, or without one."""
        from fiedler.tournament.run.manager import InterruptedRunError

        if error is not None and not isinstance(error, InterruptedRunError | KeyboardInterrupt):
            kind = "" if type(error).__module__.startswith("fiedler.") else f"{type(error).__name__}: "
            return self._notice(FAILED, f"failed{self._so_far}: {kind}{reason(str(error))}")
        if error is not None or (self._ended is not None and self._ended.state == INTERRUPTED):
            return self._notice(INTERRUPTED, f"interrupted{self._so_far}; {RESUME}") if self._began else None
        return self._verdict() if self._plays else None

    def lost(self) -> RunNotice:
        """Return the notice of a manager that ends without a word, as after a kill."""
        return self._notice(FAILED, LOST)

    @property
    def _so_far(self) -> str:
        return "" if self._began is None else f" after {self._games(is_all=False)}"

    def _games(self, *, is_all: bool, verb: str = "") -> str:
        return games_text(self._schedule.pairing, self._finished, self._scheduled, is_all=is_all, verb=verb)

    def _start(self) -> RunNotice:
        assert self._began is not None
        names = self._began.players
        shown = names[:MOST_NAMES]
        who = f"{counted(len(names), 'player')}: {', '.join(shown)}{' …' if len(names) > len(shown) else ''}"
        verb = "resumed" if self._finished else "started"
        text = f"{verb} with {who}; {self._games(is_all=False, verb=' finished')}"
        return self._notice(STARTED, text, players=shown, num_players=len(names))

    def _verdict(self) -> RunNotice:
        why = "" if self._ended is None else self._ended.why
        answer, players = ("", ()) if self._rated is None else (self._rated.answer, self._rated.players[:TOP])
        verdict = answer if why in answer else "; ".join(filter(None, (answer, why)))
        rows = (f"{place}. {_row(player)}" for place, player in enumerate(players, 1))
        head = f"finished, {self._games(is_all=True)}{verdict and f': {verdict}'}"
        return self._notice(FINISHED, "\n".join((head, *rows)), ranking=players, verdict=verdict)

    def _notice(self, event: str, text: str, **more: Any) -> RunNotice:  # noqa: ANN401 - fields of different types
        table = self._schedule.tournament
        counts: dict[str, Any] = {"finished": self._finished, "scheduled": self._scheduled}
        text = f"{table.name} ({table.game}): {text}"
        return RunNotice(event=event, run=table.name, game=table.game, at=now(), text=text, **counts, **more)


def _row(player: RatedPlayer) -> str:
    """Return a line of the ranking, as `anna 120 ±35, 62 % of 40 games`."""
    elo = "" if player.elo is None else f" {player.elo:.0f}"
    error = "" if player.minus is None or player.plus is None else f" ±{(player.minus + player.plus) / 2:.0f}"
    return f"{player.name}{elo}{error}, {100 * player.score:.0f} % of {counted(player.games, 'game')}"
