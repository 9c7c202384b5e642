"""The end of a child process, also on a system that lacks `pidfd_open`."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from fiedler.client import open_engine
from fiedler.client.errors import EngineError
from fiedler.client.exit_handle import exit_handle
from fiedler.support.errors import UsageError
from tests.patience import PATIENCE

pytestmark = pytest.mark.programs
TOO_LARGE = 1 << 47
"""Bytes of a stack that no thread gets."""
System = Callable[[pytest.MonkeyPatch], None]


def linux(_: pytest.MonkeyPatch) -> None:
    """Leave the system as it is."""


def another(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what only Linux has."""
    monkeypatch.delattr(os, "pidfd_open")


@pytest.mark.parametrize("system", [linux, another])
def test_a_handle_is_readable_from_the_end_of_the_child_on(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    system(monkeypatch)
    with subprocess.Popen([sys.executable, "-S", "-c", "import sys; sys.exit(int(input()))"], stdin=-1) as child:
        handle = exit_handle(child.pid)
        assert select.select([handle], [], [], 0)[0] == []
        assert child.stdin is not None
        child.stdin.write(b"7\n")
        child.stdin.close()
        assert select.select([handle], [], [], PATIENCE)[0] == [handle]
        os.close(handle)
        assert child.wait() == 7  # the handle has left it to us


@pytest.mark.parametrize("system", [linux, another])
def test_an_engine_that_dies_says_so(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    system(monkeypatch)
    with pytest.raises(EngineError, match="exited with status 3"):
        open_engine([sys.executable, "-S", "-c", "import sys; input(); sys.exit(3)"], "uttt")


def test_a_machine_that_has_no_thread_left_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    another(monkeypatch)
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=-1) as child:
        before = threading.stack_size(TOO_LARGE)
        try:
            with pytest.raises(BlockingIOError):
                exit_handle(child.pid)
        finally:
            threading.stack_size(before)
        child.kill()


def test_a_system_with_neither_way_starts_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    another(monkeypatch)
    monkeypatch.delattr(os, "waitid")
    with pytest.raises(UsageError, match=r"^on this system a Python from 3\.13 on is needed to run programs$"):
        open_engine([sys.executable, "-S", "-c", ""], "uttt")
