"""One game by agreement: after each move both players are asked about the position, then one of them for a move."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from games.result import Result
from protocol.ugi.queries import GAMEOVER, LEGAL_MOVES, P1TURN, RESULT
from tournament.play.adjudicator import Adjudicator
from tournament.play.agreement import AgreementReferee
from tournament.play.clock import Clock
from tournament.play.match import Match
from tournament.play.opinion import Opinion, WrongAnswerError, opinion, result_of
from tournament.play.referee import Outcome, lost
from tournament.play.session import Fault, PlayerLostError, PlayerSession
from tournament.termination import Termination

Answer = TypeVar("Answer")
Asked = Callable[[PlayerSession], Awaitable[Answer]]
"""Asks a player."""


class AgreementMatch(Match):
    """A match that asks for opinions between two moves; no clock runs meanwhile.

    A player that does not answer, or not in the words of the protocol, loses the game.
    """

    _referee: AgreementReferee

    def __init__(
        self,
        referee: AgreementReferee,
        clock: Clock,
        sessions: Sequence[PlayerSession],
        loop: asyncio.AbstractEventLoop,
        adjudicator: Adjudicator | None = None,
        time: Callable[[], float] = time.monotonic,
        *,
        seconds: float,
    ) -> None:
        """Prepare the game as a `Match`; a player has `seconds` for its answers about a position."""
        super().__init__(referee, clock, sessions, loop, None, time)
        self._judges = adjudicator
        self._seconds = seconds
        self._mover: int | None = None
        """The side of the last move; None before the first one."""
        self._asking: asyncio.Task[None] | None = None
        """The questions to both players; done while one of them thinks about its move."""
        self._back = (asyncio.Event(), asyncio.Event())
        """By side: the line that was lost is back, or the game has ended."""
        self._done.add_done_callback(lambda _: self._wake())

    async def play(self) -> Outcome:
        """Play from the start to the end. Never raises for a player's failure.

        A player that is still to answer then has the time for it: the answers belong to no other game.

        Raises:
            DisputeError: the players do not agree.

        """
        try:
            return await super().play()
        except asyncio.CancelledError:
            if self._asking is not None:
                self._asking.cancel()
            raise
        finally:
            if self._asking is not None:
                await asyncio.wait({self._asking})

    def returned(self, side: int, session: PlayerSession) -> None:
        """Resume with a lost player in a new session; questions that it did not answer are asked again."""
        asking = self._asking is not None and not self._asking.done()
        if not asking or self._done.done():
            super().returned(side, session)
            return
        self._sessions[side] = session
        self._away.discard(side)
        session.listener = self
        if session.fault is not None:
            self.lost(session, session.fault)
        self._back[side].set()

    def _wake(self) -> None:
        for event in self._back:
            event.set()

    def _judge(self, move: str, now: float) -> Outcome | None:
        self._mover = self._side
        return super()._judge(move, now)

    def _ask(self, now: float) -> None:  # noqa: ARG002 - the clock starts with the question for a move
        """Ask both players about the position, then one of them for a move."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._asking = self._loop.create_task(self._agree())

    async def _agree(self) -> None:
        """Ask both players about the position, and continue with what they agree on."""
        try:
            first, second = await self._both(self._opinion)
            if first is None or second is None:
                return
            outcome = await self._result() if self._referee.agree(first, second) else self._adjudicated()
            if self._done.done():
                return
            if outcome is None:
                super()._ask(self._time())
            else:
                self._done.set_result(outcome)
        except Exception as error:  # noqa: BLE001, RUF100 - a dispute, or a bug, which must surface in the task of the game
            if not self._done.done():
                self._done.set_exception(error)

    async def _result(self) -> Outcome | None:
        """Return the outcome of a game that is over; None if it has ended otherwise."""
        first, second = await self._both(self._answered_result)
        return None if first is None or second is None else self._referee.end(first, second)

    def _adjudicated(self) -> Outcome | None:
        if self._referee.outcome is not None or self._judges is None or self._mover is None:
            return self._referee.outcome
        return self._judges.judge(self._mover, self._sessions[self._mover].last_score)

    async def _both(self, ask: Asked[Answer]) -> list[Answer | None]:
        """Return the answers of both sides; None for one without which the game has ended."""
        return await asyncio.gather(*(self._answer_of(side, ask) for side in (0, 1)))

    async def _answer_of(self, side: int, ask: Asked[Answer]) -> Answer | None:
        """Ask a side; None once the game has ended without its answer. A lost player may return."""
        while not self._done.done():
            try:
                async with asyncio.timeout(self._seconds):
                    return await ask(self._sessions[side])
            except PlayerLostError:
                await self._return_of(side)
            except TimeoutError:
                session = self._sessions[side]
                late = f"did not answer questions about the position within {self._seconds:g} s{session.mistake}"
                session.cut_off(Fault(Termination.TIME, late))
            except WrongAnswerError as error:
                self._end_by(side, str(error))
        return None

    async def _opinion(self, session: PlayerSession) -> Opinion:
        """Return the opinion of a player about the position."""
        questions = [GAMEOVER, P1TURN, *([LEGAL_MOVES] if LEGAL_MOVES in await session.capabilities() else [])]
        return opinion(await session.answers(questions, self._referee.moves))

    async def _answered_result(self, session: PlayerSession) -> Result:
        return result_of(await session.answers([RESULT], self._referee.moves))

    async def _return_of(self, side: int) -> None:
        """Wait until a lost player is back, or the game has ended."""
        self._back[side].clear()
        while side in self._away and not self._done.done():
            await self._back[side].wait()
            self._back[side].clear()

    def _end_by(self, side: int, wrong: str) -> None:
        """End the game that a player loses by a wrong answer."""
        if not self._done.done():
            session, plies = self._sessions[side], len(self._referee.moves)
            detail = f"{session.player}, after ply {plies}: {wrong}{session.wrong_answer}"
            self._done.set_result(lost(side, Termination.ILLEGAL_MOVE, detail))
