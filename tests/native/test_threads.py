"""Searches, self-play and evaluators on one batcher, and searches of several threads each, under the thread sanitizer
with asserts on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.folders import ROOT
from tests.native.positions import SLOW
from tests.patience import PATIENCE

HERE = Path(__file__).parent
SOURCES = ROOT / "native" / "src"
FLAGS = ["-std=c++20", "-O1", "-g1", "-fsanitize=thread", "-Wall", "-Wextra", "-Wshadow", "-Werror", f"-I{SOURCES}"]


@pytest.mark.skipif(SLOW, reason="a program of its own: the build of the core in use is not part of it")
def test_no_data_race(tmp_path: Path) -> None:
    program = tmp_path / "threads"
    clean = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, *FLAGS, str(HERE / "threads.cpp"), "-o", str(program)], check=True, env=clean)
    found = subprocess.run([program], capture_output=True, text=True, timeout=PATIENCE, check=False, env=clean)
    assert (found.returncode, found.stderr) == (0, "")
    # Failures: none while the evaluators work, all five when they fail or the batcher is closed. The trees of
    # several threads, and the tree of several, kept their limits.
    assert found.stdout == "0 0 5 5\n5\n1\n1\n"
