"""The endpoint of a player: a local server, a program on its pipes, or an address, behind one interface."""

from __future__ import annotations

import asyncio
import errno
import re
import socket
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from fiedler import games
from fiedler.client.call import Access, call
from fiedler.client.child import EXHAUSTED, Child, StartError
from fiedler.games.coordinates import coordinates, fits
from fiedler.protocol import DEFAULT, DIALECTS, Client, RemoteProtocolError
from fiedler.protocol.admission import admission_failure
from fiedler.support.address import LOOPBACK, Address, reason
from fiedler.support.player_spec import option_texts
from fiedler.support.reaper import Reaper
from fiedler.tournament.play.admission import PlayerAdmission
from fiedler.tournament.play.carriers import Pipes, Socket
from fiedler.tournament.play.lag import Lag
from fiedler.tournament.play.limit_probe import asked_limit
from fiedler.tournament.play.machine import MachineError, NetworkError, start
from fiedler.tournament.play.offered_options import OptionError
from fiedler.tournament.play.server_process import ServerProcess, engine_program
from fiedler.tournament.play.session import Fault, PlayerLostError, PlayerSession
from fiedler.tournament.play.traffic_log import SessionLog, TrafficLog, stderr_of
from fiedler.tournament.play.work_folder import new_folder, placed, remove_folder
from fiedler.tournament.schedule.game_keys import start_of
from fiedler.tournament.schedule.schedule import EACH_GAME, PlayerEntry, Schedule
from fiedler.tournament.termination import Termination

if TYPE_CHECKING:
    from fiedler.tournament.play.shared_server import SharedServer

CUT_OFF = {errno.ENETUNREACH, errno.ENETDOWN, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL, socket.EAI_AGAIN}
"""Errors of a lost network; no player's fault."""

GREETED = ("uci", "ugi", "gtp")
"""The dialects that begin with a question and its answer: a program that answers one of them speaks it."""
SPOKEN_S = 3.0
"""Most seconds for such an answer."""
Reached = TypeVar("Reached")


@dataclass(frozen=True)
class Site:
    """The shared parts of endpoints."""

    reaper: Reaper
    """Ends the programs if this process dies."""
    starts: asyncio.Semaphore
    """Limits the programs that start at the same time."""
    cores: frozenset[int] | None = None
    """The cores for programs; None: all."""
    traffic_log: TrafficLog | None = None
    """Logs all protocol traffic."""
    admission: PlayerAdmission | None = None
    """Admits the players that dial in, if there are any."""
    shared: SharedServer | None = None
    """The server of the local players, if they share one."""


