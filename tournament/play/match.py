"""One game between two sessions: the mover is asked, the referee judges, the clocks run, until there is an outcome."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence

from fiedler.games.errors import IllegalMoveError
from fiedler.games.result import Result
from fiedler.games.spelling import meant
from fiedler.protocol import RESIGN, Info, TooLongError
from fiedler.protocol.mistake import quoted_line
from fiedler.tournament.play.adjudicator import Adjudicator
from fiedler.tournament.play.clock import Clock
from fiedler.tournament.play.referee import Outcome, Referee, lost
from fiedler.tournament.play.session import Fault, PlayerSession
from fiedler.tournament.termination import Termination

Kept = list[tuple[Callable[[], Info | None], float]]
LOOK_S = 0.002
"""Seconds from the end of a player's time to the second look for its answer; the loop has read its bytes then."""


class Match:
    """A state machine driven by callbacks: a move came, a player is lost, is back, is gone for good; time is up.

    A ply costs one write and one read; the only future is that of the outcome. One timer is set again only when its
    deadline has passed or an earlier one appears.
    """

    def __init__(
        self,
        referee: Referee,
        clock: Clock,
        sessions: Sequence[PlayerSession],
        loop: asyncio.AbstractEventLoop,
        adjudicator: Adjudicator | None = None,
        time: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare the game between `sessions`, which are ready; the first one has the first side.

        `time` is the clock of the loop, but finer: that of uvloop has milliseconds.
        """
        self._adjudicator = adjudicator
        self._time = time
        self._referee = referee
        self._clock = clock
        self._sessions = [*sessions]
        self._away: set[int] = set()
        """The sides whose line is lost, and which may return."""
        self.may_return: Callable[[int, Fault], bool] | None = None
        """Asked with a lost side: with True, `returned` or `gone` must follow while the game lasts."""
        self._loop = loop
        self._done: asyncio.Future[Outcome] = loop.create_future()
        self._side = 0
        self._since = 0.0
        """The moment when the clock of the side to move was started."""
        self.kept: Kept = []
        """For each move after the opening the report of its player, not read yet, and its seconds."""
        self._deadline = self._armed_for = 0.0
        self._seen_by = 0.0
        """The moment until which bytes of the player to move are known; infinite before the second look for them."""
        self._timer: asyncio.TimerHandle | None = None

    async def play(self) -> Outcome:
        """Play from the referee's position to the end. Never raises for a player's failure."""
        for session in self._sessions:
            session.listener = self
        try:
            self._begin()
            return await self._done
        finally:
            if self._timer is not None:
                self._timer.cancel()
            for session in self._sessions:
                session.listener = None

    def moved(self, session: PlayerSession, move: str | None, came: float | None = None) -> None:
        """Judge an answer to `go` in bytes that came at this moment, by default now."""
        if session is not self._sessions[self._side] or self._done.done():
            return
        came = self._time() if came is None else came
        if self._deadline < came <= self._seen_by:
            came = self._deadline  # it was there when the loop looked for the first time
        try:
            outcome = self._judge(move or "", came)
            if outcome is None:
                self._ask(self._time())
            else:
                self._done.set_result(outcome)
        except Exception as error:  # noqa: BLE001, RUF100 - a bug must surface in the task, not in the event loop's log
            self._done.set_exception(error)

    def lost(self, session: PlayerSession, fault: Fault) -> None:
        """End the game, unless the player may return: on turn or not, it will not answer any more."""
        if self._done.done():
            return
        side = self._sessions.index(session)
        if self.may_return is not None and self.may_return(side, fault):
            self._away.add(side)
        else:
            self.gone(side, fault)

    def gone(self, side: int, fault: Fault) -> None:
        """End the game: the player has not returned."""
        if not self._done.done():
            self._done.set_result(lost(side, fault.termination, f"{self._sessions[side].player} {fault.detail}"))

    def returned(self, side: int, session: PlayerSession) -> None:
        """Resume with a lost player in a new session, which is ready for this game; its clock has never stopped."""
        if self._done.done():
            return
        self._sessions[side] = session
        self._away.discard(side)
        session.listener = self
        if session.fault is not None:
            self.lost(session, session.fault)
        elif side == self._side:
            limit = self._clock.limit(side, max(0.0, self._time() - self._since))
            session.go(self._referee.moves, limit, self._referee.start)

    def _begin(self) -> None:
        for session in self._sessions:
            if session.fault is not None:
                self.lost(session, session.fault)
        if not self._done.done():
            self._ask(self._time())

    def _ask(self, now: float) -> None:
        side = self._side = self._referee.side
        session = self._sessions[side]
        if side not in self._away:
            try:
                session.go(self._referee.moves, self._clock.limit(side), self._referee.start)
            except TooLongError as error:
                self._done.set_result(Outcome(Result.DRAW, Termination.ADJUDICATION, f"the position line: {error}"))
                return
        self._clock.credit[side] = session.lag_credit
        self._since = max(now, session.asked_from)
        self._deadline = self._seen_by = self._clock.start(side, self._since)
        if self._timer is None or self._deadline < self._armed_for:
            self._arm()

    def _judge(self, move: str, now: float) -> Outcome | None:
        side, used = self._side, self._clock.used
        before = used[side]
        if not self._clock.stop(side, now):
            return self._late(side)
        if move == RESIGN:
            return lost(side, Termination.RESIGNATION, f"{self._sessions[side].player} resigns")
        try:
            outcome = self._referee.play(move)
        except IllegalMoveError as error:
            session, ply = self._sessions[side], len(self._referee.moves) + 1
            wrong = f"{error}{self._hint(move)}" if move else f"no move, but legal moves exist{session.wrong_answer}"
            return lost(side, Termination.ILLEGAL_MOVE, f"{session.player}, ply {ply}: {wrong}")
        self.kept.append((self._sessions[side].keep_info(), used[side] - before))
        return self._adjudicated() if outcome is None and self._adjudicator is not None else outcome

    def _adjudicated(self) -> Outcome | None:
        """Return the outcome of the game after a move if the adjudicator ends it."""
        side, adjudicator = self._side, self._adjudicator
        if adjudicator is None:
            return None
        return adjudicator.judge(side, self._sessions[side].last_score if adjudicator.reads_scores else None)

    def _hint(self, move: str) -> str:
        """Return the probable mistake behind an illegal move, for the end of a message; empty if none is known.

        The line of a player that does not use the game's notation is quoted.
        """
        line = self._sessions[self._side].move_line
        return f"; it sent {quoted_line(line)}{self._reason(move)}" if line else self._reason(move)

    def _reason(self, move: str) -> str:
        why = self._referee.refusal(move)
        if self._referee.own_last_move == move and not why.startswith("column"):  # a column may be played again
            return "; its last move again"
        if why:
            return f"; {why}"
        near = meant(self._referee.position, move)
        return f"; did you mean {near!r}?" if near else ""

    def _late(self, side: int, mistake: str = "") -> Outcome:
        return lost(side, Termination.TIME, f"{self._sessions[side].player} {self._clock.time_used(side)}{mistake}")

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._armed_for = self._deadline
        self._timer = self._loop.call_at(self._deadline, self._time_is_up)

    def _time_is_up(self) -> None:
        now = self._time()
        if self._done.done():
            return
        if now < self._deadline:
            self._arm()
            return
        session = self._sessions[self._side]
        if session.is_ending and session.fault is None:
            return  # not late but gone: the session is about to report the fault
        if session.fault is None and self._may_have_come(session, now):
            self._timer = self._loop.call_at(now + LOOK_S, self._time_is_up)
            return
        self._clock.stop(self._side, now)
        away = "" if session.fault is None else f"; it {session.fault.detail}"
        self._done.set_result(self._late(self._side, away or session.mistake))

    def _may_have_come(self, session: PlayerSession, now: float) -> bool:
        """Return whether bytes that came in time may still wait: the loop had something else to do."""
        if math.isinf(self._seen_by):
            self._seen_by = now
        elif self._seen_by == self._deadline and session.has_unread:
            self._seen_by = math.inf
            return True
        return session.waits_since <= self._seen_by
