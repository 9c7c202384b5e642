"""Players at an address whose line is lost: they return to their game, or lose it on time or by its absence."""

from __future__ import annotations

import errno
import itertools
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.game import GameRecord
from fiedler.tournament.play import endpoint, remote
from fiedler.tournament.run import manager
from fiedler.tournament.run.events import Voided, Warned
from fiedler.tournament.run.store import Store
from tests.engine.engine_process import ENGINE, serving
from tests.patience import FLOODED, PATIENCE
from tests.tournament.line import Cut, free_port, line_to
from tests.tournament.schedules import Bench, Tables, listening, misbehaving, player

FINE = [*misbehaving("fine"), "--tcp"]
NODES: Tables = {"nodes": 1, "reconnect_s": PATIENCE, "startup_s": PATIENCE}
CUTS: dict[str, tuple[Cut, ...]] = {
    "in the middle of a move": ((b"go nodes", 2),),
    "between moves, while the opponent thinks": ((b"bestmove", 2),),
    "twice": ((b"go nodes", 1), (b"bestmove", 2)),
    "at the announcement": ((b"uginewgame", 1),),
    "before the second game": ((b"uginewgame", 2),),
    "in the handshake of the return": ((b"go nodes", 2), (b"ugiok", 1)),
    "with the answer on its way": ((b"bestmove", 1), (b"go nodes", 1), (b"bestmove", 1)),
}


def course(games: list[GameRecord]) -> list[tuple[object, ...]]:
    return [(one.id, one.first, one.moves, one.result, one.termination) for one in games]


def returns(bench: Bench) -> list[str]:
    return [event.text for event in bench.events if isinstance(event, Warned) and "and returned after" in event.text]


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_a_game_resumes_after_a_loss_of_the_line(bench: Bench, cuts: tuple[Cut, ...]) -> None:
    played = []
    for given in ((), cuts):
        bench.results = bench.folder / f"{len(given)}-cuts"
        with listening(FINE) as address, line_to(address, *given) as line:
            far = {"name": "far", "address": line.address}
            played.append(course(bench.play([far, player("near")], limit=NODES, openings={"plies": 1})))
            assert line.cuts_left == 0
            assert line.connections == 1 + len(given)
    assert {termination for *_, termination in played[0]} == {"rules"}
    assert played[0] == played[1]
    with closing(Store.open(bench.results / "test")) as store:
        assert store.attempts == {one[0]: 1 for one in played[1]}
    assert not [event for event in bench.events if isinstance(event, Voided)]


def test_a_return_is_reported(bench: Bench) -> None:
    with listening(FINE) as address, line_to(address, (b"go nodes", 2), (b"go nodes", 2)) as line:
        bench.play([{"name": "far", "address": line.address}, player("near")], limit=NODES)
    (text,) = returns(bench)
    assert text.startswith("far closed the connection during a game, and returned after ")


SERVED = {
    "ugi": ("connect4", ((b"go ", 3), (b"go ", 2), (b"bestmove", 4))),
    "gtp": ("connect4", ((b"genmove ", 3), (b"genmove ", 2), (b"play ", 3))),
    "gomocup": ("gomoku9", ((b"TURN", 2), (b"TURN", 1), (b"BOARD", 1))),
}


@pytest.mark.parametrize("protocol", SERVED)
def test_our_own_server_resumes_move_for_move(bench: Bench, protocol: str) -> None:
    game, cuts = SERVED[protocol]
    limit: Tables = {"movetime_ms": 1000 * round(PATIENCE), "reconnect_s": PATIENCE, "startup_s": PATIENCE}
    played = []
    for given in ((), cuts):
        bench.results = bench.folder / f"{len(given)}-cuts"
        arguments = ("--game", game, "--player", "negamax", "--set", "depth=2", "--protocol", protocol)
        with serving(*arguments) as server, line_to(server.address, *given) as line:
            far = {"name": "far", "address": line.address, "protocol": protocol}
            near = {"name": "near", "player": "negamax", "options": {"depth": 1}}
            games = bench.play([far, near], tournament={"game": game}, limit=limit, openings={"plies": 2})
            assert line.cuts_left == 0
        played.append(course(games))
    assert {one[-1] for one in played[0]} == {"rules"}
    assert played[0] == played[1]


@pytest.mark.soak  # once in about 20 runs on a busy machine a game ended as disconnect
def test_a_player_returns_to_a_table_process(bench: Bench) -> None:
    bench.processes = 2
    with listening(FINE) as address, line_to(address, (b"go nodes", 2), (b"bestmove", 4)) as line:
        players = [{"name": "far", "address": line.address}, player("near")]
        games = bench.play(players, tournament={"concurrency": 2, "games_per_pair": 4}, limit=NODES)
        assert line.cuts_left == 0
    assert [(one.termination, one.detail) for one in games if one.termination != "rules"] == []


def test_a_player_that_returns_too_late_is_disconnected(bench: Bench) -> None:
    limit = {**NODES, "reconnect_s": 0.5}
    with listening(FINE) as address, line_to(address, (b"go nodes", 2), closed_s=3600) as line:
        far = {"name": "far", "address": line.address}
        (game,) = bench.play([far, player("near")], tournament={"bench_after": 1}, limit=limit)
    assert (game.loser, game.termination) == ("far", "disconnect")
    assert game.detail.startswith("far closed the connection and did not return within 0.5 s: ")
    assert [event for event in bench.events if isinstance(event, Voided)] == []


