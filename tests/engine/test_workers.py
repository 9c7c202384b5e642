"""The threads of a server, and their priorities."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from fiedler.engine.port.workers import GIVING_WAY, SearchWorkers, Workers
from fiedler.support.cores import available
from tests.engine.engine_process import Client, serving
from tests.patience import PATIENCE, wait_until


def priority() -> int:
    """Return the priority number of this thread."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


class Together:
    """Jobs that run until all of them have begun, and their priorities in the order of their beginning."""

    def __init__(self, workers: Workers | SearchWorkers, jobs: int) -> None:
        self.priorities: list[int] = []
        self._barrier = threading.Barrier(jobs + 1)
        for at in range(jobs):
            begun = threading.Event()
            workers.work(self._job(begun))
            assert begun.wait(PATIENCE), at
        self._barrier.wait(PATIENCE)

    def _job(self, begun: threading.Event) -> Callable[[], None]:
        def job() -> None:
            self.priorities.append(priority())
            begun.set()
            self._barrier.wait(PATIENCE)

        return job


def test_searches_beyond_the_cores_give_way() -> None:
    own = priority()
    first = Workers()
    workers = SearchWorkers(first, 2)
    assert Together(workers, 5).priorities == [own, own, *[min(own + GIVING_WAY, 19)] * 3]
    first.dismiss()
    workers.dismiss()


def test_short_jobs_keep_the_priority_of_the_process() -> None:
    workers = Workers()
    assert Together(workers, 5).priorities == [priority()] * 5
    workers.dismiss()


def test_a_thread_that_a_search_starts_gives_way_too() -> None:
    found: list[int] = []

    def job() -> None:
        helper = threading.Thread(target=lambda: found.append(priority()))
        helper.start()
        helper.join()
        done.set()

    done = threading.Event()
    workers = SearchWorkers(Workers(), 0)
    workers.work(job)
    assert done.wait(PATIENCE)
    assert found == [min(priority() + GIVING_WAY, 19)]
    workers.dismiss()


def test_jobs_run_side_by_side_and_an_idle_thread_is_lent_again() -> None:
    workers, met, threads = Workers(), threading.Barrier(3), list[int]()

    def job() -> None:
        met.wait(PATIENCE)
        threads.append(threading.get_ident())

    for _ in range(2):
        for _ in range(2):
            workers.work(job)
        met.wait(PATIENCE)
        wait_until(lambda: workers._idle._value == 2)
    assert len(threads) == 4
    assert len(set(threads)) == 2
    workers.dismiss()
    wait_until(lambda: workers.has_ended)


def test_a_working_crew_is_not_gone() -> None:
    workers, gate = Workers(), threading.Event()

    def job() -> None:
        gate.wait(PATIENCE)

    workers.work(job)
    workers.dismiss()
    assert not workers.has_ended
    gate.set()
    wait_until(lambda: workers.has_ended)


def priorities_of(process: int) -> list[int]:
    """Return the priority numbers of the threads of a process, the first one's first."""
    threads = sorted(Path(f"/proc/{process}/task").iterdir(), key=lambda one: int(one.name))
    return [int((one / "stat").read_text("utf-8").rpartition(")")[2].split()[16]) for one in threads]


@pytest.mark.parametrize("player", ["negamax", "mcts"])
def test_endless_searches_leave_the_processor_to_the_loop_of_their_server(player: str) -> None:
    own, cores, searches = priority(), len(available()), len(available()) + 3
    with serving("--game", "gomoku15", "--player", player, "--set", "hash_mb=4") as server, ExitStack() as stack:
        for _ in range(searches):
            client = stack.enter_context(Client(server.port))
            client.say("ugi", "isready", "go infinite")
            client.until("info ")
        found = priorities_of(server.process.pid)
    assert found[0] == own
    assert found.count(min(own + GIVING_WAY, 19)) == searches - cores