class Endpoint(ABC):
    """A player of the schedule: opens sessions with it, keeps idle ones for the next game, ends all at the end."""

    is_elsewhere = False
    """Whether the player was started by others, and only the line to it can be lost."""

    is_awaited = False
    """Whether a game that has not begun waits for the player while that has no connection."""

    is_limited = False
    """Whether a game may wait until another one gives its session back."""

    def __init__(self, player: PlayerEntry, schedule: Schedule, site: Site) -> None:
        self.name = player.name
        self.startup_s = schedule.limit.startup_s
        self.asked_limit = asked_limit(player, schedule.limit) if "nodes" in DIALECTS[player.protocol].limits else None
        """The limit that a probe asks for; None: none."""
        self._player = player
        self._schedule = schedule
        self._site = site
        self._game = schedule.tournament.game
        self._start = start_of(schedule)
        self._folder = schedule.folder
        self._lag_credit_s = schedule.limit.lag_credit_ms / 1000
        self._dialect = DIALECTS[player.protocol]
        self._dialect.load()
        self.takes_back = bool(self.is_elsewhere and schedule.limit.reconnect_s and self._dialect.openings)
        """Whether a player whose line is lost may return to its game: its dialect can set up a position."""
        self._idle: list[PlayerSession] = []

    def idle(self) -> PlayerSession | None:
        """Return an idle session at once; None if there is none."""
        if not self._idle or self._idle[-1].fault is not None or self._idle[-1].is_ending:
            return None
        session = self._idle.pop()
        session.was_idle = True
        return session

    async def acquire(self, *, fresh: bool = False) -> PlayerSession:
        """Return an idle session, or with `fresh` or without an idle one a new one that has shaken hands.

        Raises:
            PlayerLostError: the player cannot be reached, or did not shake hands within `startup_s`.
            MachineError: the machine is out of resources, or its network is gone.
            OptionError: the player does not offer one of the options.

        """
        while self._idle and not fresh:
            if (idle := self.idle()) is not None:
                return idle
            await self._idle.pop().close()
        async with self._turn():
            return await self._begin(asyncio.get_running_loop().time() + self.startup_s)

    async def release(self, session: PlayerSession) -> None:
        """Give a session back. It is closed, in about a second at most, unless another game can follow in it."""
        session.listener = None
        if session.takes_another_game and not (session.has_played and self._player.restart == EACH_GAME):
            self._idle.append(session)
        else:
            await session.close()

    async def close(self) -> None:
        """End all idle sessions and programs of this player. Each step has its own deadline."""
        idle, self._idle = self._idle, []
        async with asyncio.TaskGroup() as group:
            for session in idle:
                group.create_task(session.close())

    def isolate(self) -> None:  # noqa: B027 - only players of a shared server do not have one already
        """Play in a process of its own from now on."""

    async def spoken(self) -> str:
        """Return another dialect in which the player answers; empty if none is known, as of players elsewhere."""
        return ""

    def probing(self) -> AbstractAsyncContextManager[object]:
        """Wait for a turn to be probed; most players do not wait."""
        return nullcontext()

    @abstractmethod
    async def _open(self) -> PlayerSession:
        """Connect to the player; raises PlayerLostError, StartError, OSError or MachineError."""

    @property
    def _options(self) -> Mapping[str, str]:
        """The options to send."""
        return option_texts(self._player.options)

    @property
    def _address(self) -> str:
        """The place of the player, for messages: what we start ourselves is on this machine."""
        return self._player.address or LOOPBACK

    def _turn(self) -> AbstractAsyncContextManager[None]:
        """Wait until this machine can start the player, and begin `startup_s` then; raises as `acquire`.

        A player that listens elsewhere does not wait.
        """
        return nullcontext()

    async def _begin(self, deadline: float) -> PlayerSession:
        return await self._shake_hands(await self._in_time(self._open(), deadline), deadline)

    async def _shake_hands(self, session: PlayerSession, deadline: float) -> PlayerSession:
        session.starting_until = deadline
        session.reserve_ms = self._player.reserve_ms
        session.game_options = games.any_game(self._game).engine_options()
        try:
            async with asyncio.timeout_at(deadline):
                await session.shake_hands(self._options)
                if self._lag_credit_s and self._dialect.answers_pings:
                    session.lag = Lag(self._lag_credit_s)
                await session.measure()
        except BaseException as error:
            late = self._late(session.mistake)
            session.cut_off(late)
            await session.close()
            raise (PlayerLostError(self.name, late) if isinstance(error, TimeoutError) else error) from None
        return session

    async def _in_time(self, reaching: Awaitable[Reached], deadline: float) -> Reached:
        try:
            async with asyncio.timeout_at(deadline):
                return await reaching
        except TimeoutError as error:
            if error.errno is not None:  # the system's, which has given the address up
                raise _unreachable(self.name, self._address, error) from error
            raise PlayerLostError(self.name, self._late("")) from None
        except StartError as error:
            raise PlayerLostError(self.name, Fault(Termination.CRASH, str(error))) from error
        except OSError as error:
            raise _unreachable(self.name, self._address, error) from error

    def _client(self) -> Client:
        """Return the client of a session, in the player's dialect."""
        return self._dialect.client(coordinates(games.any_game(self._game), self._dialect.coordinates, self._start))

    def _session_log(self) -> SessionLog | None:
        return None if self._site.traffic_log is None else self._site.traffic_log.session(self.name)

    def _late(self, mistake: str) -> Fault:
        return Fault(Termination.TIME, f"did not shake hands within {self.startup_s:g} s{mistake}")


