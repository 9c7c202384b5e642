"""The priority of a process beside the games."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from support.priority import NICE, SLICE_NS

SHOWN = Path("/proc/self/sched")
LINUX = tuple(int(part) for part in platform.release().split(".")[:2])


def after_giving_way(code: str) -> str:
    code = f"from support.priority import give_way; give_way(); {code}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_a_process_gives_way_to_those_of_the_same_user() -> None:
    own = int(after_giving_way("import os; print(os.nice(0))"))
    assert own == min(NICE + int(subprocess.check_output(["nice"], text=True)), 19)


@pytest.mark.skipif(not SHOWN.is_file() or LINUX < (6, 12), reason="no time slice of a process, or it is not shown")
def test_its_time_slice_is_short() -> None:
    shown = after_giving_way(f"print(open({str(SHOWN)!r}).read())")
    (line,) = (line for line in shown.splitlines() if line.startswith("se.slice"))
    assert int(line.split(":")[1]) == SLICE_NS