def test_the_clock_runs_while_the_line_is_lost(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.hurry(monkeypatch, "far")
    limit: Tables = {"movetime_ms": 500, "margin_ms": 0, "reconnect_s": PATIENCE, "startup_s": PATIENCE}
    with listening(FINE) as address, line_to(address, (b"go ", 1), closed_s=3600) as line:
        far = {"name": "far", "address": line.address}
        games = bench.play([far, player("near")], tournament={"bench_after": 1}, limit=limit)
    assert games[0].termination == "time"
    assert games[0].detail.endswith(" a move; it closed the connection")


def test_who_returns_gets_the_time_left(bench: Bench) -> None:
    log = bench.folder / "log"
    limit: Tables = {"base_ms": 1000 * round(PATIENCE), "reconnect_s": PATIENCE, "startup_s": PATIENCE}
    with listening(FINE) as address, line_to(address, (b"go ", 1), closed_s=0.4) as line:
        bench.write([{"name": "far", "address": line.address}, player("near")], limit=limit)
        manager.run(bench.path, results=bench.results, log=log)
    times = [int(found[1]) for found in re.finditer(r"far#\d+ > go p1time (\d+)", log.read_text("utf-8"))]
    assert times[0] == limit["base_ms"]
    assert times[1] <= limit["base_ms"] - 400


def test_without_reconnect_s_a_lost_line_loses_the_game(bench: Bench) -> None:
    limit = {**NODES, "reconnect_s": 0}
    with listening(FINE) as address, line_to(address, (b"go nodes", 2)) as line:
        games = bench.play([{"name": "far", "address": line.address}, player("near")], limit=limit)
    assert [one.termination for one in games] == ["disconnect", "rules"]


def test_a_child_process_never_returns(bench: Bench) -> None:
    games = bench.play([player("bad", "closes", 2), player("good")], limit=NODES)
    assert [(one.loser, one.termination) for one in games] == [("bad", "disconnect")] * 2


def test_a_flood_is_not_a_lost_line(bench: Bench) -> None:
    with listening([*misbehaving("flood", 2), "--tcp"]) as address:
        games = bench.play([{"name": "far", "address": address}, player("near")], limit=NODES)
    assert [one.termination for one in games] == ["disconnect"] * 2
    assert all(re.match(f"far {FLOODED}", one.detail) for one in games), games


@pytest.mark.parametrize("cuts", [((b"MAKE_MOVE", 4),), ((b"MOVE:", 6),), ((b"GAME_RESET", 1),)], ids=str)
def test_a_player_of_makemove_returns(bench: Bench, cuts: tuple[Cut, ...]) -> None:
    """It connects again, and is sent GAME_RESET and all moves."""
    log = bench.folder / "log"
    limit: Tables = {"movetime_ms": 1000 * round(PATIENCE), "startup_s": PATIENCE, "reconnect_s": PATIENCE}
    where = f"127.0.0.1:{free_port()}"
    with line_to(where, *cuts) as line, dialling_engine(line.address):
        far = {"name": "far", "listen": where, "protocol": "makemove"}
        near = {"name": "near", "player": "osp"}
        bench.write([far, near], tournament={"game": "uttt"}, limit=limit, openings={"plies": 2})
        manager.run(bench.path, results=bench.results, log=log)
        assert line.cuts_left == 0
    games = bench.games()
    assert [one.termination for one in games] == ["rules"] * 2
    lines = log.read_text("utf-8")
    assert lines.count(" far#2 > GAME_RESET") == 2
    assert sum(" far#2 > " in text for text in lines.splitlines()) > len(games[0].moves) / 2


@contextmanager
def dialling_engine(address: str) -> Iterator[None]:
    words = [ENGINE, "serve", "--game", "uttt", "--player", "osp", "--protocol", "makemove", "--dial", address]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as engine:
        try:
            yield
        finally:
            engine.kill()


def fail_to_connect(monkeypatch: pytest.MonkeyPatch, number: int, attempts: range) -> None:
    """Let these attempts to connect, counted from 0, fail with an error of the system."""
    connect, counted = endpoint.connect, itertools.count()

    async def failing(*where: object) -> object:
        if next(counted) in attempts:
            raise OSError(number, "x")
        return await connect(*where)  # type: ignore[arg-type]

    monkeypatch.setattr(remote, "connect", failing)


@pytest.mark.parametrize("number", [errno.ENETUNREACH, errno.ECONNREFUSED, errno.EMFILE])
def test_a_lost_network_does_not_make_the_game_void(bench: Bench, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    fail_to_connect(monkeypatch, number, range(1, 4))
    with listening(FINE) as address, line_to(address, (b"go nodes", 2)) as line:
        games = bench.play([{"name": "far", "address": line.address}, player("near")], limit=NODES)
    assert [one.termination for one in games] == ["rules"] * 2
    assert not [event for event in bench.events if isinstance(event, Voided)]


def test_a_machine_without_resources_is_no_lost_line(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second game cannot begin; it is void and played again."""
    monkeypatch.setattr("fiedler.tournament.run.runner.VOID_PAUSE_S", 0.01)
    fail_to_connect(monkeypatch, errno.EMFILE, range(1, 2))
    with listening([*misbehaving("flood", 2), "--tcp"]) as address:  # a flood ends its connection, without a loss
        games = bench.play([{"name": "far", "address": address}, player("near")], limit=NODES)
    assert [one.termination for one in games] == ["disconnect"] * 2
    assert len([event for event in bench.events if isinstance(event, Voided)]) == 1


def test_an_address_that_the_system_gives_up_is_named_with_its_reason(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_to_connect(monkeypatch, errno.ETIMEDOUT, range(99))
    with pytest.raises(UsageError, match=r"player 'far': cannot be reached at 127\.0\.0\.1:1: connection timed out"):
        bench.play([{"name": "far", "address": "127.0.0.1:1"}, player("near")], limit=NODES)
