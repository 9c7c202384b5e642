"""Searching threads are counted, and games at the same time may get their own cores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fiedler.support.cores import available
from fiedler.support.errors import UsageError
from fiedler.tournament.run import affinity
from fiedler.tournament.run.events import Event, Finished, Warned
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.schedule.validation import load
from tests.tournament.schedules import Bench, Tables, cores_of, player, tables, toml


def schedule(folder: Path, *players: Tables, **table: object) -> Schedule:
    (folder / "s.toml").write_text(toml(tables(players, tournament=table)), encoding="utf-8")
    return load(folder / "s.toml")


def searching(name: str, threads: object = None) -> Tables:
    return {"name": name, "player": "negamax", "options": {} if threads is None else {"threads": threads}}


FAR = {"name": "far", "address": "192.0.2.7:4081", "options": {"threads": 64}}
FOREIGN = {"name": "foreign", "command": ["x"], "options": {"Threads": "3"}}


@pytest.mark.parametrize(
    ("players", "concurrency", "searched"),
    [
        ([searching("a"), searching("b")], 4, None),
        ([searching("a"), searching("b")], 5, "up to 5 threads search on 4 cores (5 games at the same time, 1 thread"),
        ([searching("a", 2), searching("b", 4)], 1, None),
        ([searching("a", 2), searching("b", 4)], 2, "up to 8 threads search on 4 cores (2 games at the same time, 4"),
        ([searching("a"), FAR], 4, None),
        ([searching("a"), FOREIGN], 1, None),
        ([searching("a"), FOREIGN], 2, "up to 6 threads search on 4 cores"),
    ],
)
def test_more_threads_than_cores_are_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, players: list[Tables], concurrency: int, searched: str | None
) -> None:
    monkeypatch.setattr(affinity, "available", lambda: [0, 1, 2, 3])
    found = affinity.too_many_threads(schedule(tmp_path, *players).players, concurrency)
    assert len(found) == (searched is not None)
    assert all(text.startswith(searched or "") for text in found)


def test_shares_are_disjoint_and_even(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affinity, "available", lambda: [0, 2, 3, 5, 6])
    pinned = schedule(tmp_path, player("a"), player("b"), pin=True)
    assert affinity.shares(pinned, 2) == [frozenset({0, 2}), frozenset({3, 5})]
    assert affinity.shares(pinned, 5) == [frozenset({core}) for core in (0, 2, 3, 5, 6)]
    with pytest.raises(UsageError, match=r"s.toml: tournament.pin: expected at most a game for each of 5 cores, got 6"):
        affinity.shares(pinned, 6)
    assert affinity.shares(schedule(tmp_path, player("a"), player("b")), 6) == [None] * 6


@pytest.mark.programs
@pytest.mark.skipif(len(available()) < 2, reason="one core cannot be divided")
@pytest.mark.parametrize("ours", [False, True])
def test_games_at_the_same_time_run_on_cores_of_their_own(bench: Bench, ours: bool) -> None:
    last: dict[int, frozenset[int]] = {}
    """Of each program; one that has just started has all cores for an instant."""

    def look(event: Event) -> None:
        if isinstance(event, Finished):
            last.update(cores_of(bench))

    bench.subscribers.append(look)
    players = [{"name": name, "player": "random"} for name in "ab"] if ours else [player("a"), player("b")]
    before = os.sched_getaffinity(0)
    games = bench.play(players, tournament={"games_per_pair": 8, "concurrency": 2, "pin": True}, limit={"nodes": 1})
    assert len(games) == 8
    assert os.sched_getaffinity(0) == before, "the manager itself stays free"
    each, found = len(before) // 2, {*last.values()}
    assert len(found) == 2
    assert {len(share) for share in found} == {each}
    assert frozenset.intersection(*found) == frozenset()


@pytest.mark.programs
def test_too_few_cores_are_refused(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(affinity, "available", lambda: [0])
    bench.play([player("a"), player("b")], tournament={"concurrency": 2}, limit={"nodes": 1})
    warned = [event.text for event in bench.events if isinstance(event, Warned)]
    assert warned == [
        "up to 2 threads search on 1 core (2 games at the same time, 1 thread each): they take time from each other"
    ]
