"""Engines that print without end: the examination ends, in bounded memory and with short quotations."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from fiedler.engine.check import loudness, portions
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.link import Link, program_link
from fiedler.engine.check.portions import Portions
from fiedler.engine.check.wire import Wire
from tests.engine.check.hurry import checked, failed
from tests.engine.engine_process import ENGINE
from tests.patience import FLOODED, PATIENCE

ENDLESS = {
    "short lines": ["yes"],
    "blank lines": ["yes", ""],
    "carriage returns": ["sh", "-c", r"yes '' | tr '\n' '\r'"],
    "no line": ["sh", "-c", r"yes | tr -d '\n'"],
    "zeros": ["cat", "/dev/zero"],
    "binary": ["cat", "/dev/urandom"],
    "after an answer": [
        "sh",
        "-c",
        r"printf 'ugiok\nreadyok\nuciok\nOK\n= a\n\n= play\n\n= \n\n= 2\n\n'; exec yes",
    ],
    "both streams": ["sh", "-c", "yes >&2 & exec yes"],
}
CASES = [(name, dialect) for name in ENDLESS for dialect in ("ugi", "gomocup")]


@pytest.mark.parametrize(("name", "dialect"), [*CASES, ("short lines", "uci"), ("short lines", "gtp")])
def test_an_engine_that_prints_without_end_fails(name: str, dialect: str) -> None:
    report = checked(ENDLESS[name], dialect, "gomoku15", PATIENCE)
    assert not report.passed
    faults = failed(report)
    assert next(iter(faults)) in ("handshake", "new game", "legal replies")
    assert all("sent " in got and len(got) < 500 for got in faults.values()), faults


MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""A small process between: the largest size of a child begins with that of its parent."""


def test_its_lines_are_not_kept() -> None:
    command = [sys.executable, "-c", MEASURED, ENGINE, "check", "--game", "gomoku15", "--", "yes"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    code, kilobytes = map(int, done.stdout.split())
    assert code == 1
    assert kilobytes < 200 * 1024


def test_a_program_that_floods_its_standard_error_alone_fails_before_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The deadline is far; every byte counts as loud, so that a busy machine hides none of the seconds."""
    monkeypatch.setattr(loudness, "LOUD", 0)
    monkeypatch.setattr(loudness, "MOST_SECONDS", 0.2)
    monkeypatch.setattr(portions, "LOOK_S", 0.1)
    report = checked(["sh", "-c", "yes >&2; :"], "ugi", "tictactoe", 10 * PATIENCE)
    assert not report.passed
    (got,) = failed(report).values()
    assert got.startswith("nothing, and more than 0 MiB a second on standard error for ")
    assert "; the last line there: y" in got


def test_five_loud_seconds_in_a_row_are_too_many() -> None:
    watched = loudness.Loudness(0, 0.0)
    loud = loudness.LOUD + 1
    assert [watched.lasts(second * loud, second) for second in range(1, 5)] == [False] * 4
    assert watched.lasts(5 * loud, 5.0)
    assert watched.report() == "nothing, and more than 1 MiB a second on standard error for 5 s"


def test_a_quiet_second_or_many_lines_at_the_start_are_no_flood() -> None:
    watched = loudness.Loudness(0, 0.0)
    assert not watched.lasts(4 * loudness.LOUD + 1, 4.0)
    assert not watched.lasts(4 * loudness.LOUD + 2, 5.0)
    assert not watched.lasts(8 * loudness.LOUD + 3, 9.0)
    assert not watched.lasts(9 * loudness.LOUD, 10.0), "not more than the bound"
    assert not loudness.Loudness(0, 0.0).lasts(0, 60.0)


class Slow:
    """A link with one byte whenever it is asked."""

    def receive(self, seconds: float) -> bytes:
        return b"x"


def test_a_deadline_counts_while_input_comes() -> None:
    waited = Portions(Slow(), 0.0)  # type: ignore[arg-type]
    assert waited.next() == b"x", "it may have come in time"
    with pytest.raises(TimeoutError):
        waited.next()


@pytest.fixture
def printing() -> Iterator[Link]:
    link = program_link(["yes"])
    yield link
    link.close()


def test_endless_lines_end_a_wait_for_one(printing: Link) -> None:
    wire = Wire(printing)
    assert wire.line(PATIENCE) == "y"
    with pytest.raises(StepError, match=FLOODED):
        wire.lines_until(lambda line: line == "ugiok", PATIENCE, "ugiok")
