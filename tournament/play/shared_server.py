"""One server for the local players of some tables: each of its sessions chooses a player."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from fiedler.client.child import Child, StartError
from fiedler.support.address import LOOPBACK, reason
from fiedler.support.memory import machine_mb
from fiedler.tournament.play.endpoint import Site
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.play.roster import roster_text
from fiedler.tournament.play.server_process import ServerProcess, engine_program
from fiedler.tournament.play.session import PlayerLostError, PlayerSession
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule

Discard = Callable[[PlayerSession], Awaitable[None]]

NAME = "the shared server"
"""Its name in messages and in the log."""
OPENED_AT_ONCE = 8
"""Sessions that are opened at the same time, and players that are probed at the same time."""
SPARE = 8
"""Idle sessions beyond two for each table."""
MODELS_MB, MOST_MODELS_MB = 512, 2**20
"""The least and the greatest amount of loaded models that stay, in MiB: half of the machine's memory."""
LEAST_MODEL_MB = 7
"""The memory that a session is counted with where its player has a smaller model, or none."""
MOST_SESSIONS = 4096
ATTEMPTS = 3
"""Attempts to start it, if no player is the reason of the failure."""
START_EACH_S = 0.05
"""Seconds for its start for each player, beyond those of a player's own process."""
CHECK_S = 5.0
"""Seconds in which a server answers that does not hang."""
END_S = 0.25
"""Seconds in which a server that has closed its sessions ends."""


