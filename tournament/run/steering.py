"""Changes of a run by hand while it is played: players benched, readmitted, added; games annulled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from fiedler.support.errors import UsageError, nearest
from fiedler.support.text import counted
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import GameRecord, PlannedGame
from fiedler.tournament.pairing import planner
from fiedler.tournament.play.admission import PlayerAdmission
from fiedler.tournament.play.probe import unusable
from fiedler.tournament.run.attendance import Attendance
from fiedler.tournament.run.continuation import identities
from fiedler.tournament.run.event_text import played_again, way_back
from fiedler.tournament.run.events import Annulled, Withdrawn
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.known_options import refuse_unknown
from fiedler.tournament.run.scheduler import Scheduler
from fiedler.tournament.run.store import Store
from fiedler.tournament.run.venue import Venue
from fiedler.tournament.schedule.newcomers import with_players
from fiedler.tournament.schedule.schedule import Schedule


class Request(Struct, frozen=True, tag_field="do", tag=lambda name: name.removesuffix("Request").lower()):
    """A change that is asked for."""


class BenchRequest(Request, frozen=True):
    """Give a player no more games."""

    player: str
    why: str = "by hand"


class ReadmitRequest(Request, frozen=True):
    """Let a benched player play again."""

    player: str


class AddRequest(Request, frozen=True):
    """Add the players of a file."""

    file: str


class AnnulRequest(Request, frozen=True):
    """Let a finished or disputed game, by its number or id, count no more."""

    game: str
    why: str


AnyRequest = BenchRequest | ReadmitRequest | AddRequest | AnnulRequest


class Steered(Struct, frozen=True):
    """A change that was made: `text` has it as a line."""

    text: str
    players: tuple[str, ...] = ()
    games: int = 0
    """Games that are given up, back in the plan, or played again."""


class Steering:
    """Makes changes, one at a time. Each is in the journal before it is reported, and survives a kill."""

    def __init__(
        self,
        schedule: Schedule,
        scheduler: Scheduler,
        journal: Journal,
        venue: Venue,
        attendance: Attendance,
        admission: PlayerAdmission | None,
    ) -> None:
        self._schedule = schedule
        self._scheduler = scheduler
        self._journal = journal
        self._venue = venue
        self._attendance = attendance
        self._admission = admission
        self._turn = asyncio.Lock()

    async def make(self, request: AnyRequest) -> Steered:
        """Make a change.

        Raises:
            UsageError: it is refused, and nothing has changed.

        """
        async with self._turn:
            if isinstance(request, BenchRequest):
                return await self._bench(request)
            if isinstance(request, ReadmitRequest):
                return await self._readmit(request.player)
            if isinstance(request, AddRequest):
                return await self._add(Path(request.file))
            return await self._annul(request)

    async def _bench(self, request: BenchRequest) -> Steered:
        name = request.player
        self._refuse_unknown(name)
        games = await self._scheduler.bench(name, request.why)
        later = f"{way_back(self._journal.folder, [name])} lets it play again"
        return Steered(f"benched {name}: {counted(games, 'game')} given up; {later}", (name,), games)

    async def _readmit(self, name: str) -> Steered:
        self._refuse_unknown(name)
        await self._refuse_unusable(self._schedule, [name])
        games = await self._scheduler.readmit(name)
        return Steered(f"readmitted {name}: {counted(games, 'game')} back in the plan", (name,), games)

    async def _annul(self, request: AnnulRequest) -> Steered:
        game, end = await asyncio.to_thread(ended_game, self._journal.folder, request.game)
        event = await self._scheduler.annul(game, end, request.why)
        return annulled(event, way_back(self._journal.folder, event.waits_for))

    async def _add(self, file: Path) -> Steered:
        method = self._schedule.pairing.kind
        if method.closed:
            raise UsageError(f"{file}: {method.name} takes no more players once it has begun")
        schedule = await asyncio.to_thread(with_players, self._schedule, file)
        added = schedule.players[len(self._schedule.players) :]
        names = tuple(player.name for player in added)
        await asyncio.to_thread(_refuse_plan, schedule, self._journal.folder)
        of_file = replace(schedule, file=str(file))  # errors name the file of the new players
        self._enrol(of_file, names)
        await self._refuse_unusable(of_file, names)
        write = partial(self._journal.add_players, schedule, identities(schedule), added)
        await self._scheduler.extend(schedule, write)
        self._schedule = schedule
        return Steered(f"added {', '.join(names)}", names)

    def _enrol(self, schedule: Schedule, names: tuple[str, ...]) -> None:
        """Prepare for new players at the door and at the tables."""
        dialling = [name for name in schedule.dialling if name in names]
        if dialling and self._admission is None:
            where = f"players {dialling[0]!r}.dial_in"
            raise schedule.error(where, "expected a run with the option --listen HOST:PORT, got none")
        if self._admission is not None:
            self._admission.enrol(dialling)
        self._venue.add(replace(schedule, file=self._schedule.file), names)
        self._attendance.add(dialling)

    def _refuse_unknown(self, name: str) -> None:
        if name not in self._schedule.names:
            raise UsageError(f"unknown player {name!r}{nearest(name, self._schedule.names)}")

    async def _refuse_unusable(self, schedule: Schedule, names: Iterable[str]) -> None:
        """Refuse players that do not start; those that dial in may come later."""
        failures: Mapping[str, str] = {}
        sought = [name for name in names if not self._attendance.is_away(name)]
        if sought:
            failures = await self._venue.probe(sought)
        if failures:
            raise unusable(schedule, failures)


def ended_game(folder: Path, text: str) -> tuple[PlannedGame, GameRecord | Dispute]:
    """Return a finished or disputed game by its number or id; raises UsageError."""
    with Store.open_again(folder) as store:
        number = int(text) if text.isdecimal() and len(text) < 10 else store.number_of(text)
        dispute = next((one for one in store.disputes if one.number == number), None)
        game, end = store.planned_game(number), store.game(number) or dispute
    if game is None:
        raise UsageError(f"expected the number or the id of a game of {folder}, got {text!r}")
    if end is None:
        raise UsageError(f"game {game.number} of {folder} has not ended")
    return game, end


def annulled(event: Annulled | Withdrawn, commands: str) -> Steered:
    """Return the change of a game that is played again; the `commands` readmit the benched players it waits for."""
    fate = played_again(event, commands, " under the same id")
    game = event.game if isinstance(event, Annulled) else event.dispute
    players, which = (game.first, game.second), f"game {game.number} ({game.first} vs {game.second})"
    if isinstance(event, Annulled):
        return Steered(f"annulled {which}; {fate}", players, int(not event.stops))
    return Steered(f"withdrew the dispute in {which}; {fate}", players, event.games)


def _refuse_plan(schedule: Schedule, folder: Path) -> None:
    """Refuse a schedule with unknown options, or without a plan that keeps the games of the run."""
    refuse_unknown(schedule)
    with Store.open_again(folder) as store:
        planner(schedule).next_step(store.history())
