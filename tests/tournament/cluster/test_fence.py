"""A table process far away ends its players when it no longer hears of its manager."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fiedler.tournament.game import PlannedGame
from fiedler.tournament.run.lease import Lease
from fiedler.tournament.run.process_venue import COMMAND
from fiedler.tournament.run.table_messages import Heard, ProcessSetup, encoded
from fiedler.tournament.schedule.validation import load
from tests.patience import PATIENCE, wait_until
from tests.tournament.manager_process import NODES, wait_until_gone
from tests.tournament.schedules import Bench, player, programs_of

FENCE_S = 2.0


@pytest.fixture
def process(bench: Bench) -> Iterator[subprocess.Popen[bytes]]:
    """A table process that plays a game of a player who holds it up."""
    schedule = load(bench.write([player("a", "held"), player("b")], limit={**NODES, "startup_s": PATIENCE}))
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, start_new_session=True) as process:
        assert process.stdin is not None
        lease = Lease(PlannedGame("g1", 1, "a", "b", ()), 1, 1, 1)
        process.stdin.write(encoded(ProcessSetup(schedule, {1: None}, 2, None, 0.0, 1, fence_s=FENCE_S)))
        process.stdin.write(encoded(lease))
        process.stdin.flush()
        yield process
        process.kill()


def hear_until(process: subprocess.Popen[bytes], fact: Path) -> None:
    """Tell a table process that it is heard, until a file is there."""
    assert process.stdin is not None

    def heard() -> bool:
        assert process.stdin is not None
        process.stdin.write(encoded(Heard()))
        process.stdin.flush()
        return fact.exists()

    wait_until(heard)


def test_in_silence_it_ends_with_its_players(bench: Bench, process: subprocess.Popen[bytes]) -> None:
    hear_until(process, bench.folder / "holding")
    assert programs_of(bench)
    assert process.wait(PATIENCE) == 0
    wait_until_gone(bench)


def test_a_process_that_was_frozen_ends_whatever_has_come_in_meanwhile(
    bench: Bench, process: subprocess.Popen[bytes]
) -> None:
    hear_until(process, bench.folder / "holding")
    os.kill(process.pid, signal.SIGSTOP)
    ends = time.monotonic() + 1.5 * FENCE_S  # the silence itself is what is tested
    wait_until(lambda: time.monotonic() > ends)
    assert process.stdin is not None
    process.stdin.write(encoded(Heard()))
    process.stdin.flush()
    os.kill(process.pid, signal.SIGCONT)
    assert process.wait(PATIENCE) == 0
    wait_until_gone(bench)