class SharedServer:
    """An `engine serve --players` process. It is started with the first session, and again after its end."""

    def __init__(self, players: Sequence[PlayerEntry], schedule: Schedule, site: Site, tables: int) -> None:
        """Serve `players` for this number of tables."""
        self._numbers = {player.name: str(number) for number, player in enumerate(players, start=1)}
        self._players = {str(number): player for number, player in enumerate(players, start=1)}
        self._schedule = schedule
        self._site = site
        self._starting = asyncio.Lock()
        self._server: ServerProcess | None = None
        self._tables = tables
        self._most_idle = 0
        """Idle sessions of all players together."""
        self._idle: dict[PlayerSession, Discard] = {}
        """The idle sessions, the oldest first, each with the function that closes it."""
        self.opening = asyncio.Semaphore(OPENED_AT_ONCE)
        """Limits the sessions that are opened at the same time: their models are loaded one after the other."""
        self.probing = asyncio.Semaphore(OPENED_AT_ONCE)
        """Limits the players that are probed at the same time."""
        self._failures = 0
        """Failures to start, one after the other."""
        self._warnings: list[str] = []

    @property
    def process(self) -> Child | None:
        """Its process; None while it does not run."""
        return None if self._server is None else self._server.process

    @property
    def port(self) -> int:
        """Its port; 0 while it does not run."""
        return 0 if self._server is None else self._server.port

    def choice(self, player: str) -> str:
        """Return the name of a player at this server; empty if the player has its own process."""
        number = self._numbers[player]
        return number if number in self._players else ""

    def isolate(self, player: str) -> None:
        """Let a player have its own process from now on."""
        self._players.pop(self._numbers[player], None)

    def take_warnings(self) -> list[str]:
        """Return, once, the reason why all players have their own processes, if they do."""
        taken, self._warnings = self._warnings, []
        return taken

    async def keep(self, session: PlayerSession, discard: Discard) -> None:
        """Note an idle session; the oldest one is discarded if there are too many."""
        self._idle[session] = discard
        if len(self._idle) > self._most_idle:
            oldest = next(iter(self._idle))
            await self._idle.pop(oldest)(oldest)

    def use(self, session: PlayerSession) -> None:
        """Note that a session is not idle any more."""
        self._idle.pop(session, None)

    async def start(self) -> None:
        """Start the server unless it runs. Players with which it does not start are isolated.

        Raises:
            MachineError: the machine cannot start it.

        """
        async with self._starting:
            while self._players and (self._server is None or self._server.has_ended):
                async with self._site.starts:
                    await self._try_to_start()

    async def has_ended(self) -> bool:
        """Return whether the server has ended, or ends now."""
        if self._server is not None:
            await asyncio.wait({self._server.process.exited}, timeout=END_S)
        return self._server is None or self._server.has_ended

    async def check(self) -> None:
        """End the server if it hangs."""
        with suppress(OSError, asyncio.IncompleteReadError):
            async with asyncio.timeout(CHECK_S):
                reader, writer = await asyncio.open_connection(LOOPBACK, self.port)
                with closing(writer):
                    writer.write(b"ugi\n")
                    await reader.readuntil(b"ugiok\n")
                return
        await self.close()

    async def close(self) -> None:
        """End the server; another session starts it again."""
        server, self._server = self._server, None
        if server is not None:
            await server.end()

    async def _try_to_start(self) -> None:
        """Start the server, or note a failure."""
        seconds = self._schedule.limit.startup_s + START_EACH_S * len(self._players)
        traffic = None if self._site.traffic_log is None else self._site.traffic_log.session(NAME)
        server = ServerProcess(self._site.reaper, traffic)
        try:
            async with asyncio.timeout(seconds):
                await self._start(server)
        except (PlayerLostError, StartError, TimeoutError) as error:
            await server.end()
            self._note_failure(server.failed, _why(error, seconds))
        except BaseException:
            await server.end()
            raise
        else:
            used = 2 * self._tables + 2 * OPENED_AT_ONCE
            self._most_idle = most_idle(self._tables, used, server.largest_model_mb, machine_mb())
            self._server, self._failures = server, 0

    def _note_failure(self, player: str, why: str) -> None:
        """Isolate the wrong player with which the server did not start; without one, all after several failures."""
        if self._players.pop(player, None) is None:
            self._failures += 1
        if self._failures >= ATTEMPTS:
            self._players.clear()
            self._warnings.append(
                f"{NAME} did not start in {ATTEMPTS} attempts ({why}): each player has its own process"
            )

    async def _start(self, server: ServerProcess) -> None:
        """Start the process with the file of the players."""
        folder = self._schedule.folder
        try:
            with tempfile.TemporaryDirectory(prefix="fiedler-players-") as temporary:
                file = Path(temporary) / "players.toml"
                file.write_text(roster_text(self._players, Path(folder)), encoding="utf-8")
                await server.start(NAME, self._command(file), folder, self._site.cores)
        except OSError as error:
            if isinstance(error, TimeoutError):
                raise
            raise MachineError(f"this machine cannot start {NAME} now: {reason(error)}") from error

    def _command(self, file: Path) -> tuple[str, ...]:
        words = {
            "--game": self._schedule.tournament.game,
            "--players": str(file),
            "--keep-models-mb": min(max(MODELS_MB, machine_mb() // 2), MOST_MODELS_MB),
            "--max-memory-mb": len(self._players) * machine_mb() // 2 + 1,  # as in processes of their own
            "--max-sessions": MOST_SESSIONS,
            "--max-per-peer": MOST_SESSIONS,
            "--host": LOOPBACK,
            "--port": 0,
        }
        return (engine_program(), "serve", *(str(part) for pair in words.items() for part in pair))


def most_idle(tables: int, used: int, largest_mb: float, machine_mb: int) -> int:
    """Return the number of idle sessions: two for each table and some more, if the machine has the memory.

    With those in use (`used`), each with a model of `largest_mb` MiB, they take at most half of it.
    """
    room = int(machine_mb / 2 / max(largest_mb, LEAST_MODEL_MB))
    return min(2 * tables + SPARE, max(0, room - used))


def _why(error: Exception, seconds: float) -> str:
    """Return the reason of a failure to start within `seconds`."""
    if isinstance(error, PlayerLostError):
        return error.fault.detail
    return str(error) or f"no port within {seconds:g} s"
