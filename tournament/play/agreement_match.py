"""One game by agreement: after each move both players are asked about the position, then one of them for a move."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from fiedler.games.result import Result
from fiedler.protocol.ugi.queries import GAMEOVER, LEGAL_MOVES, P1TURN, RESULT
from fiedler.tournament.play.agreement import AgreementReferee
from fiedler.tournament.play.match import Match
from fiedler.tournament.play.opinion import DisputeError, Opinion, WrongAnswerError, opinion, result_of
from fiedler.tournament.play.referee import Outcome, lost
from fiedler.tournament.play.session import Fault, PlayerLostError, PlayerSession
from fiedler.tournament.termination import Termination

Answer = TypeVar("Answer")
Asked = Callable[[PlayerSession], Awaitable[Answer]]
"""Asks a player."""


class AgreementMatch(Match):
    """A match that asks for opinions between two moves; no clock runs meanwhile.

    A player that does not answer, or not in the words of the protocol, loses the game.
    """

    _referee: AgreementReferee
    answer_s: float
    """Seconds of a player for its answers about a position; set before the game."""
    _mover: int | None = None
    """The side of the last move; None before the first one."""
    _asking: asyncio.Task[None] | None = None
    """The questions to both players; done while one of them thinks about its move."""

    async def play(self) -> Outcome:
        """Play from the start to the end. Never raises for a player's failure.

        A player that is still to answer then has the time for it: the answers belong to no other game.

        Raises:
            DisputeError: the players do not agree.

        """
        self._back = (asyncio.Event(), asyncio.Event())
        """By side: the line that was lost is back, or the game has ended."""
        self._done.add_done_callback(lambda _: self._wake())
        async with asyncio.TaskGroup() as self._group:
            try:
                return await super().play()
            except DisputeError as error:  # the group would wrap it
                dispute = error
        raise dispute

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

    def _adjudicated(self) -> Outcome | None:
        """Nothing yet: the players have not agreed on the position."""
        return None

    def _ask(self, now: float) -> None:  # noqa: ARG002 - the clock starts with the question for a move
        """Ask both players about the position, then one of them for a move."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._asking = self._group.create_task(self._agree())

    async def _agree(self) -> None:
        """Ask both players about the position, and continue with their agreement."""
        first, second = await self._both(self._opinion)
        if first is None or second is None:
            return
        try:
            outcome = await self._result() if self._referee.agree(first, second) else self._judged()
        except DisputeError as error:
            if not self._done.done():
                self._done.set_exception(error)
            return
        if self._done.done():
            return
        if outcome is None:
            super()._ask(self._time())
        else:
            self._done.set_result(outcome)

    async def _result(self) -> Outcome | None:
        """Return the outcome of a game that is over; None if it has ended otherwise."""
        first, second = await self._both(self._answered_result)
        return None if first is None or second is None else self._referee.end(first, second)

    def _judged(self) -> Outcome | None:
        """Return the outcome by the length of the line, or by the adjudicator; None if the game continues."""
        if self._referee.outcome is not None or self._mover is None:
            return self._referee.outcome
        return super()._adjudicated()

    async def _both(self, ask: Asked[Answer]) -> list[Answer | None]:
        """Return the answers of both sides; None for one without which the game has ended."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._answer_of(side, ask)) for side in (0, 1)]
        return [task.result() for task in tasks]

    async def _answer_of(self, side: int, ask: Asked[Answer]) -> Answer | None:
        """Ask a side; None once the game has ended without its answer. A lost player may return."""
        while not self._done.done():
            try:
                async with asyncio.timeout(self.answer_s):
                    return await ask(self._sessions[side])
            except PlayerLostError:
                await self._return_of(side)
            except TimeoutError:
                session = self._sessions[side]
                late = f"did not answer questions about the position within {self.answer_s:g} s{session.mistake}"
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
