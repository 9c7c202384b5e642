"""`tournament run --log`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.errors import WorkError
from tests.tournament.schedules import Bench, listening, misbehaving, player
from tournament.play.traffic_log import COMPLAINED, SAID, TOLD, TrafficLog
from tournament.run import manager


def test_everything_that_is_said_is_taken_down(bench: Bench) -> None:
    log = bench.folder / "log.txt"
    log.write_text("what was there\n", encoding="utf-8")
    with listening([*misbehaving("fine"), "--tcp"]) as address:
        bench.write([{"name": "far", "address": address}, player("b", "crash", 2)], limit={"nodes": 7})
        manager.run(bench.path, results=bench.results, log=log)
    first, *lines = log.read_text("utf-8").splitlines()
    assert first == "what was there"
    said = [re.sub(r"^[0-9]+\.[0-9]{3} ", "", line) for line in lines]
    assert {line.split()[0] for line in said} == {"far#1", "b#1", "b#2"}, "b crashes once in each game"
    moves = [line for line in said if re.match(r"(far|b)#1 (> (position|go)|< bestmove)", line)][:6]
    assert moves == [
        "far#1 > position startpos",
        "far#1 > go nodes 7",
        "far#1 < bestmove a1",
        "b#1 > position startpos moves a1",
        "b#1 > go nodes 7",
        "b#1 < bestmove b1",
    ]
    assert any(re.match(r"b#1 ! .*Traceback", line) for line in said)


def test_lines_are_whole_whatever_the_portions(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with TrafficLog(path) as traffic_log:
        one, other = traffic_log.voice("a b"), traffic_log.voice("a b")
        one.hear(SAID, b"best")
        other.hear(SAID, b"id name \xff\r\nugi")
        one.hear(COMPLAINED, b"careful\n")
        one.hear(SAID, b"move e4\n\n")
    lines = [line.split(" ", 1)[1] for line in path.read_text("utf-8").splitlines()]
    assert lines == ["a b#2 < id name \\xff", "a b#1 ! careful", "a b#1 < bestmove e4", "a b#1 < "]


def test_a_line_without_its_end_is_taken_down(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with TrafficLog(path) as traffic_log:
        voice = traffic_log.voice("a")
        voice.hear(SAID, b"bestmove")
        voice.hear(SAID, b" d")
        voice.hear(TOLD, b"stop\n")
        voice.hear(SAID, b"y" * 40_000)
        voice.hear(SAID, b"y" * 40_000)
        voice.hear(COMPLAINED, b"\x00\x1b[2J")
        voice.end()
        voice.end()
    lines = [line.split(" ", 1)[1] for line in path.read_text("utf-8").splitlines()]
    assert lines == ["a#1 <… bestmove d", "a#1 > stop", f"a#1 <… {'y' * 80_000}", r"a#1 !… \x00\x1b[2J"]


def test_what_a_player_left_unfinished_is_in_the_log(bench: Bench) -> None:
    log = bench.folder / "log.txt"
    bench.write([player("bad", "ends-in-mid-line"), player("b")], limit={"nodes": 1})
    manager.run(bench.path, results=bench.results, log=log)
    assert re.search(r"^[0-9.]+ bad#1 <… bestmove a1$", log.read_text("utf-8"), re.MULTILINE)


def test_a_file_that_cannot_be_written_is_said_before_anything_is_played(bench: Bench) -> None:
    bench.write([player("a"), player("b")])
    with pytest.raises(WorkError, match=r"nowhere/log: cannot be written: no such file or directory"):
        manager.run(bench.path, results=bench.results, log=bench.folder / "nowhere" / "log")
    assert not (bench.results / "test").exists()
