"""Players behind `engine serve`: their servers start, are lost and start again."""

from __future__ import annotations

import asyncio
import errno
import math
import os
import signal
import socket
import threading
from pathlib import Path
from typing import cast

import pytest
import uvloop

from fiedler.client.call import Access
from fiedler.protocol.ugi import UgiClient
from fiedler.support.address import Address
from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.play import endpoint, remote
from fiedler.tournament.play.carriers import Socket
from fiedler.tournament.play.endpoint import CUT_OFF, serve_command
from fiedler.tournament.play.machine import NetworkError
from fiedler.tournament.play.server_process import engine_program
from fiedler.tournament.play.session import PlayerLostError
from fiedler.tournament.run import runner
from fiedler.tournament.run.events import Event, Finished
from fiedler.tournament.schedule.schedule import PlayerEntry
from fiedler.tournament.termination import Termination
from tests.patience import PATIENCE, wait_until
from tests.tournament.schedules import Bench, listening, misbehaving, player, programs_of

LOCAL = {"name": "local", "player": "random"}


def test_a_local_player_is_a_command_of_engine_serve() -> None:
    program, *arguments = serve_command(PlayerEntry(name="m", model="/m.onnx", options={"simulations": 9}), "uttt")
    assert Path(program).name == "engine"
    assert " ".join(arguments) == ("serve --game uttt --model /m.onnx --set simulations=9 --host 127.0.0.1 --port 0")


@pytest.mark.programs
def test_a_local_player_is_one_server_with_many_sessions(bench: Bench) -> None:
    seen: set[int] = set()

    def look(event: Event) -> None:
        if isinstance(event, Finished):
            seen.update(programs_of(bench, "serve"))

    bench.subscribers = [look]
    games = bench.play([LOCAL, player("a"), player("b")], tournament={"concurrency": 3}, limit={"nodes": 1})
    assert {game.termination for game in games} == {"rules"}
    assert len(seen) == 1
    assert programs_of(bench) == []


@pytest.mark.programs
def test_a_server_that_dies_costs_one_game_and_is_started_again(bench: Bench) -> None:
    def kill() -> None:
        wait_until((bench.folder / "holding").exists)
        for program in programs_of(bench, "serve"):
            os.kill(program, signal.SIGKILL)
        (bench.folder / "released").touch()

    killing = threading.Thread(target=kill)
    killing.start()
    own = {**LOCAL, "isolate": True}
    games = bench.play([own, player("held", "held", 2)], tournament={"games_per_pair": 4}, limit={"nodes": 1})
    killing.join()
    ends = [game.termination for game in games]
    assert ends.count(Termination.CRASH) == 1
    assert ends.count(Termination.RULES) == 3
    lost = next(game for game in games if game.termination == "crash")
    assert (lost.loser, lost.detail) == ("local", "local was killed by SIGKILL")


def test_output_to_a_lost_player_is_dropped() -> None:
    """Its opponent moves between the end of its connection and the end of its game."""

    async def speak() -> None:
        async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            session = await endpoint.connect("gone", Address("127.0.0.1", port), None, UgiClient(), None, Access())
            carrier = cast("Socket", session._stream.carrier)
            await asyncio.wait_for(carrier.closed, PATIENCE)
            carrier.write(b"go\n")

    uvloop.run(speak())


@pytest.mark.programs
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"player": "rndom"}, "players 'bad'.player: unknown player 'rndom'; did you mean 'random'?"),
        ({"player": "mcts", "options": {"simulatons": 9}}, "did you mean 'simulations'?"),
        (
            {"player": "mcts", "options": {"simulations": "many"}},
            "players 'bad'.options.simulations: expected a whole number",
        ),
        ({"model": "damaged.onnx"}, "player 'bad': engine serve: "),
    ],
)
def test_a_local_player_that_cannot_start_is_reported(bench: Bench, bad: dict[str, object], message: str) -> None:
    (bench.folder / "damaged.onnx").write_bytes(b"not a network")
    with pytest.raises(UsageError) as caught:
        bench.play([player("good"), {"name": "bad", **bad}])
    assert message in str(caught.value)
    assert "Traceback" not in str(caught.value)


