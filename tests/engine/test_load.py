"""200 sessions on one server, and many connects: the measurement of the benchmarks, with generous limits."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.folders import ROOT


@pytest.mark.soak
def test_a_server_under_load_answers_stops_and_stays_small() -> None:
    words = [sys.executable, "-m", "benchmarks.server_load", "--json", "--connects", "20000"]
    measured = subprocess.run(words, capture_output=True, text=True, timeout=1800, check=True, cwd=ROOT)
    found = json.loads(measured.stdout)
    assert found["answers"] > 500
    # on an idle machine 10 ms, 5 ms and 2 s; here beside anything
    assert found["p99_ms"] < 2000
    assert found["stop_p99_ms"] < 500
    assert found["gone_ms"] < 2000
    assert found["grown_mb"] < 10
    assert found["end_s"] < 10
    assert found["code"] == 0
