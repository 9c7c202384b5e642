"""A table: one game at a time between two players."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from fiedler import games
from fiedler.games.result import Result
from fiedler.games.rules import RulesError
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.evaluation import evaluation, to_text
from fiedler.tournament.game import GameRecord, PlannedGame, now
from fiedler.tournament.play.adjudicator import Adjudicator, make_adjudicator
from fiedler.tournament.play.agreement import AgreementReferee
from fiedler.tournament.play.agreement_match import AgreementMatch
from fiedler.tournament.play.clock import Clock, make_clock
from fiedler.tournament.play.endpoint import Endpoint
from fiedler.tournament.play.final_scores import FinalScores
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.play.match import Kept, Match
from fiedler.tournament.play.opinion import DisputeError
from fiedler.tournament.play.referee import Outcome, Referee, lost
from fiedler.tournament.play.session import Fault, PlayerLostError
from fiedler.tournament.play.shared_server import NAME as SERVER
from fiedler.tournament.play.shared_server import SharedServer
from fiedler.tournament.play.standstill import Standstill
from fiedler.tournament.run.lease import FinishedLease, Lease, Notice, VoidedLease
from fiedler.tournament.run.live import Board, Boards
from fiedler.tournament.run.seats import Seats
from fiedler.tournament.run.variations import Variations
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.termination import FAILURES, Termination


class Table(Protocol):
    """Plays one game at a time, in this process or another one."""

    @property
    def node(self) -> str:
        """The node of a cluster where it is; empty at home."""

    @property
    def is_open(self) -> bool:
        """Whether it takes games. A closed one stays closed."""

    @property
    def is_needed(self) -> bool:
        """Whether any game can be for it now; if not, nobody looks through the queue for it."""

    def may_play(self, game: PlannedGame) -> bool:
        """Return whether both players of a game can play here."""

    @property
    def ended(self) -> FinishedLease | None:
        """The game under way, if its play has ended and notes about it may be missing: an interrupt keeps it."""

    async def play(self, lease: Lease) -> FinishedLease | VoidedLease:
        """Play a game. Every behaviour of a player ends in a record. `clear` must follow."""

    async def clear(self) -> Sequence[Notice]:
        """Release the players of the last game, within a few seconds, and return the notices about them."""


class EndedGame(NamedTuple):
    """A game whose play has ended, with the parts that notes about it need."""

    finished: FinishedLease
    outcome: Outcome
    referee: Referee
    kept: Kept


class LocalTable:
    """A table in this process."""

    node = ""
    is_open = is_needed = True

    def __init__(
        self,
        schedule: Schedule,
        endpoints: Mapping[str, Endpoint],
        boards: Boards,
        server: SharedServer | None = None,
    ) -> None:
        """Play with the `endpoints` of players by name; running games are shown among `boards`.

        `server` is the shared one of these endpoints.
        """
        self._boards = boards
        self._schedule = schedule
        self._game = games.any_game(schedule.tournament.game)
        self._seats = Seats(schedule, endpoints)
        self._scores = FinalScores(self._game)
        self._server = server
        self._variations = Variations(schedule)
        self._remarks: list[Notice] = []
        """The remarks about the last game."""
        self.ended: FinishedLease | None = None
        """The game under way, if its play has ended and notes about it may be missing."""

    def may_play(self, game: PlannedGame) -> bool:  # noqa: ARG002
        """Return whether both players of a game can play here: all can."""
        return True

    async def play(self, lease: Lease) -> FinishedLease | VoidedLease:
        """Play a game; both players keep their seats until `clear`."""
        with Standstill(asyncio.get_running_loop()) as standstill:
            played = await self._play(lease)
            still_s = standstill.seconds
        if isinstance(played, VoidedLease):
            return played
        if still_s and played.outcome.termination is Termination.TIME:
            return VoidedLease(lease, f"{played.outcome.detail}, but this machine stood still for {still_s:.1f} s")
        self.ended = played.finished
        return await self._noted(played)

    async def _noted(self, played: EndedGame) -> FinishedLease:
        """Return a finished game with the scores of its players, and keep the remarks about it."""
        finished, outcome, referee, kept = played
        seated = filter(None, map(self._seats.session, (0, 1)))
        outcome = await self._scores.compared(outcome, referee, list(seated))
        self.ended = finished = replace(finished, record=replace(finished.record, detail=outcome.detail))
        self._remarks += await self._variations.remarks(finished.record, kept)
        return finished

    async def _play(self, lease: Lease) -> EndedGame | VoidedLease:
        started = now()
        clock = make_clock(self._schedule.limit)
        try:
            kind = Referee if self._game.has_rules else AgreementReferee
            referee = kind(self._game, lease.game.opening, lease.game.start)
            if (failure := await self._seats.fill(lease.game)) is None:
                outcome, kept = await self._shown(lease.game, referee, clock)
                suspect = referee.side
            else:
                suspect, fault = failure
                name = lease.game.player(suspect)
                if fault.absent:
                    return VoidedLease(lease, f"{name} {fault.detail}", absent=name)
                outcome = lost(suspect, fault.termination, f"{name} {fault.detail}")
                kept = []
        except RulesError as error:
            return VoidedLease(lease, str(error), by_rules=True)
        except MachineError as error:
            return VoidedLease(lease, str(error))
        except DisputeError as error:
            dispute = _dispute(lease.game, referee, error)
            return VoidedLease(lease, dispute.text, dispute=dispute)
        # Another player of the same process may be the reason. A search for which the process has no memory or thread
        # left ends without a move, which is an illegal move.
        if outcome.termination in FAILURES and (name := self._isolated(lease.game, outcome, suspect)):
            return VoidedLease(lease, f"{outcome.detail} at the shared server; {name} gets its own process", name)
        credits_ms = (round(clock.credit[0] * 1000, 3), round(clock.credit[1] * 1000, 3))
        record = _record(lease.game, referee, clock, outcome, kept, started)
        return EndedGame(FinishedLease(lease, record, credits_ms), outcome, referee, kept)

    def _isolated(self, game: PlannedGame, outcome: Outcome, suspect: int) -> str:
        """Return the player that gets its own process after a failure; empty if the failure is the player's own."""
        failed = 1 if outcome.result is Result.won_by(0) else 0
        return self._seats.isolate(game, failed, suspect)

    async def clear(self) -> Sequence[Notice]:
        """Give the players back to their endpoints once none of them searches any more."""
        self.ended = None
        noticed = await self._seats.clear()
        scored = [Notice(name, "final_score", text) for name, text in self._scores.take_warnings().items()]
        warnings = [] if self._server is None else self._server.take_warnings()
        remarks, self._remarks = self._remarks, []
        return [*noticed, *scored, *remarks, *(Notice(SERVER, "start", text) for text in warnings)]

    async def _shown(self, game: PlannedGame, referee: Referee, clock: Clock) -> tuple[Outcome, Kept]:
        """Play a game whose players are ready, and show it to watchers; return its end and the reports of its moves."""

        def ply() -> int:
            return referee.settled  # a board is shown again once its side to move is known

        def board() -> Board:
            return self._board(game, referee, clock)

        adjudicator = make_adjudicator(self._schedule.adjudication, referee, (game.first, game.second))
        match = self._match(referee, clock, adjudicator)
        with self._boards.showing(game.number, ply, board):
            outcome = await (self._with_returns(game, match) if self._schedule.limit.reconnect_s else match.play())
        return outcome, match.kept

    def _match(self, referee: Referee, clock: Clock, adjudicator: Adjudicator | None) -> Match:
        sessions, loop = self._seats.sessions, asyncio.get_running_loop()
        if not isinstance(referee, AgreementReferee):
            return Match(referee, clock, sessions, loop, adjudicator)
        match = AgreementMatch(referee, clock, sessions, loop, adjudicator)
        match.answer_s = self._schedule.limit.startup_s
        return match

    async def _with_returns(self, game: PlannedGame, match: Match) -> Outcome:
        """Play a game to which players whose line is lost may return."""
        tasks: list[asyncio.Task[None]] = []
        unfinished: DisputeError | RulesError | None = None
        async with asyncio.TaskGroup() as group:

            def may_return(side: int, fault: Fault) -> bool:
                if not self._seats.may_return(game, side):
                    return False
                tasks.append(group.create_task(self._bring_back(game, side, fault, match)))
                return True

            match.may_return = may_return
            try:
                return await match.play()
            except (DisputeError, RulesError) as error:  # the group would wrap it
                unfinished = error
            finally:
                for task in tasks:
                    task.cancel()
        assert unfinished is not None
        raise unfinished

    async def _bring_back(self, game: PlannedGame, side: int, fault: Fault, match: Match) -> None:
        try:
            session = await self._seats.bring_back(game, side, fault)
        except PlayerLostError as error:
            match.gone(side, error.fault)
        else:
            match.returned(side, session)

    def _board(self, game: PlannedGame, referee: Referee, clock: Clock) -> Board:
        mover = referee.side
        limit, last = clock.limit(mover), self._seats.session(referee.last_side)
        info = None if last is None else last.last_info
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
            start=game.start,
            sides=referee.sides,
        )


def _record(
    game: PlannedGame, referee: Referee, clock: Clock, outcome: Outcome, kept: Kept, started: str
) -> GameRecord:
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
        evaluations=to_text(evaluation(info(), seconds) for info, seconds in kept),
        start=game.start,
        sides=referee.sides,
    )


def _dispute(game: PlannedGame, referee: Referee, error: DisputeError) -> Dispute:
    moves = tuple(referee.moves)
    return Dispute(now(), game.number, game.id, game.first, game.second, moves, error.question, error.opinions)
