"""`tournament run --log`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fiedler.support.errors import WorkError
from fiedler.tournament.play.traffic_log import MOST, RECEIVED, SENT, STDERR, TrafficLog
from fiedler.tournament.run import manager
from tests.tournament.schedules import Bench, listening, misbehaving, player


@pytest.mark.programs
def test_all_traffic_is_logged(bench: Bench) -> None:
    log = bench.folder / "log.txt"
    log.write_text("an earlier line\n", encoding="utf-8")
    with listening([*misbehaving("fine"), "--tcp"]) as address:
        bench.write([{"name": "far", "address": address}, player("b", "crash", 2)], limit={"nodes": 7})
        manager.run(bench.path, results=bench.results, log=log)
    first, *lines = log.read_text("utf-8").splitlines()
    assert first == "an earlier line"
    shown = [re.sub(r"^[0-9]+\.[0-9]{3} ", "", line) for line in lines]
    assert {line.split()[0] for line in shown} == {"far#1", "b#1", "b#2"}, "b crashes once in each game"
    moves = [line for line in shown if re.match(r"(far|b)#1 (> (position|go)|< bestmove)", line)][:6]
    assert moves == [
        "far#1 > position startpos",
        "far#1 > go nodes 7",
        "far#1 < bestmove a1",
        "b#1 > position startpos moves a1",
        "b#1 > go nodes 7",
        "b#1 < bestmove b1",
    ]
    assert any(re.match(r"b#1 ! .*Traceback", line) for line in shown)


def test_lines_are_logged_whole(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with TrafficLog(path) as traffic_log:
        one, other = traffic_log.session("a b"), traffic_log.session("a b")
        one.log(RECEIVED, b"best")
        other.log(RECEIVED, b"id name \xff\r\nugi")
        one.log(STDERR, b"careful\n")
        one.log(RECEIVED, b"move e4\n\n")
    lines = [line.split(" ", 1)[1] for line in path.read_text("utf-8").splitlines()]
    assert lines == ["a b#2 < id name \\xff", "a b#1 ! careful", "a b#1 < bestmove e4", "a b#1 < "]


def test_an_unfinished_line_is_logged(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with TrafficLog(path) as traffic_log:
        session = traffic_log.session("a")
        session.log(RECEIVED, b"bestmove")
        session.log(RECEIVED, b" d")
        session.log(SENT, b"stop\n")
        session.log(RECEIVED, b"y" * 40_000)
        session.log(RECEIVED, b"y" * 40_000)
        session.log(STDERR, b"\x00\x1b[2J")
        session.end()
        session.end()
    lines = [line.split(" ", 1)[1] for line in path.read_text("utf-8").splitlines()]
    assert lines == ["a#1 <… bestmove d", "a#1 > stop", f"a#1 <… {'y' * 80_000}", r"a#1 !… \x00\x1b[2J"]


@pytest.mark.programs
def test_the_unfinished_line_of_a_lost_player_is_logged(bench: Bench) -> None:
    log = bench.folder / "log.txt"
    bench.write([player("bad", "ends-in-mid-line"), player("b")], limit={"nodes": 1})
    manager.run(bench.path, results=bench.results, log=log)
    assert re.search(r"^[0-9.]+ bad#1 <… bestmove a1$", log.read_text("utf-8"), re.MULTILINE)


def test_an_unwritable_log_is_refused_before_any_game(bench: Bench) -> None:
    bench.write([player("a"), player("b")])
    with pytest.raises(WorkError, match=r"nowhere/log: cannot be written: no such file or directory"):
        manager.run(bench.path, results=bench.results, log=bench.folder / "nowhere" / "log")
    assert not (bench.results / "test").exists()


@pytest.mark.parametrize(("more", "shown"), [(1, "1 line"), (2, "2 lines"), (1234, "1,234 lines")])
def test_a_portion_of_many_lines_is_logged_in_part(tmp_path: Path, more: int, shown: str) -> None:
    path = tmp_path / "log"
    with TrafficLog(path) as traffic_log:
        session = traffic_log.session("a")
        session.log(RECEIVED, b"x\n" * (MOST + more) + b"beg")
        session.log(RECEIVED, b"un\n")
    lines = [line.split(" ", 1)[1] for line in path.read_text("utf-8").splitlines()]
    assert lines == [*["a#1 < x"] * MOST, f"a#1 < … not logged: {shown}", "a#1 < begun"]
