"""The priority of a process beside the games."""

from __future__ import annotations

import subprocess
import sys

from fiedler.support.priority import NICE


def test_a_process_gives_way_to_those_of_the_same_user() -> None:
    code = "import os; from fiedler.support.priority import give_way; give_way(); print(os.nice(0))"
    own = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert int(own) == min(NICE + int(subprocess.check_output(["nice"], text=True)), 19)