class Program(Endpoint):
    """`command =`: one process per session, over its pipes."""

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Hold a place until the handshake: only then has the program started."""
        async with self._site.starts:
            yield

    async def _open(self) -> PlayerSession:
        traffic = self._session_log()
        reaper = self._site.reaper
        process = Child(reaper, lambda data: session.feed(data), lambda why: session.ended(why), stderr_of(traffic))  # noqa: PLW0108
        session = PlayerSession(self.name, Pipes(process), process, self._client(), traffic)
        if self._dialect.own_folder:
            self._start_apart(process)
        else:
            start(process, self._player.command or (), self._folder, self._site.cores)
        return session

    async def spoken(self) -> str:
        """Return the first of some dialects that the program answers, though not its own; empty if there is none."""
        names = [name for name in GREETED if name != self._player.protocol]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._answers_in(name)) for name in names]
        return next((name for name, task in zip(names, tasks, strict=True) if task.result()), "")

    async def _answers_in(self, name: str) -> bool:
        """Return whether a new process of the program shakes hands in a dialect."""
        if not fits(games.any_game(self._game), DIALECTS[name].coordinates):
            return False
        other = Program(replace(self._player, protocol=name, options={}), self._schedule, self._site)
        other.startup_s = min(self.startup_s, SPOKEN_S)
        try:
            session = await other.acquire()
        except (PlayerLostError, MachineError, OptionError):
            return False
        await session.close()
        return True

    def _start_apart(self, process: Child) -> None:
        """Start the program in a folder of its own, which is removed at its end."""
        folder = new_folder()
        process.exited.add_done_callback(lambda _: remove_folder(folder))
        try:
            start(process, placed(self._player.command or (), self._folder), folder, self._site.cores)
        except BaseException:
            remove_folder(folder)
            raise


class LocalServer(Endpoint):
    """`player =` or `model =`: an `engine serve` process of ours, with a TCP session for each game that needs one."""

    def __init__(self, player: PlayerEntry, schedule: Schedule, site: Site) -> None:
        super().__init__(player, schedule, site)
        self._command = serve_command(player, self._game)
        self._server: ServerProcess | None = None
        self._starting = asyncio.Lock()

    async def close(self) -> None:
        """End all sessions, then the server."""
        await super().close()
        if self._server is not None:
            await self._server.end()

    @property
    def _options(self) -> Mapping[str, str]:
        """None: the server got them on its command line."""
        return {}

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Start the server for the first session that needs it; the others wait for the server, not for a place."""
        async with self._starting:
            if self._server is None or self._server.has_ended:
                async with self._site.starts:
                    deadline = asyncio.get_running_loop().time() + self.startup_s
                    self._server = await self._in_time(self._start_server(), deadline)
        yield

    async def _open(self) -> PlayerSession:
        server = self._server
        assert server is not None
        address = Address(LOOPBACK, server.port)
        return await connect(self.name, address, server.process, self._client(), self._session_log(), Access())

    async def _start_server(self) -> ServerProcess:
        server = ServerProcess(self._site.reaper, self._session_log())
        try:
            await server.start(self.name, self._command, self._folder, self._site.cores)
        except BaseException:
            await server.end()
            raise
        return server


def serve_command(player: PlayerEntry, game: str) -> tuple[str, ...]:
    """Return the command that starts a local player behind a free port of this machine."""
    words = ("--game", game, *player.spec.arguments, *_pinned(player), "--host", LOOPBACK, "--port", "0")
    return (engine_program(), "serve", *words)


def _pinned(player: PlayerEntry) -> tuple[str, ...]:
    return () if player.protocol == DEFAULT else ("--protocol", player.protocol)


def stdio_command(player: PlayerEntry, game: str) -> tuple[str, ...]:
    """Return the command that starts a local player on its pipes."""
    return (engine_program(), "serve", "--game", game, *player.spec.arguments, *_pinned(player), "--stdio")


async def connect(
    player: str, address: Address, process: Child | None, client: Client, traffic: SessionLog | None, access: Access
) -> PlayerSession:
    """Return a session over a new connection. `process` is the program of the player, if it is ours.

    Raises:
        OSError: there is no connection.
        PlayerLostError: the player refused the token.

    """
    carrier = Socket(lambda data: session.feed(data), lambda why: session.ended(why))  # noqa: PLW0108
    session = PlayerSession(player, carrier, process, client, traffic)
    try:
        await call(address, access, lambda: carrier)
    except RemoteProtocolError as error:
        raise PlayerLostError(player, Fault(Termination.DISCONNECT, admission_failure(error))) from error
    if process is None:
        carrier.keep_alive()
    return session


def _unreachable(player: str, address: str, error: OSError) -> Exception:
    if error.errno in EXHAUSTED:
        return MachineError(f"this machine cannot connect to {player!r} now: {reason(error)}")
    if _numbers(error) <= CUT_OFF:
        return NetworkError(f"{player!r}: cannot be reached at {address}: {reason(error)}")
    return PlayerLostError(player, unreachable_fault(address, error))


def unreachable_fault(address: str, error: OSError) -> Fault:
    """Return the fault of a player to which no connection can be made."""
    return Fault(Termination.DISCONNECT, f"cannot be reached at {address}: {reason(error)}")


def _numbers(error: OSError) -> set[int | None]:
    """Return the numbers of an error; asyncio has those of several addresses only in its text."""
    several = [int(number) for number in re.findall(r"\[Errno (\d+)\]", str(error))]
    return {error.errno} if error.errno is not None else set(several) or {None}
