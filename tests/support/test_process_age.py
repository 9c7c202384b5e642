"""The age of a process is the time since the system started it, not since the import of a module."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from fiedler.support import process_age

CODE = """
import sys, time
sys.stdin.readline()
from fiedler.support.process_age import process_age
print(process_age())
"""


def test_the_age_counts_from_the_start_of_the_process() -> None:
    with subprocess.Popen([sys.executable, "-c", CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        started = time.monotonic()
        time.sleep(0.3)  # the process is older than that
        out, _ = process.communicate(b"\n")
        most = time.monotonic() - started
    assert 0.28 <= float(out) <= most + 1.0


def test_without_proc_it_counts_from_the_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_age, "START_FIELD", 10**6)
    assert 0 <= process_age.process_age() <= time.monotonic() - process_age.IMPORTED
