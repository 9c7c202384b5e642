"""The reaper, which ends the players of a killed manager, may be killed itself."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from fiedler.support import reaper as reapers
from fiedler.support.programs import start_program
from fiedler.support.reaper import Reaper, new_mark
from fiedler.tournament.run.events import Event, Finished
from tests.patience import wait_until
from tests.tournament.schedules import GENEROUS, Bench, player, programs_of

NUMBERS = itertools.count()


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


LEAVES = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execlp("sleep", "sleep", sys.argv[1])
    os._exit(0)
print("left", flush=True)
time.sleep(3600)
"""
"""A program that leaves a daemon behind."""


def daemons(seconds: str) -> list[int]:
    """Return the processes `sleep SECONDS`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (folder / "cmdline").read_bytes().split(b"\0")[:2] == [b"sleep", seconds.encode()]:
                found.append(int(folder.name))
    return found


@pytest.fixture
def leaving(request: pytest.FixtureRequest) -> Iterator[tuple[subprocess.Popen[bytes], str, str]]:
    """A program that has left a daemon behind, its mark, and the seconds of the daemon."""
    mark, seconds = new_mark(), f"86400.{os.getpid()}{next(NUMBERS)}"
    command = [sys.executable, "-S", "-E", "-c", LEAVES, seconds]
    with start_program(command, None, pipes=True, mark=mark) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"left\n"
        wait_until(lambda: len(daemons(seconds)) == 1)
        yield process, mark, seconds
        process.kill()
    for one in daemons(seconds):
        os.kill(one, signal.SIGKILL)


def test_what_a_program_left_behind_ends_with_it(leaving: tuple[subprocess.Popen[bytes], str, str]) -> None:
    process, mark, seconds = leaving
    reaper = Reaper()
    reaper.watch(process.pid, mark)
    assert len(daemons(seconds)) == 1
    reapers.kill_group(process.pid)
    process.wait()
    assert len(daemons(seconds)) == 1, "it is not in the group"
    reaper.forget(process.pid)
    wait_until(lambda: not daemons(seconds))
    reaper.close()


def test_what_a_program_left_behind_ends_with_its_manager(leaving: tuple[subprocess.Popen[bytes], str, str]) -> None:
    process, mark, seconds = leaving
    reaper = Reaper()
    reaper.watch(process.pid, mark)
    reaper.close()
    assert process.wait() == -signal.SIGKILL
    assert daemons(seconds) == []


def test_what_a_program_left_behind_ends_without_a_reaper(leaving: tuple[subprocess.Popen[bytes], str, str]) -> None:
    process, mark, seconds = leaving
    reaper = Reaper()
    reaper.watch(process.pid, mark)
    kill_reaper(reaper)
    reaper.close()
    assert daemons(seconds) == []


def test_processes_of_others_live_on(
    leaving: tuple[subprocess.Popen[bytes], str, str], sleeper: subprocess.Popen[bytes]
) -> None:
    process, _, seconds = leaving
    reaper = Reaper()
    reaper.watch(sleeper.pid, new_mark())
    reaper.close()
    assert sleeper.wait() == -signal.SIGKILL
    assert process.poll() is None
    assert len(daemons(seconds)) == 1


def test_a_run_leaves_no_daemons_of_its_players_behind(bench: Bench) -> None:
    games = bench.play([player("a", "leaves", 1), player("b")], limit=GENEROUS)
    assert [game.termination for game in games] == ["rules", "rules"]
    assert programs_of(bench) == []
