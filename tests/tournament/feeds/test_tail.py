"""`events.jsonl` as a queue: what is whole is read, damage is reported."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.feeds.tail import LONGEST, Tail
from fiedler.tournament.run.event_log import FILE


def line(seq: int) -> bytes:
    return b'{"seq":%d,"event":"warned","v":2,"text":"x"}\n' % seq


@pytest.mark.parametrize(
    ("damage", "got"),
    [
        (line(4), "seq 4"),
        (line(2), "seq 2"),
        (b"no JSON\n", "'no JSON'"),
        (b"\xff\n", "'\N{REPLACEMENT CHARACTER}'"),
        (b"\n", "''"),
        (b'{"event":"warned"}\n', """'{"event":"warned"}'"""),
    ],
)
def test_damage_is_reported_after_the_lines_before_it(tmp_path: Path, damage: bytes, got: str) -> None:
    (tmp_path / FILE).write_bytes(line(1) + line(2) + damage + line(4))
    with Tail(tmp_path) as tail:
        assert [one.seq for one in tail.lines()] == [1, 2]
        tail.advance(2)
        for _ in range(2):
            with pytest.raises(UsageError) as error:
                tail.lines()
            assert str(error.value) == f"{tmp_path / FILE}: expected the event with seq 3, got {got}"


def test_an_unfinished_line_waits_for_its_end(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(line(1)[:-5])
    with Tail(tmp_path) as tail:
        assert tail.lines() == []
        (tmp_path / FILE).write_bytes(line(1))
        assert [one.text for one in tail.lines()] == [line(1).rstrip()]


def test_a_line_without_an_end_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(line(1))
    os.truncate(tmp_path / FILE, 1 << 36)  # zeros, which take no room on the disk either
    with Tail(tmp_path) as tail:
        assert [one.seq for one in tail.lines()] == [1]
        tail.advance(1)
        with pytest.raises(UsageError, match=f"seq 2, got more than {LONGEST} bytes without an end"):
            tail.lines()
