"""The reaper, which ends the players of a killed manager, may be killed itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import reaper as reapers
from support.reaper import Reaper
from tests.tournament.schedules import Bench, player, programs_of
from tournament.run.events import Event, Finished


def reapers_of_this_process() -> list[int]:
    threads = Path("/proc/self/task").glob("*/children")
    children = [number for file in threads for number in file.read_text("utf-8").split()]
    script = reapers.__file__.encode()
    return [int(number) for number in children if script in Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")]


def kill_reaper(reaper: Reaper) -> None:
    reaper._process.kill()
    reaper._process.wait()


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process in a group of its own."""
    command = [sys.executable, "-S", "-E", "-c", "import time; time.sleep(3600)"]
    with subprocess.Popen(command, start_new_session=True) as process:
        yield process
        process.kill()


def test_a_killed_reaper_is_replaced_and_knows_the_groups(sleeper: subprocess.Popen[bytes]) -> None:
    reaper = Reaper()
    reaper.watch(sleeper.pid)
    kill_reaper(reaper)
    reaper.forget(2**22 + 1)
    assert sleeper.poll() is None
    reaper.close()
    assert reaper._process.returncode == 0
    assert sleeper.wait() == -signal.SIGKILL


def test_the_groups_of_a_killed_reaper_are_ended_at_the_end(sleeper: subprocess.Popen[bytes]) -> None:
    reaper = Reaper()
    reaper.watch(sleeper.pid)
    kill_reaper(reaper)
    reaper.close()
    assert sleeper.wait() == -signal.SIGKILL


def test_a_program_may_end_after_the_reaper(sleeper: subprocess.Popen[bytes]) -> None:
    reaper = Reaper()
    reaper.watch(sleeper.pid)
    reaper.close()
    reaper.forget(sleeper.pid)
    assert sleeper.wait() == -signal.SIGKILL


def test_a_reaper_that_cannot_start_is_retried(
    sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    reaper = Reaper()
    kill_reaper(reaper)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", "/no/such/program")
        reaper.watch(sleeper.pid)
    reaper.forget(2**22 + 1)
    reaper.close()
    assert sleeper.wait() == -signal.SIGKILL


def test_a_run_continues_when_its_reaper_is_killed(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    killed: list[int] = []

    def kill(event: Event) -> None:
        if isinstance(event, Finished) and event.finished == 1:
            killed.extend(reapers_of_this_process())
            os.kill(killed[0], signal.SIGKILL)

    bench.subscribers = [kill]
    games = bench.play([player("a", "crash", 2), player("b")], limit={"nodes": 1}, tournament={"games_per_pair": 4})
    assert len(killed) == 1
    assert {game.termination for game in games} == {"crash"}, "each of them starts a program anew"
    assert programs_of(bench) == []
    assert capfd.readouterr() == ("", "")
