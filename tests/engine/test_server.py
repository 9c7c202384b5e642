"""The server in this process: its bounds, and sessions that do not disturb others."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from fiedler.engine.port.bounds import Bounds
from fiedler.engine.port.server import AccessRules, Server
from fiedler.engine.port.session_connection import SessionConnection
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.games import game
from fiedler.players import create
from fiedler.players.mcts import MctsPlayer
from fiedler.support.errors import UsageError
from tests.patience import PATIENCE


class Peer:
    """A client in the server's loop."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def say(self, *lines: str) -> None:
        self.writer.write("".join(f"{line}\n" for line in lines).encode())

    async def line(self) -> str:
        async with asyncio.timeout(PATIENCE):
            return (await self.reader.readline()).decode().rstrip("\n")

    async def until(self, start: str) -> list[str]:
        lines = [await self.line()]
        while not lines[-1].startswith(start):
            assert lines[-1], f"closed before {start!r}"
            lines.append(await self.line())
        return lines

    async def closed(self) -> bool:
        async with asyncio.timeout(PATIENCE):
            return await self.reader.read() == b""

    def reset(self) -> None:
        """Leave like a killed process whose buffers are not empty."""
        link = self.writer.get_extra_info("socket")
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


class House:
    """A running server, and its clients."""

    def __init__(
        self, player: str, bounds: Bounds | None, options: dict[str, str], access: AccessRules | None = None
    ) -> None:
        self.server = Server(EngineOffer(game("uttt"), create(game("uttt"), player, options)), bounds, access)
        self.port = 0
        self.peers: list[Peer] = []

    async def peer(self, *, greeted: bool = True) -> Peer:
        peer = Peer(*await asyncio.open_connection("127.0.0.1", self.port))
        self.peers.append(peer)
        if greeted:
            peer.say("ugi")
            await peer.until("ugiok")
        return peer

    @property
    def drivers(self) -> list[SessionConnection]:
        """The drivers of the sessions now."""
        return [one for one in self.server.connections if isinstance(one, SessionConnection)]

    async def sessions(self, count: int) -> None:
        """Wait for this number of sessions."""
        await eventually(lambda: len(self.server.connections) == count)


