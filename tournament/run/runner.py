"""Plays the games of a run, several at a time, until all are finished or somebody interrupts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import games
from protocol.mistake import quoted
from tournament.pairing.plan import PlannedGame, player_seed
from tournament.play.adjudicator import make_adjudicator
from tournament.play.clock import Clock, make_clock
from tournament.play.endpoint import Endpoint
from tournament.play.match import Match
from tournament.play.process import MachineError
from tournament.play.referee import Outcome, Referee, lost
from tournament.play.session import Fault, OptionError, PlayerLostError, Session
from tournament.run.events import Finished, Started, Voided, Warned, now
from tournament.run.recorder import Recorder
from tournament.run.scheduler import Agenda
from tournament.run.store import GameRecord
from tournament.schedule.schedule import Schedule

SETTLE_S = 0.5
"""seconds that a search gets to stop after its game is over"""
VOIDS_IN_A_ROW = 3
"""void games one after the other that prove that the machine will not recover by itself"""
VOID_PAUSE_S = 0.5
"""seconds that the machine gets to recover after a void game"""


class Runner:
    """The players that play the games of an agenda, and where their results go."""

    def __init__(
        self,
        schedule: Schedule,
        agenda: Agenda,
        recorder: Recorder,
        tables: Sequence[Mapping[str, Endpoint]],
        finished: int,
    ) -> None:
        """Prepare to play, after `finished` games that are played already, one game at each of the `tables` at a time.

        A table says by name how its players are reached; several may be the same.
        """
        self._schedule = schedule
        self._game = games.game(schedule.tournament.game)
        self._agenda = agenda
        self._recorder = recorder
        self._tables = tables
        self._finished = finished
        self._voids_in_a_row = 0
        self._restarted: set[str] = set()
        self._strays: set[str] = set()

    async def run(self) -> None:
        """Play all games.

        Raises:
            ExceptionGroup: of a WorkError, where the machine cannot go on.

        """
        async with asyncio.TaskGroup() as group:
            recording = group.create_task(self._recorder.run())
            looking = group.create_task(self._agenda.look_for_absentees())
            try:
                async with asyncio.TaskGroup() as workers:
                    for table in self._tables:
                        workers.create_task(self._work(table))
            finally:
                looking.cancel()
                self._recorder.finish()
                await asyncio.wait({recording})

    async def _work(self, table: Mapping[str, Endpoint]) -> None:
        while (game := await self._agenda.take()) is not None:
            seats: dict[int, Session] = {}
            try:
                event = await self._play(game, table, seats)
                self._recorder.record(event)
            except asyncio.CancelledError:
                self._recorder.record(Voided(at=now(), game=game, why="interrupted"))
                raise
            finally:
                await self._leave(game, table, seats)
            if isinstance(event, Finished):
                self._voids_in_a_row = 0
                await self._agenda.done(event.game, game.step, game.turn)
            else:
                await self._play_again(game, event.why)

    async def _play_again(self, game: PlannedGame, why: str) -> None:
        self._voids_in_a_row += 1
        if self._voids_in_a_row >= VOIDS_IN_A_ROW:
            raise MachineError(f"{why} ({VOIDS_IN_A_ROW} void games in a row)")
        await asyncio.sleep(VOID_PAUSE_S)
        await self._agenda.put_back(game)

    async def _play(
        self, game: PlannedGame, table: Mapping[str, Endpoint], seats: dict[int, Session]
    ) -> Finished | Voided:
        """Play one game; whatever a player does ends in a record. The players stay in their `seats`."""
        started = now()
        self._recorder.record(
            Started(at=started, game=game, planned=self._agenda.planned, scheduled=self._agenda.scheduled)
        )
        clock = make_clock(self._schedule.limit)
        referee = Referee(self._game, game.opening)
        try:
            outcome = await self._seat_both(game, table, seats)
            if outcome is None:
                judge = make_adjudicator(self._schedule.adjudication, referee, (game.first, game.second))
                outcome = await Match(referee, clock, (seats[0], seats[1]), asyncio.get_running_loop(), judge).play()
            record = _record(game, referee, clock, outcome, started)
        except MachineError as error:
            return Voided(at=now(), game=game, why=str(error))
        self._finished += 1
        return Finished(at=record.finished, game=record, finished=self._finished, scheduled=self._agenda.scheduled)

    async def _seat_both(
        self, game: PlannedGame, table: Mapping[str, Endpoint], seats: dict[int, Session]
    ) -> Outcome | None:
        """Get both players ready; the outcome if one of them cannot play. If neither can, the first loses."""
        endpoints = table[game.first], table[game.second]
        for side, endpoint in enumerate(endpoints):
            if (session := endpoint.idle()) is not None:
                seats[side] = session
                self._announce(game, side, session)
        if len(seats) == len(endpoints):  # nearly always: both get ready by themselves, none has to be started
            results = [await self._seat(game, side, endpoints[side], seats) for side in (0, 1)]
        else:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._seat(game, side, endpoints[side], seats)) for side in (0, 1)]
            results = [task.result() for task in tasks]
        for result in results:
            if isinstance(result, MachineError):
                raise result
        for side, (name, fault) in enumerate(zip((game.first, game.second), results, strict=True)):
            if isinstance(fault, Fault):
                return lost(side, fault.termination, f"{name} {fault.detail}")
        return None

    async def _seat(
        self, game: PlannedGame, side: int, endpoint: Endpoint, seats: dict[int, Session]
    ) -> Fault | MachineError | None:
        """Reach one player that has no seat yet, and wait until it is ready; say why if that fails."""
        try:
            if side not in seats:
                seats[side] = await endpoint.acquire()
                self._announce(game, side, seats[side])
            try:
                await seats[side].ready()
            except PlayerLostError as error:
                if not seats[side].was_idle:
                    raise
                await endpoint.release(seats.pop(side))  # it ended after another game: no failure in this one
                seats[side] = await endpoint.acquire(fresh=True)
                self._announce(game, side, seats[side])
                await seats[side].ready()
                self._say_restarted(endpoint.name, error.fault)
        except MachineError as error:
            return error
        except PlayerLostError as error:
            return error.fault
        except OptionError as error:
            return Fault("disconnect", str(error))
        except TimeoutError:
            fault = Fault(
                "time", f"was not ready for a new game within {self._schedule.limit.startup_s:g} s{seats[side].mistake}"
            )
            seats[side].cut_off(fault)
            return fault
        return None

    def _say_restarted(self, name: str, fault: Fault) -> None:
        """Say once of a player that it does not stay from game to game: its author may not know."""
        if name not in self._restarted:
            self._restarted.add(name)
            text = f"{name} {fault.detail} between two games, and is started again; more of that is not told"
            self._recorder.record(Warned(at=now(), text=text))

    def _say_stray(self, session: Session) -> None:
        """Say once of a player that it answers where nothing was asked: its next move may be taken for another."""
        stray = session.take_stray()
        if stray and session.player not in self._strays:
            self._strays.add(session.player)
            text = f"{session.player} said {quoted(stray)} without a go: ignored; later ones are not reported"
            self._recorder.record(Warned(at=now(), text=text))

    def _announce(self, game: PlannedGame, side: int, session: Session) -> None:
        seed = player_seed(self._schedule.tournament.seed, game.id, side) if session.offers_seed else 0
        session.announce(seed, self._schedule.limit.startup_s)

    async def _leave(self, game: PlannedGame, table: Mapping[str, Endpoint], seats: Mapping[int, Session]) -> None:
        for side, session in seats.items():
            await session.settle(SETTLE_S)
            self._say_stray(session)
            await table[_name(game, side)].release(session)


def first_of(group: BaseExceptionGroup[BaseException], kind: type[Exception]) -> BaseException:
    """Return the first exception of this kind in a group that holds one, at any depth."""
    found: BaseException | None = group.subgroup(kind)
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    assert found is not None
    return found


def _name(game: PlannedGame, side: int) -> str:
    return game.second if side else game.first


def _record(game: PlannedGame, referee: Referee, clock: Clock, outcome: Outcome, started: str) -> GameRecord:
    return GameRecord(
        id=game.id,
        number=game.number,
        first=game.first,
        second=game.second,
        opening=game.opening,
        moves=tuple(referee.moves),
        result=outcome.result,
        termination=outcome.termination,
        detail=outcome.detail,
        started=started,
        finished=now(),
        seconds_first=round(clock.used[0], 6),
        seconds_second=round(clock.used[1], 6),
    )
