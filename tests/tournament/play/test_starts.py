"""Programs are started a few at a time, and their time to start begins with their own turn."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from fiedler.support.reaper import Reaper
from fiedler.tournament.play.endpoint import LocalServer, Program, Site
from fiedler.tournament.play.endpoints import make_endpoint
from fiedler.tournament.play.session import PlayerSession
from fiedler.tournament.run import affinity
from fiedler.tournament.schedule.validation import load
from tests.tournament.schedules import Bench, misbehaving, player, tables, toml

pytestmark = pytest.mark.programs

COUNTING = """
import os, sys, time
mine = "starting/" + str(os.getpid())
open(mine, "w").close()
for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi":
        time.sleep(0.05)  # by now the others that start are here, too
        with open("counted", "a") as counted:
            counted.write(str(len(os.listdir("starting"))) + "\\n")
        print("ugiok", flush=True)
    if word == "isready":
        if os.path.exists(mine):
            os.remove(mine)
        print("readyok", flush=True)
    if word == "go":
        print("bestmove resign", flush=True)
        break
"""
"""A player that exits after its only move, and counts the players that start at the same time."""


def test_no_more_programs_start_at_a_time_than_the_machine_can(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affinity, "available", lambda: [0])
    (bench.folder / "starting").mkdir()
    command = [sys.executable, "-S", "-E", "-c", COUNTING]
    players = [{"name": f"p{number}", "command": command} for number in range(6)]
    games = bench.play(players, tournament={"concurrency": 6}, limit={"nodes": 1, "startup_s": 60})
    assert {game.termination for game in games} == {"resignation"}
    counted = [int(line) for line in (bench.folder / "counted").read_text("utf-8").splitlines()]
    assert len(counted) >= 30, "one of the two exits after each game"
    assert max(counted) <= 2


@pytest.mark.parametrize("entry", [player("a"), {"name": "a", "player": "random"}], ids=["program", "server"])
async def test_startup_s_begins_with_the_turn_of_the_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: dict[str, object]
) -> None:
    (tmp_path / "s.toml").write_text(toml(tables([entry, player("b")])), encoding="utf-8")
    schedule = load(tmp_path / "s.toml")
    reaper, starts = Reaper(), asyncio.Semaphore(0)
    endpoint = make_endpoint(schedule.players[0], schedule, Site(reaper, starts))
    deadlines: list[float] = []
    timeout_at = asyncio.timeout_at

    def note(deadline: float) -> asyncio.Timeout:
        deadlines.append(deadline)
        return timeout_at(deadline)

    monkeypatch.setattr("fiedler.tournament.play.endpoint.asyncio.timeout_at", note)
    starting = asyncio.create_task(endpoint.acquire())
    for _ in range(3):
        await asyncio.sleep(0)
    assert deadlines == [], "it waits for its turn"
    await asyncio.sleep(0.05)
    turn = asyncio.get_running_loop().time()
    starts.release()
    session = await starting
    assert isinstance(session, PlayerSession)
    assert min(deadlines) >= turn + schedule.limit.startup_s
    assert isinstance(endpoint, Program | LocalServer)
    await session.close()
    await endpoint.close()
    reaper.close()


async def test_a_player_that_hangs_at_the_start_frees_its_place(tmp_path: Path) -> None:
    mute = {"name": "mute", "command": misbehaving("mute")}
    (tmp_path / "s.toml").write_text(
        toml(tables([mute, player("b")], limit={"nodes": 1, "startup_s": 0.2})), encoding="utf-8"
    )
    schedule = load(tmp_path / "s.toml")
    reaper, starts = Reaper(), asyncio.Semaphore(1)
    endpoint = make_endpoint(schedule.players[0], schedule, Site(reaper, starts))
    with pytest.raises(Exception, match="did not shake hands"):
        await endpoint.acquire()
    assert not starts.locked()
    reaper.close()
