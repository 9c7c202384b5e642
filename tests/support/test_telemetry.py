"""onnxruntime reports nothing, and leaves nothing in the user's folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fiedler.support.telemetry import OFF
from tests.folders import ROOT

SWITCHES = (OFF, "ORT_RUNNING_UNIT_TESTS", "CI", "XDG_CACHE_HOME")
"""The variables that switch the reports off, or move their folder."""


def left_in_home(home: Path, code: str, **environment: str) -> list[Path]:
    """Return the files of a new home after some Python."""
    own = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env=own | {"HOME": str(home)} | environment, cwd=ROOT, stderr=subprocess.PIPE, check=True
    )
    assert done.stderr == b""
    return [*home.iterdir()]


@pytest.mark.parametrize(
    "package", ["fiedler.players", "fiedler.training.model.export", "fiedler.training.model.quantise"]
)
def test_it_reports_nothing(tmp_path: Path, package: str) -> None:
    assert left_in_home(tmp_path, f"import {package}, onnxruntime") == []


def test_a_value_of_the_user_remains() -> None:
    code = f"import os; from fiedler import players; print(os.environ[{OFF!r}])"
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | {OFF: "0"}, capture_output=True, check=True)
    assert done.stdout == b"0\n"
