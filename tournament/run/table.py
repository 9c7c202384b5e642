"""A table: one game at a time between two players."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

import games
from protocol.mistake import quoted_line
from tournament.game import GameRecord, PlannedGame, now, player_seed
from tournament.play.adjudicator import make_adjudicator
from tournament.play.clock import Clock, make_clock
from tournament.play.endpoint import Endpoint
from tournament.play.match import Match
from tournament.play.process import MachineError
from tournament.play.referee import Outcome, Referee, lost
from tournament.play.session import Fault, OptionError, PlayerLostError, PlayerSession
from tournament.run.lease import FinishedLease, Lease, Notice, VoidedLease
from tournament.run.live import Board, Boards
from tournament.schedule.schedule import Schedule

SETTLE_S = 0.5
"""Most seconds of a search after the end of its game."""


class Table(Protocol):
    """Plays one game at a time, in this process or another one."""

    async def play(self, lease: Lease) -> FinishedLease | VoidedLease:
        """Play a game. Every behaviour of a player ends in a record. `clear` must follow."""

    async def clear(self) -> Sequence[Notice]:
        """Release the players of the last game, within a few seconds, and return the notices about them."""


class LocalTable:
    """A table in this process."""

    def __init__(self, schedule: Schedule, endpoints: Mapping[str, Endpoint], boards: Boards) -> None:
        """Play with the `endpoints` of players by name; running games are shown among `boards`."""
        self._boards = boards
        self._schedule = schedule
        self._game = games.game(schedule.tournament.game)
        self._endpoints = endpoints
        self._seats: dict[int, tuple[Endpoint, PlayerSession]] = {}
        self._notices: list[Notice] = []

    async def play(self, lease: Lease) -> FinishedLease | VoidedLease:
        """Play a game; both players keep their seats until `clear`."""
        started = now()
        clock = make_clock(self._schedule.limit)
        referee = Referee(self._game, lease.game.opening)
        try:
            outcome = await self._seat_both(lease.game)
            if outcome is None:
                outcome = await self._shown(lease.game, referee, clock)
        except MachineError as error:
            return VoidedLease(lease, str(error))
        return FinishedLease(lease, _record(lease.game, referee, clock, outcome, started))

    async def clear(self) -> Sequence[Notice]:
        """Give the players back to their endpoints once none of them searches any more."""
        for side in sorted(self._seats):
            endpoint, session = self._seats.pop(side)
            await session.settle(SETTLE_S)
            self._notice_stray(session)
            await endpoint.release(session)
        noticed, self._notices = self._notices, []
        return noticed

    def _match(self, game: PlannedGame, referee: Referee, clock: Clock) -> Match:
        adjudicator = make_adjudicator(self._schedule.adjudication, referee, (game.first, game.second))
        sessions = [self._seats[side][1] for side in (0, 1)]
        return Match(referee, clock, sessions, asyncio.get_running_loop(), adjudicator)

    async def _shown(self, game: PlannedGame, referee: Referee, clock: Clock) -> Outcome:
        """Play a game whose players are ready, and show it to watchers."""

        def ply() -> int:
            return len(referee.moves)

        def board() -> Board:
            return self._board(game, referee, clock)

        with self._boards.showing(game.number, ply, board):
            return await self._match(game, referee, clock).play()

    def _board(self, game: PlannedGame, referee: Referee, clock: Clock) -> Board:
        mover = referee.side
        limit, info = clock.limit(mover), self._seats[1 - mover][1].last_info
        clocks = limit.p1time_ms, limit.p2time_ms
        return Board(
            number=game.number,
            id=game.id,
            first=game.first,
            second=game.second,
            opening=game.opening,
            moves=tuple(referee.moves),
            clock_ms=None if clocks[0] is None or clocks[1] is None else (clocks[0], clocks[1]),
            to_move=mover,
            score=None if info is None else info.score_cp,
            depth=None if info is None else info.depth,
            nps=None if info is None else info.nps,
        )

    async def _seat_both(self, game: PlannedGame) -> Outcome | None:
        """Get both players ready; return the outcome if one of them cannot play. If neither can, the first loses."""
        for side in (0, 1):
            endpoint = self._endpoint(game, side)
            if (session := endpoint.idle()) is not None:
                self._sit(game, side, endpoint, session)
        if len(self._seats) == 2:  # nearly always: both are idle sessions
            results = [await self._seat(game, side) for side in (0, 1)]
        else:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._seat(game, side)) for side in (0, 1)]
            results = [task.result() for task in tasks]
        for result in results:
            if isinstance(result, MachineError):
                raise result
        for side, fault in enumerate(results):
            if isinstance(fault, Fault):
                return lost(side, fault.termination, f"{game.player(side)} {fault.detail}")
        return None

    async def _seat(self, game: PlannedGame, side: int) -> Fault | MachineError | None:
        """Connect to a player without a seat, and wait until it is ready; return the failure, if there is one."""
        try:
            if side not in self._seats:
                endpoint = self._endpoint(game, side)
                self._sit(game, side, endpoint, await endpoint.acquire())
            await self._get_ready(game, side)
        except MachineError as error:
            return error
        except PlayerLostError as error:
            return error.fault
        except OptionError as error:
            return Fault("disconnect", str(error))
        except TimeoutError:
            return self._cut_off(self._seats[side][1])
        return None

    async def _get_ready(self, game: PlannedGame, side: int) -> None:
        """Wait until a player is ready. One that ended after an earlier game has not failed: it starts again."""
        endpoint, session = self._seats[side]
        try:
            await session.ready()
        except PlayerLostError as error:
            if not session.was_idle:
                raise
            await endpoint.release(self._seats.pop(side)[1])
            self._sit(game, side, endpoint, await endpoint.acquire(fresh=True))
            await self._seats[side][1].ready()
            self._notice_restart(endpoint.name, error.fault)

    def _cut_off(self, session: PlayerSession) -> Fault:
        limit = f"{self._schedule.limit.startup_s:g} s"
        fault = Fault("time", f"was not ready for a new game within {limit}{session.mistake}")
        session.cut_off(fault)
        return fault

    def _endpoint(self, game: PlannedGame, side: int) -> Endpoint:
        return self._endpoints[game.player(side)]

    def _sit(self, game: PlannedGame, side: int, endpoint: Endpoint, session: PlayerSession) -> None:
        """Give a player its seat and announce the game."""
        self._seats[side] = endpoint, session
        seed = player_seed(self._schedule.tournament.seed, game.id, side) if session.offers_seed else 0
        session.announce(seed, self._schedule.limit.startup_s)

    def _notice_restart(self, name: str, fault: Fault) -> None:
        """Note that a player ends after each game; its author may not know."""
        text = f"{name} {fault.detail} between two games, and is restarted; later ones are not reported"
        self._notices.append(Notice(name, "restart", text))

    def _notice_stray(self, session: PlayerSession) -> None:
        """Note an answer without a question: the player's next answers may be taken for the wrong moves."""
        if stray := session.take_stray():
            text = f"{session.player} sent {quoted_line(stray)} without a request: ignored; later ones are not reported"
            self._notices.append(Notice(session.player, "stray", text))


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
