"""Local players at one shared server: their games, their failures, and the processes of their own after these."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import threading
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fiedler.support.errors import UsageError
from fiedler.support.reaper import Reaper
from fiedler.tournament.game import GameRecord, PlannedGame
from fiedler.tournament.play.roster import is_sharable, roster_text
from fiedler.tournament.play.session import PlayerSession
from fiedler.tournament.play.shared_player import SharedPlayer
from fiedler.tournament.play.shared_server import SPARE, most_idle
from fiedler.tournament.run.events import Event, Finished, Voided, Warned
from fiedler.tournament.run.lease import FinishedLease, Lease, VoidedLease
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.table import LocalTable
from fiedler.tournament.run.venue import LocalVenue
from fiedler.tournament.schedule.schedule import PlayerEntry
from fiedler.tournament.schedule.validation import load
from tests.folders import ROOT
from tests.patience import PATIENCE, pass_an_hour, wait_until
from tests.tournament.schedules import Bench, player, programs_of, tables, toml

NET = ROOT / "models/uttt-small.onnx"
FIELD: list[dict[str, Any]] = [
    {"name": "hsp", "player": "hsp"},
    {"name": "quiet", "player": "negamax", "options": {"depth": 2}},
    {"name": "a tree", "player": "mcts", "options": {"simulations": 60}},
    {"name": "net", "player": "checkpoint", "model": str(NET), "options": {"simulations": 20}},
]


def moves(games: list[GameRecord]) -> dict[str, tuple[object, ...]]:
    return {game.id: (game.first, game.second, game.moves, game.result, game.termination) for game in games}


@pytest.mark.programs
@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.soak)])
def test_the_games_are_those_of_players_with_processes_of_their_own(tmp_path: Path, processes: int) -> None:
    found = []
    for isolate in (False, True):
        folder = tmp_path / str(isolate)
        folder.mkdir()
        bench = Bench(folder)
        bench.processes = processes
        field = [{**one, "isolate": isolate} for one in FIELD]
        found.append(moves(bench.play(field, tournament={"game": "uttt", "concurrency": 2}, limit={"depth": 3})))
    assert len(found[0]) == 12
    assert {game[-1] for game in found[0].values()} == {"rules"}
    assert found[0] == found[1]


@pytest.mark.programs
def test_local_players_share_one_process(bench: Bench) -> None:
    seen: set[int] = set()

    def look(event: Event) -> None:
        if isinstance(event, Finished):
            seen.update(programs_of(bench, "serve"))

    bench.subscribers = [look]
    own = {"name": "own", "player": "hsp", "isolate": True}
    field: list[dict[str, Any]] = [*({"name": name, "player": "random"} for name in "abc"), own]
    assert len(bench.play(field, tournament={"concurrency": 2}, limit={"nodes": 1})) == 12
    assert len(seen) == 2
    assert programs_of(bench) == []


def test_only_players_of_ours_have_a_process_to_share(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"players 'b'\.isolate: only with player, model or models: other players"):
        bench.play([{"name": "a", "player": "hsp"}, player("b", isolate=True)])


# --- the file of the server -------------------------------------------------------------------------------------------


def test_the_file_has_every_player_with_its_options() -> None:
    odd = '/a "quoted" \\ path\x7f\n\u2028😀.onnx'
    players = {
        "1": PlayerEntry(name="x", model=odd),
        "2": PlayerEntry(name="y", player="mcts", options={"c": 2.0, "model": "net.onnx", "flag": True}),
    }
    nobody, first, second = tomllib.loads(roster_text(players, Path("/folder")))["players"]
    assert nobody == {"name": "0", "player": "random"}
    assert first == {"name": "1", "model": odd}
    options = {"c": "2", "flag": "true"}
    assert second == {"name": "2", "player": "mcts", "model": "/folder/net.onnx", "options": options}


def test_a_player_of_another_protocol_or_with_an_odd_path_has_its_own_process() -> None:
    assert is_sharable(PlayerEntry(name="x", player="hsp"))
    assert is_sharable(PlayerEntry(name="x", model="/net.onnx"))
    assert not is_sharable(PlayerEntry(name="x", player="hsp", isolate=True))
    assert not is_sharable(PlayerEntry(name="x", player="hsp", protocol="gtp"))
    assert not is_sharable(PlayerEntry(name="x", command=("a",)))
    assert not is_sharable(PlayerEntry(name="x", model="/\udcff.onnx"))


# --- its memory -------------------------------------------------------------------------------------------------------


@pytest.mark.programs
@pytest.mark.parametrize("number", [1, 20_000])
async def test_the_models_of_a_server_have_a_bound_that_it_takes(tmp_path: Path, number: int) -> None:
    large = tmp_path / "large.onnx"
    large.write_bytes(NET.read_bytes() + b"\xfa\x01\x80\x80\x80\x08" + bytes(2**24))  # a field that ONNX does not have
    field: list[dict[str, Any]] = [{"name": "a", "player": "random"}, {"name": "b", "model": str(large)}]
    one = Stage(tmp_path, field, {"nodes": 1, "startup_s": PATIENCE}, number)
    try:
        await one.endpoint("a").release(await one.endpoint("a").acquire())
        assert [one.endpoint(name).choice for name in "ab"] == ["1", "2"]
        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**21
        (server,) = programs_of(one.bench, f"--keep-models-mb\x00{max(512, half)}\x00")
        assert server in programs_of(one.bench, "--players")
    finally:
        await one.close()


def test_a_machine_with_little_memory_keeps_few_sessions() -> None:
    assert most_idle(tables=4, used=24, largest_mb=7, machine_mb=8000) == 8 + SPARE
    assert most_idle(tables=4, used=24, largest_mb=100, machine_mb=6000) == 6
    assert most_idle(tables=4, used=24, largest_mb=300, machine_mb=6000) == 0


# --- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.programs
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"model": "damaged.onnx"}, "player 'bad': engine serve: model "),
        ({"player": "checkpoint"}, "player 'bad': engine serve: player checkpoint: expected a network file"),
    ],
)
def test_a_wrong_player_is_reported_alone(bench: Bench, bad: dict[str, object], message: str) -> None:
    (bench.folder / "damaged.onnx").write_bytes(NET.read_bytes()[:-1000])
    good = [{"name": name, "player": "hsp"} for name in "ab"]
    with pytest.raises(UsageError) as caught:
        bench.play([*good, {"name": "bad", **bad}], limit={"nodes": 1})
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.programs
def test_a_run_begins_without_a_wrong_player(bench: Bench) -> None:
    (bench.folder / "damaged.onnx").write_bytes(b"not a network")
    bad = {"name": "bad", "model": "damaged.onnx", "required": False}
    games = bench.play([bad, *({"name": name, "player": "hsp"} for name in "ab")], limit={"nodes": 1})
    assert [game.termination for game in games] == ["rules"] * 2


class Stage:
    """A number of tables, their players and the server that they share."""

    def __init__(self, folder: Path, field: list[dict[str, Any]], limit: dict[str, Any], number: int = 1) -> None:
        path = folder / "s.toml"
        path.write_text(toml(tables(field, tournament={"game": "uttt"}, limit=limit)), encoding="utf-8")
        self.schedule = load(path)
        self.bench = Bench(folder)
        self._reaper = Reaper()
        self.boards = Boards()
        self.venue = LocalVenue(self.schedule, [None] * number, self._reaper, 2, None, self.boards)

    async def play(self, number: int = 1) -> FinishedLease | VoidedLease:
        game = PlannedGame(id=f"g{number}", number=number, first="a", second="b", opening=(), step=1, turn=number)
        (table,) = self.venue.at_once
        try:
            async with asyncio.timeout(PATIENCE):
                return await table.play(Lease(game, 1, 1, 1))
        finally:
            await table.clear()

    def endpoint(self, name: str) -> SharedPlayer:
        (endpoints,) = self.venue._endpoints.values()
        found = endpoints[name]
        assert isinstance(found, SharedPlayer)
        return found

    async def moved(self) -> None:
        """Wait until the game has a few moves."""
        while not any(len(board.moves) > 4 for board in self.boards.changed({})):  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.01)

    async def signalled(self, number: signal.Signals) -> VoidedLease:
        """Play a game in which the shared server gets a signal."""
        async with asyncio.TaskGroup() as group:
            game = group.create_task(self.play())
            await asyncio.wait_for(self.moved(), PATIENCE)
            (server,) = programs_of(self.bench, "--players")
            os.kill(server, number)
        answer = game.result()
        assert isinstance(answer, VoidedLease)
        return answer

    async def close(self) -> None:
        await self.venue.close()
        self._reaper.close()


@asynccontextmanager
async def stage(folder: Path, limit: dict[str, Any], second: dict[str, Any] | None = None) -> AsyncIterator[Stage]:
    field = [{"name": "a", "player": "mcts"}, second or {"name": "b", "player": "mcts"}]
    made = Stage(folder, field, limit)
    try:
        yield made
    finally:
        await made.close()


@pytest.mark.programs
async def test_a_game_on_a_server_that_dies_is_void_and_played_again(tmp_path: Path) -> None:
    async with stage(tmp_path, {"nodes": 3000, "startup_s": PATIENCE}) as one:
        lost = await one.signalled(signal.SIGKILL)
        assert lost.isolated in ("a", "b")
        assert lost.why.endswith(f"killed by SIGKILL at the shared server; {lost.isolated} gets its own process")
        answer = await one.play()
        assert isinstance(answer, FinishedLease)
        assert answer.record.termination == "rules"
        assert {name for name in "ab" if not one.endpoint(name).choice} == {lost.isolated}
        assert len(programs_of(one.bench, "--players")) == 1
        assert len(programs_of(one.bench, "serve")) == 2


@pytest.mark.programs
async def test_a_server_that_hangs_costs_no_player_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fiedler.tournament.play.shared_server.CHECK_S", 0.5)
    async with stage(tmp_path, {"movetime_ms": 500, "margin_ms": 6000, "startup_s": PATIENCE}) as one:
        lost = await one.signalled(signal.SIGSTOP)
        assert lost.isolated in ("a", "b")
        assert " at the shared server" in lost.why
        assert programs_of(one.bench, "--players") == []


@pytest.mark.programs
@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_server_that_fails_during_the_probe_costs_no_player_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: signal.Signals
) -> None:
    monkeypatch.setattr("fiedler.tournament.play.shared_server.CHECK_S", 0.5)
    async with stage(tmp_path, {"nodes": 5, "startup_s": PATIENCE}) as one:
        start_position = PlayerSession.start_position

        async def failing(session: PlayerSession) -> str | None:
            if session.choice:
                for server in programs_of(one.bench, "--players"):
                    os.kill(server, fault)
                if fault == signal.SIGSTOP:
                    pass_an_hour(monkeypatch)
            return await start_position(session)

        monkeypatch.setattr(PlayerSession, "start_position", failing)
        assert await one.venue.probe(["a"]) == {}
        assert [one.endpoint(name).choice for name in "ab"] == ["", "2"]
        assert programs_of(one.bench, "--players") == []
        assert len(programs_of(one.bench, "serve")) == 1


@pytest.mark.programs
async def test_a_player_that_also_fails_alone_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with stage(tmp_path, {"nodes": 5, "startup_s": PATIENCE}) as one:
        start_position = PlayerSession.start_position

        async def killed(session: PlayerSession) -> str | None:
            for server in programs_of(one.bench, "serve"):
                os.kill(server, signal.SIGKILL)
            return await start_position(session)

        monkeypatch.setattr(PlayerSession, "start_position", killed)
        assert await one.venue.probe(["a"]) == {"a": "was killed by SIGKILL"}


@pytest.mark.programs
async def test_a_server_without_memory_for_a_search_costs_no_player_the_game(tmp_path: Path) -> None:
    large = {"name": "b", "player": "negamax", "options": {"hash_mb": 512}}
    async with stage(tmp_path, {"nodes": 50, "startup_s": PATIENCE}, large) as one:
        await one.endpoint("a").release(await one.endpoint("a").acquire())
        (server,) = programs_of(one.bench, "--players")
        _, most = free = resource.prlimit(server, resource.RLIMIT_AS)
        resource.prlimit(server, resource.RLIMIT_AS, (used_bytes(server) + 400 * 2**20, most))
        lost = await one.play()
        assert isinstance(lost, VoidedLease)
        assert lost.isolated == "b"
        assert lost.why.startswith("b, ply 2: no move, but legal moves exist; it sent ")
        assert "player negamax: not enough memory" in lost.why
        assert lost.why.endswith(" at the shared server; b gets its own process")
        resource.prlimit(server, resource.RLIMIT_AS, free)
        answer = await one.play()
        assert isinstance(answer, FinishedLease)
        assert answer.record.termination == "rules"
        assert [one.endpoint(name).choice for name in "ab"] == ["1", ""]


def used_bytes(process: int) -> int:
    """Return the address space of a process."""
    return int(Path(f"/proc/{process}/statm").read_text("utf-8").split()[0]) * resource.getpagesize()


@pytest.mark.programs
def test_a_server_that_dies_while_the_opponent_thinks_isolates_its_player(bench: Bench) -> None:
    def kill() -> None:
        wait_until((bench.folder / "holding").exists)
        for program in programs_of(bench, "--players"):
            os.kill(program, signal.SIGKILL)
        wait_until(lambda: any(isinstance(event, Voided) for event in bench.events))
        (bench.folder / "released").touch()

    killing = threading.Thread(target=kill)
    killing.start()
    local = {"name": "local", "player": "random"}
    games = bench.play([local, player("held", "held", 2)], tournament={"games_per_pair": 4}, limit={"nodes": 1})
    killing.join()
    assert [game.termination for game in games] == ["rules"] * 4
    (void,) = [event for event in bench.events if isinstance(event, Voided)]
    assert void.why == "local was killed by SIGKILL at the shared server; local gets its own process"


@pytest.mark.programs
@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("#!/bin/sh\necho starting >&2\necho 'error: no room' >&2\nexit 1\n", "engine serve: no room"),
        ("#!/bin/sh\nkill -9 $$\n", "engine serve was killed by SIGKILL"),
        (None, "cannot start '{}': no such file or directory"),
    ],
)
def test_a_server_that_does_not_start_is_reported_with_its_reason(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, program: str | None, why: str
) -> None:
    engine = bench.folder / "engine"
    if program is not None:
        engine.write_text(program, encoding="utf-8")
        engine.chmod(0o755)
    monkeypatch.setattr("fiedler.tournament.play.shared_server.engine_program", lambda: str(engine))
    games = bench.play([{"name": name, "player": "random"} for name in "ab"], limit={"nodes": 1})
    assert [game.termination for game in games] == ["rules"] * 2
    (warning,) = [event.text for event in bench.events if isinstance(event, Warned)]
    reason = why.format(engine)
    assert warning == f"the shared server did not start in 3 attempts ({reason}): each player has its own process"


@pytest.mark.programs
def test_games_void_by_a_shared_server_close_no_table(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    play, voids = LocalTable.play, iter(range(5))

    async def flaky(table: LocalTable, lease: Lease) -> FinishedLease | VoidedLease:
        if next(voids, None) is not None:
            return VoidedLease(lease, "it died", "a")
        return await play(table, lease)

    monkeypatch.setattr(LocalTable, "play", flaky)
    games = bench.play([player("a"), player("b")], limit={"nodes": 1})
    assert len(games) == 2
    assert len([event for event in bench.events if isinstance(event, Voided)]) == 5


@pytest.mark.programs
async def test_idle_sessions_of_many_players_are_few(tmp_path: Path) -> None:
    names = [f"p{number}" for number in range(SPARE + 6)]
    one = Stage(tmp_path, [{"name": name, "player": "random"} for name in names], {"nodes": 1})
    try:
        assert await one.venue.probe(names) == {}
        assert sum(len(one.endpoint(name)._idle) for name in names) == SPARE + 2
        session = await one.endpoint(names[0]).acquire()
        assert session.offers_seed
        await one.endpoint(names[0]).release(session)
        assert sum(len(one.endpoint(name)._idle) for name in names) == SPARE + 2
    finally:
        await one.close()


@pytest.mark.soak
def test_many_kills_of_shared_servers_change_no_game(tmp_path: Path) -> None:
    many = [{"name": f"tree {number}", "player": "mcts", "options": {"simulations": 300}} for number in range(8)]
    field = [*FIELD, *many]
    found, voids = [], 0
    for kills in (False, True):
        folder = tmp_path / str(kills)
        folder.mkdir()
        bench = Bench(folder)
        over = threading.Event()

        def kill(bench: Bench = bench, over: threading.Event = over) -> None:
            while not over.wait(2.0):
                began = any(isinstance(event, Finished) for event in bench.events)
                for program in programs_of(bench, "--players") if began else ():
                    os.kill(program, signal.SIGKILL)

        killing = threading.Thread(target=kill)
        if kills:
            killing.start()
        limit = {"depth": 3, "startup_s": PATIENCE}
        try:
            found.append(moves(bench.play(field, tournament={"game": "uttt", "concurrency": 3}, limit=limit)))
        finally:
            over.set()
        voids += len([event for event in bench.events if isinstance(event, Voided)])
    assert voids > 0
    assert {game[-1] for game in found[0].values()} == {"rules"}
    assert found[0] == found[1]