async def eventually(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds."""
    for _ in range(int(PATIENCE / 0.005)):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("not in time")


@asynccontextmanager
async def house(player: str = "random", bounds: Bounds | None = None, **options: str) -> AsyncIterator[House]:
    made = House(player, bounds, options)
    made.port = (await made.server.start("127.0.0.1", 0)).port
    try:
        yield made
    finally:
        async with asyncio.timeout(PATIENCE):
            await made.server.close()
        for peer in made.peers:
            peer.writer.close()


async def test_many_sessions_at_once_have_positions_of_their_own() -> None:
    async with house() as home:
        peers = [await home.peer() for _ in range(10)]
        moves = [f"{column}{row}" for column in "abc" for row in (1, 2, 3)] + ["i9"]
        for peer, move in zip(peers, moves, strict=True):
            peer.say(f"position startpos moves {move}", "query position")
        answers = [await peer.line() for peer in peers]
        assert answers == [f"response {game('uttt').position('startpos', [move])}" for move in moves]


async def test_searches_run_side_by_side() -> None:
    async with house("mcts") as home:
        slow, quick = await home.peer(), await home.peer()
        slow.say("go infinite")
        for _ in range(5):
            quick.say("position startpos", "go nodes 200")
            assert (await quick.until("bestmove"))[-1] != "bestmove none"
        slow.say("isready")
        await slow.until("readyok")
        slow.say("stop")
        await slow.until("bestmove")


@pytest.mark.parametrize("how", ["reset", "close"])
async def test_a_client_that_dies_in_mid_search_disturbs_no_other(how: str) -> None:
    async with house("mcts") as home:
        doomed, other = await home.peer(), await home.peer()
        doomed.say("go movetime 600000")
        other.say("go movetime 300")
        await asyncio.sleep(0.05)
        if how == "reset":
            doomed.reset()
        else:
            doomed.writer.close()
        await home.sessions(1)
        await other.until("bestmove")
        other.say("query gameover")
        assert await other.line() == "response false"
        assert home.server.workers._jobs.empty()


async def test_a_session_that_gets_ready_does_not_delay_others(monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(MctsPlayer, "prepare", lambda _: gate.wait(PATIENCE))
    async with house("mcts") as home:
        slow, other = await home.peer(), await home.peer()
        slow.say("isready", *["query gameover"] * 4_000)
        await eventually(lambda: any(connection._session.busy for connection in home.drivers))
        other.say("query gameover")
        assert await other.line() == "response false"
        gate.set()
        assert await slow.line() == "readyok"
        for _ in range(4_000):
            assert await slow.line() == "response false"


async def test_a_new_game_its_position_and_go_may_come_in_one_write() -> None:
    async with house("mcts") as home:
        peer = await home.peer()
        for _ in range(3):
            peer.say("uginewgame", "isready", "position startpos moves e5", "go nodes 50", "isready")
            lines = await peer.until("bestmove")
            assert not any("error" in line for line in lines)


async def test_a_client_that_leaves_while_its_player_gets_ready_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate = threading.Event()
    monkeypatch.setattr(MctsPlayer, "prepare", lambda _: gate.wait(PATIENCE))
    async with house("mcts", Bounds(memory_mb=64)) as home:
        peer = await home.peer()
        (connection,) = home.drivers
        peer.say("isready", "go infinite")
        await eventually(lambda: connection._session.busy)
        connection._transport.abort()
        await home.sessions(0)
        gate.set()
        await eventually(lambda: connection._session.over)
        assert (await home.peer()) is not None


async def test_the_memory_of_all_sessions_is_bounded() -> None:
    async with house("mcts", Bounds(memory_mb=200)) as home:
        first, _ = await home.peer(), await home.peer()
        first.say("setoption name hash_mb value 1024", "isready")
        assert await first.line() == (
            "info string error: hash_mb: expected at most 136 MiB, left by the other sessions of 200; got 1024"
        )
        assert await first.line() == "readyok"
        first.say("setoption name hash_mb value 100", "isready")
        assert await first.line() == "readyok"
        third = await home.peer(greeted=False)
        third.say("ugi")
        assert (await third.line()).startswith("info string error: hash_mb: expected at most 36 MiB")
        assert await third.closed()
        first.say("quit")
        assert await first.closed()
        await home.sessions(1)
        await home.peer()


@pytest.mark.parametrize("granted", [1, 3])
async def test_the_threads_of_all_sessions_are_bounded(granted: int) -> None:
    async with house("mcts", Bounds(threads=8), threads=str(granted)) as home:
        first, second, third = [await home.peer() for _ in range(3)]
        most = granted + 8
        first.say(f"setoption name threads value {most - 1}", f"setoption name threads value {most + 1}", "isready")
        assert await first.line() == (
            f"info string error: threads: expected at most {most}, left by the other sessions of 8 beyond "
            f"{granted} each; got {most + 1}"
        )
        assert await first.line() == "readyok"
        second.say(f"setoption name threads value {granted + 1}", "isready")
        assert await second.line() == "readyok"
        third.say(f"setoption name threads value {granted + 1}")
        assert (await third.line()).startswith(f"info string error: threads: expected at most {granted}, left by")
        await home.peer()
        first.say("quit")
        assert await first.closed()
        third.say(f"setoption name threads value {most - 1}", "isready")
        assert await third.line() == "readyok"


async def test_a_refused_client_reads_the_reason_after_its_own_line() -> None:
    async with house(bounds=Bounds(sessions=1)) as home:
        await home.peer()
        for _ in range(10):
            hasty = await home.peer(greeted=False)
            hasty.say("ugi", *["isready"] * 1000)
            assert (await hasty.line()).startswith("info string error: expected at most 1 concurrent sessions")
            assert await hasty.closed()


async def test_a_half_closed_client_gets_its_answer() -> None:
    async with house("mcts") as home:
        peer = await home.peer()
        peer.say("go nodes 3000")
        peer.writer.write_eof()
        lines = await peer.until("bestmove")
        assert "nodes 3000 " in lines[-2]
        assert await peer.closed()
        await home.sessions(0)


async def test_a_half_closed_client_receives_signs_of_life() -> None:
    async with house("mcts") as home:
        peer = await home.peer()
        peer.say("go movetime 60000")
        peer.writer.write_eof()
        assert await peer.until("info string searching")


async def test_a_half_closed_client_of_gtp_receives_empty_lines_before_its_answer() -> None:
    async with house("mcts", simulations="100000") as home:
        peer = await home.peer(greeted=False)
        peer.say("name", "1 genmove b")
        peer.writer.write_eof()
        async with asyncio.timeout(PATIENCE):
            lines = (await peer.reader.read()).decode().splitlines()
        assert lines[:2] == ["= Fiedler mcts", ""]
        assert "".join(lines[2:]).startswith("=1 ")
        await home.sessions(0)


async def test_a_client_of_gtp_that_goes_away_stops_its_search() -> None:
    async with house("mcts", simulations="9000000000") as home:
        peer = await home.peer(greeted=False)
        peer.say("time_settings 0 100000 1", "genmove b")
        await eventually(lambda: any(one._session.searching for one in home.drivers))
        peer.writer.close()
        await home.sessions(0)
        await eventually(lambda: home.server.workers._idle.acquire(blocking=False))


async def test_quit_closes() -> None:
    async with house() as home:
        peer = await home.peer()
        peer.say("quit", "isready")
        assert await peer.closed()
        await home.sessions(0)


async def test_quit_in_mid_search_stops_it() -> None:
    async with house("mcts") as home:
        peer = await home.peer()
        peer.say("go movetime 600000", "quit")
        await peer.until("bestmove")
        assert await peer.closed()


async def test_one_session_too_many_is_refused() -> None:
    async with house(bounds=Bounds(sessions=2)) as home:
        first = await home.peer()
        await home.peer()
        third = await home.peer(greeted=False)
        assert await third.line() == "info string error: expected at most 2 concurrent sessions; try again later"
        assert await third.closed()
        first.say("quit")
        assert await first.closed()
        await home.sessions(1)
        await home.peer()


async def test_an_idle_session_is_closed_and_a_busy_one_is_not() -> None:
    async with house("mcts", Bounds(idle_seconds=0.5)) as home:
        busy = await home.peer(greeted=False)
        busy.say("ugi", "go infinite")
        await busy.until("ugiok")
        idle = await home.peer(greeted=False)
        assert await idle.line() == "info string error: expected a line within 0.5 s, got none; closing"
        assert await idle.closed()
        busy.say("stop")
        assert await busy.until("bestmove")


async def test_a_silent_connection_does_not_delay_others() -> None:
    async with house() as home:
        await home.peer(greeted=False)
        peer = await home.peer()
        peer.say("go nodes 1")
        await peer.until("bestmove")


async def test_a_line_that_is_too_long_is_refused_once_and_skipped() -> None:
    async with house() as home:
        peer = await home.peer()
        peer.say("x" * 500_000, "isready")
        lines = await peer.until("readyok")
        assert len(lines) == 2
        assert lines[0].startswith("info string error: expected at most 65536 bytes on a line")


async def test_garbage_is_answered_line_by_line() -> None:
    async with house() as home:
        peer = await home.peer()
        peer.writer.write(b"\xff\xfe\n\x00\n\n   \nGET / HTTP/1.1\r\n")
        peer.say("isready")
        lines = await peer.until("readyok")
        assert len(lines) == 4
        assert all(line.startswith("info string error: ") for line in lines[:-1])


async def test_a_flood_of_commands_lets_others_have_their_turn() -> None:
    async with house() as home:
        flooding, other = await home.peer(), await home.peer()
        flooding.say(*["query board"] * 4_000)
        await asyncio.sleep(0)
        other.say("isready")
        assert await other.line() == "readyok"
        assert any(connection._held or connection._session.waiting for connection in home.drivers)
        for _ in range(4_000):
            await flooding.until("response ok")


@pytest.mark.slow
async def test_a_client_that_does_not_read_is_not_read() -> None:
    async with house() as home:
        peer = await home.peer()
        peer.writer.transport.pause_reading()  # type: ignore[attr-defined]
        (connection,) = home.drivers
        peer.say(*["query board"] * 12_000)
        await eventually(lambda: connection._session.congested)
        await asyncio.sleep(0.1)
        assert connection._transport.get_write_buffer_size() < 1_000_000
        peer.writer.transport.resume_reading()  # type: ignore[attr-defined]
        for _ in range(12_000):
            await peer.until("response ok")


async def test_closing_the_server_ends_sessions_and_searches() -> None:
    async with house("mcts") as home:
        peer = await home.peer()
        peer.say("go infinite")
        await asyncio.sleep(0.05)
        async with asyncio.timeout(PATIENCE):
            await home.server.close()
        await peer.reader.read()
        assert peer.reader.at_eof()


async def test_small_answers_leave_at_once() -> None:
    async with house() as home:
        await home.peer()
        (connection,) = home.drivers
        link = connection._transport.get_extra_info("socket")
        assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_the_system_notices_a_client_that_vanishes_silently() -> None:
    async with house() as home:
        await home.peer()
        (connection,) = home.drivers
        link = connection._transport.get_extra_info("socket")
        assert link.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        if hasattr(socket, "TCP_KEEPIDLE"):
            assert link.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 10


async def test_a_port_in_use_is_refused_in_one_line() -> None:
    async with house() as home:
        other = Server(EngineOffer(game("uttt"), create(game("uttt"), "random")))
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{home.port}: address already in use"):
            await other.start("127.0.0.1", home.port)
        await other.close()


async def test_the_same_seed_gives_the_same_moves_beside_other_clients() -> None:
    async def moves(home: House) -> list[str]:
        peer, played = await home.peer(), list[str]()
        peer.say("setoption name seed value 9")
        for _ in range(8):
            peer.say(f"position startpos moves {' '.join(played)}", "go nodes 300")
            played.append((await peer.until("bestmove"))[-1].split()[1])
        return played

    async with house("mcts") as home:
        alone = await moves(home)
        assert await asyncio.gather(*(moves(home) for _ in range(4))) == [alone] * 4
