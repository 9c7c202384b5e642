"""A player that prints harms nobody else: the measurement of the benchmarks, with generous limits."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.folders import ROOT

pytestmark = pytest.mark.soak


def measured(*words: str) -> dict[str, float]:
    command = [sys.executable, str(ROOT / "benchmarks/line_bombs.py"), *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("lines", [50_000, 400_000])
def test_nobody_else_loses_on_time(lines: int) -> None:
    found = measured("games", "--lines", str(lines), "--margin-ms", "1000")  # once such lines took the loop for seconds
    assert found["games"] == 60
    assert found["innocent_on_time"] == 0


@pytest.mark.parametrize("lines", [50_000, 400_000])
def test_the_pages_answer(lines: int) -> None:
    found = measured("pages", "--lines", str(lines), "--seconds", "5")
    assert found["p50_ms"] < 200
    assert found["p99_ms"] < 1000