SEVERAL = OSError(
    "Multiple exceptions: [Errno 101] Connect call failed ('::1', 1, 0, 0), [Errno 113] Connect call failed"
)
NETWORK = [*(OSError(number, "x") for number in CUT_OFF), socket.gaierror(socket.EAI_AGAIN, "try again"), SEVERAL]
FAR = [
    OSError(errno.ECONNREFUSED, "refused"),
    OSError("Multiple exceptions: [Errno 101] x, [Errno 111] x"),
    OSError("x"),
]


@pytest.mark.parametrize(("errors", "kind"), [(NETWORK, NetworkError), (FAR, PlayerLostError)])
def test_a_missing_network_is_not_a_fault_of_the_player(errors: list[OSError], kind: type[Exception]) -> None:
    assert {type(endpoint._unreachable("far", "192.0.2.7:1", error)) for error in errors} == {kind}


def fail_after_the_first(monkeypatch: pytest.MonkeyPatch, error: OSError, times: float = math.inf) -> list[object]:
    """Let `times` attempts to connect fail after the first one; return the growing list of attempts."""
    connect = endpoint.connect
    calls: list[object] = []

    async def failing(*where: object) -> object:
        calls.append(where)
        if 1 < len(calls) <= 1 + times:
            raise error
        return await connect(*where)  # type: ignore[arg-type]

    monkeypatch.setattr(remote, "connect", failing)
    return calls


@pytest.mark.programs
def test_a_lost_network_makes_games_void_and_stops_the_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = endpoint.connect
    fail_after_the_first(monkeypatch, OSError(errno.ENETUNREACH, "network is unreachable"))
    monkeypatch.setattr(runner, "VOID_PAUSE_S", 0.01)
    with listening([*misbehaving("closes", 2), "--tcp"]) as address:
        players = [{"name": "far", "address": address}, player("good")]
        with pytest.raises(
            WorkError, match=rf"'far': cannot be reached at {address}: network is unreachable \(3 void games in a row"
        ):
            bench.play(players, limit={"nodes": 1})
        assert [game.termination for game in bench.games()] == ["disconnect"]
        monkeypatch.setattr(remote, "connect", connect)
        assert [game.termination for game in bench.play()] == ["disconnect", "disconnect"]


@pytest.mark.programs
@pytest.mark.parametrize(
    ("refusals", "seconds", "last"),
    [(3, PATIENCE, "closed the connection"), (math.inf, 2.0, "cannot be reached at 127.0.0.1:")],
)
def test_an_address_that_listened_before_is_retried(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, refusals: float, seconds: float, last: str
) -> None:
    refused = ConnectionRefusedError(errno.ECONNREFUSED, "connection refused")
    calls = fail_after_the_first(monkeypatch, refused, refusals)
    monkeypatch.setattr(remote, "RETRY_PAUSE_S", 0.02)
    with listening([*misbehaving("closes", 2), "--tcp"]) as address:
        players = [{"name": "far", "address": address}, player("good")]
        games = bench.play(players, limit={"nodes": 1, "startup_s": seconds})
    assert [game.termination for game in games] == ["disconnect", "disconnect"]
    assert "closed the connection" in (games[0].detail or "")
    assert last in (games[1].detail or "")
    assert len(calls) > 4


@pytest.mark.programs
def test_a_network_that_is_missing_from_the_start_fails_the_probe(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        raise OSError(errno.EHOSTUNREACH, "no route to host")

    monkeypatch.setattr(remote, "connect", never)
    with pytest.raises(UsageError, match=r"player 'far': cannot be reached at 192\.0\.2\.7:1: no route to host"):
        bench.play([{"name": "far", "address": "192.0.2.7:1"}, player("good")])


@pytest.mark.programs
def test_the_probe_finds_a_server_of_another_game(bench: Bench) -> None:
    command = [engine_program(), "serve", "--game", "uttt", "--player", "random", "--port", "0"]
    refused = pytest.raises(UsageError, match="player 'far': it plays another game than tictactoe: it starts from X;")
    with listening(command) as address, refused:
        bench.play([{"name": "far", "address": address}, player("good")])
    assert not (bench.results / "test").exists()
