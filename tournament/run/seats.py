"""The two players of a game at a table: their sessions, from the endpoints to the seats and back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from fiedler.protocol.mistake import quoted_line
from fiedler.tournament.game import PlannedGame, player_seed
from fiedler.tournament.play.endpoint import Endpoint
from fiedler.tournament.play.machine import MachineError, NetworkError
from fiedler.tournament.play.offered_options import OptionError
from fiedler.tournament.play.session import Fault, PlayerLostError, PlayerSession
from fiedler.tournament.run.lease import Notice
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.termination import Termination

SETTLE_S = 0.5
"""Most seconds of a search after the end of its game."""
RETURN_PAUSE_S = 0.25
"""Seconds between two attempts to bring a player back."""


class Seats:
    """The players of one game at a time. A player in a seat has been informed of the game."""

    def __init__(self, schedule: Schedule, endpoints: Mapping[str, Endpoint]) -> None:
        """Take players from their `endpoints`, by name."""
        self._schedule = schedule
        self._endpoints = endpoints
        self._seats: dict[int, tuple[Endpoint, PlayerSession]] = {}
        self._notices: list[Notice] = []

    def session(self, side: int) -> PlayerSession | None:
        """Return the session of a side; None while its line is lost."""
        return self._seats[side][1] if side in self._seats else None

    @property
    def sessions(self) -> list[PlayerSession]:
        """The sessions of both sides, which are filled."""
        return [self._seats[side][1] for side in (0, 1)]

    async def fill(self, game: PlannedGame) -> tuple[int, Fault] | None:
        """Get both players ready; return the side that cannot play and its failure. If neither can, it is the first.

        Raises:
            MachineError: the machine failed, not a player.

        """
        if all(self._endpoint(game, side).is_limited for side in (0, 1)):
            return await self._fill_in_turn(game)
        for side in (0, 1):
            endpoint = self._endpoint(game, side)
            if (session := endpoint.idle()) is not None:
                self._sit(game, side, endpoint, session)
        if len(self._seats) == 2 and not self._schedule.limit.lag_credit_ms:  # nearly always: both are idle sessions
            results = [await self._seat(game, side) for side in (0, 1)]
        else:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._seat(game, side)) for side in (0, 1)]
            results = [task.result() for task in tasks]
        for result in results:
            if isinstance(result, MachineError):
                raise result
        return next(((side, fault) for side, fault in enumerate(results) if isinstance(fault, Fault)), None)

    async def _fill_in_turn(self, game: PlannedGame) -> tuple[int, Fault] | None:
        """Get both players ready, one after the other in the order of their names; returns and raises as `fill`.

        Two tables that each hold one player and wait for the other's would wait for ever.
        """
        for side in sorted((0, 1), key=game.player):
            result = await self._seat(game, side)
            if isinstance(result, MachineError):
                raise result
            if result is not None:
                return side, result
        return None

    async def clear(self) -> Sequence[Notice]:
        """Give the players back to their endpoints once none of them searches any more; return the notices."""
        for side in sorted(self._seats):
            endpoint, session = self._seats.pop(side)
            await session.settle(SETTLE_S)
            self._notice_remark(session)
            self._notice_stray(session)
            self._notice_contradictions(session)
            await endpoint.release(session)
        noticed, self._notices = self._notices, []
        return noticed

    def isolate(self, game: PlannedGame, failed: int, suspect: int) -> str:
        """Give a player its own process if a side failed at a shared server, and return its name.

        There another player may have been the reason: the `suspect`, if it plays there, too. The name is empty if the
        failure is the player's own.
        """
        shared = [side for side in (suspect, failed) if (seat := self.session(side)) is not None and seat.choice]
        if failed not in shared:
            return ""
        self._endpoint(game, shared[0]).isolate()
        return game.player(shared[0])

    def may_return(self, game: PlannedGame, side: int) -> bool:
        """Return whether a player that was lost in the game may come back to it."""
        session = self.session(side)
        return self._endpoint(game, side).takes_back and session is not None and session.line_lost

    async def bring_back(self, game: PlannedGame, side: int, lost: Fault) -> PlayerSession:
        """Wait until a player whose line was lost is back and ready for the game, for `reconnect_s` at most.

        Raises:
            PlayerLostError: it has not returned.

        """
        began = asyncio.get_running_loop().time()
        session = await self._brought_back(game, side, lost, self._schedule.limit.reconnect_s)
        seconds = asyncio.get_running_loop().time() - began
        text = f"{session.player} {lost.detail} during a game, and returned after {seconds:.1f} s"
        self._notices.append(Notice(session.player, "return", f"{text}; later ones are not reported"))
        return session

    async def _seat(self, game: PlannedGame, side: int) -> Fault | MachineError | None:
        """Connect to a player without a seat, and wait until it is ready; return the failure, if there is one."""
        try:
            await (self._get_back if self._endpoint(game, side).takes_back else self._get_ready)(game, side)
        except MachineError as error:
            return error
        except PlayerLostError as error:
            return error.fault
        except OptionError as error:
            return Fault(Termination.DISCONNECT, str(error))
        except TimeoutError:
            return self._cut_off(self._seats[side][1])
        return None

    async def _get_ready(self, game: PlannedGame, side: int) -> None:
        """Wait until a player is ready. One that ended after an earlier game has not failed: it starts again."""
        endpoint = self._endpoint(game, side)
        if side not in self._seats:
            self._sit(game, side, endpoint, await endpoint.acquire())
        _, session = self._seats[side]
        try:
            await self._prepare(game, side)
        except PlayerLostError as error:
            if not session.was_idle:
                raise _unready(error) from error
            await self._sit_anew(game, side)
            try:
                await self._prepare(game, side)
            except PlayerLostError as again:
                raise _unready(again) from again
            self._notice_restart(endpoint.name, error.fault)

    async def _get_back(self, game: PlannedGame, side: int) -> None:
        """Wait until a player is ready. One whose line is lost, now or since its last game, may return."""
        limit = self._schedule.limit
        lost, seconds = None, max(limit.reconnect_s, limit.startup_s)
        endpoint = self._endpoint(game, side)
        if endpoint.is_limited and side not in self._seats:  # it may be in other games, and does not return from there
            self._sit(game, side, endpoint, await endpoint.acquire())
        if side in self._seats:
            try:
                await self._prepare(game, side)
            except PlayerLostError as error:
                lost, seconds = error.fault, limit.reconnect_s
            else:
                return
        await self._brought_back(game, side, lost, seconds)

    async def _brought_back(self, game: PlannedGame, side: int, lost: Fault | None, seconds: float) -> PlayerSession:
        """Try to seat a player, for `seconds` at most; its earlier session was `lost`; raises as `bring_back`."""
        endpoint = self._endpoint(game, side)
        why, absent = "", endpoint.is_awaited
        try:
            async with asyncio.timeout(seconds):
                while True:
                    try:
                        return await self._seat_anew(game, side)
                    except PlayerLostError as error:
                        why, absent = error.fault.detail, absent and error.fault.absent
                    except MachineError as error:
                        if lost is None and not isinstance(error, NetworkError):
                            raise  # no line is lost: this machine is out of resources
                        why = str(error)
                    except TimeoutError:
                        why, absent = self._cut_off(self._seats[side][1]).detail, False
                    await asyncio.sleep(RETURN_PAUSE_S)
        except TimeoutError:
            late = f"did not return within {seconds:g} s" if lost else f"did not come within {seconds:g} s"
            texts = [lost.detail] if lost else []
            detail = " and ".join([*texts, late]) + (f": {why}" if why else "")
            raise PlayerLostError(endpoint.name, Fault(Termination.DISCONNECT, detail, absent)) from None
        except OptionError as error:
            raise PlayerLostError(endpoint.name, Fault(Termination.DISCONNECT, str(error))) from error

    async def _seat_anew(self, game: PlannedGame, side: int) -> PlayerSession:
        """Seat a player in a new session, and wait until it is ready."""
        await self._sit_anew(game, side)
        await self._prepare(game, side)
        return self._seats[side][1]

    async def _sit_anew(self, game: PlannedGame, side: int) -> None:
        """Give a player its seat in a new session."""
        endpoint = self._endpoint(game, side)
        if side in self._seats:
            await endpoint.release(self._seats.pop(side)[1])
        self._sit(game, side, endpoint, await endpoint.acquire(fresh=True))

    async def _prepare(self, game: PlannedGame, side: int) -> None:
        """Wait until the player in a seat is ready for the game; one whose lag counts is measured before."""
        _, session = self._seats[side]
        if session.lag is not None:
            async with asyncio.timeout(self._schedule.limit.startup_s):
                await session.measure()
            self._announce(game, side, session)
        await session.ready()

    def _cut_off(self, session: PlayerSession) -> Fault:
        limit = f"{self._schedule.limit.startup_s:g} s"
        fault = Fault(Termination.TIME, f"was not ready for a new game within {limit}{session.mistake}")
        session.cut_off(fault)
        return fault

    def _endpoint(self, game: PlannedGame, side: int) -> Endpoint:
        return self._endpoints[game.player(side)]

    def _sit(self, game: PlannedGame, side: int, endpoint: Endpoint, session: PlayerSession) -> None:
        """Give a player its seat, and announce the game, unless its lag is to be measured first."""
        self._seats[side] = endpoint, session
        if session.lag is None:
            self._announce(game, side, session)

    def _announce(self, game: PlannedGame, side: int, session: PlayerSession) -> None:
        seed = player_seed(self._schedule.tournament.seed, game.id, side) if session.offers_seed else 0
        session.announce(seed, self._schedule.limit.startup_s)

    def _notice_restart(self, name: str, fault: Fault) -> None:
        """Note that a player ends after each game; its author may not know."""
        text = f"{name} {fault.detail} between two games, and is restarted; later ones are not reported"
        self._notices.append(Notice(name, "restart", text))

    def _notice_remark(self, session: PlayerSession) -> None:
        """Note the finding of the probe."""
        if session.remark:
            self._notices.append(Notice(session.player, "probe", f"{session.player} {session.remark}"))
            session.remark = ""

    def _notice_stray(self, session: PlayerSession) -> None:
        """Note an answer without a question: the player's next answers may be taken for the wrong moves."""
        if stray := session.take_stray():
            text = f"{session.player} sent {quoted_line(stray)} without a request: ignored; later ones are not reported"
            self._notices.append(Notice(session.player, "stray", text))

    def _notice_contradictions(self, session: PlayerSession) -> None:
        """Note options whose defaults are outside of their own bounds: the game is played nevertheless."""
        for name, text in session.take_contradictions().items():
            self._notices.append(Notice(session.player, f"option {name}", f"{session.player}: {text}"))


def _unready(error: PlayerLostError) -> PlayerLostError:
    """Return the loss of a player at the announcement of its game, such as `ucinewgame`; a crash gets that moment."""
    if error.fault.termination is not Termination.CRASH:
        return error
    fault = replace(error.fault, detail=f"{error.fault.detail}; it was to get ready for a new game")
    return PlayerLostError(error.player, fault)
