"""Engines that print without end: the examination ends, in bounded memory and with short quotations."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from engine.check.failure import StepError
from engine.check.portions import Portions
from engine.check.wire import Wire
from engine.link import ProgramLink
from tests.engine.check.hurry import checked, failed
from tests.engine.engine_process import ENGINE
from tests.patience import PATIENCE

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


class Slow:
    """A link with one byte whenever it is asked."""

    def receive(self, seconds: float) -> bytes:
        return b"x"


def test_a_deadline_counts_while_input_comes() -> None:
    portions = Portions(Slow(), 0.0)  # type: ignore[arg-type]
    assert portions.next() == b"x", "it may have come in time"
    with pytest.raises(TimeoutError):
        portions.next()


@pytest.fixture
def printing() -> Iterator[ProgramLink]:
    link = ProgramLink(["yes"])
    yield link
    link.close()


def test_endless_lines_end_a_wait_for_one(printing: ProgramLink) -> None:
    wire = Wire(printing)
    assert wire.line(PATIENCE) == "y"
    with pytest.raises(StepError, match=r"sent (more than 1 MiB within a second|[0-9,]+ lines)"):
        wire.lines_until(lambda line: line == "ugiok", PATIENCE, "ugiok")
