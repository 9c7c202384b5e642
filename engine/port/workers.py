"""The pool of threads for searches and other slow work of players."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue

from fiedler.support.errors import WorkError

Job = Callable[[], None]

GIVING_WAY = 10
"""The priority number of searches beyond the cores, above that of the process."""


class Workers:
    """Each job gets a thread at once: an idle one, or else a new one. No search waits for the end of another.

    The threads are daemons: a program that has waited long enough for them may end without them.
    """

    def __init__(self, nice: int = 0) -> None:
        """`nice` is added to the priority number of every thread: the others of this process precede it."""
        self._nice = nice
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads: list[threading.Thread] = []

    def work(self, job: Job) -> None:
        """Run a job in a thread.

        Raises:
            WorkError: The machine has no more threads; the job does not run.
        """
        if self._idle.acquire(blocking=False):
            self._jobs.put(job)
            return
        thread = threading.Thread(target=self._serve, args=(job,), name="search", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # "can't start new thread"
            raise WorkError("the machine has no thread left for this; try again later") from None
        self._threads.append(thread)

    def dismiss(self) -> None:
        """Let every thread end after its job. No job follows."""
        for _ in self._threads:
            self._jobs.put(None)

    @property
    def has_ended(self) -> bool:
        """Whether all threads have ended, after `dismiss`."""
        return not any(thread.is_alive() for thread in self._threads)

    def _serve(self, job: Job | None) -> None:
        if self._nice:
            _give_way(self._nice)
        while job is not None:
            job()
            del job  # frees its objects now, not with the next job
            self._idle.release()
            job = self._jobs.get()


class SearchWorkers:
    """The threads of searches: one for each core is one of other workers, further ones give way to all others.

    So searches without end delay neither the loop of the server nor the start of a player. A thread has its priority
    for good, since only root may raise it again.
    """

    def __init__(self, first: Workers, cores: int) -> None:
        """Use threads of `first` for this number of searches."""
        self._free = threading.Semaphore(cores)
        self._first, self._further = first, Workers(GIVING_WAY)

    def work(self, job: Job) -> None:
        """Run a search in a thread; raises as `Workers.work`."""
        if not self._free.acquire(blocking=False):
            self._further.work(job)
            return
        try:
            self._first.work(lambda: self._run(job))
        except WorkError:
            self._free.release()
            raise

    def dismiss(self) -> None:
        """Let every thread of its own end after its search. No search follows."""
        self._further.dismiss()

    @property
    def has_ended(self) -> bool:
        """Whether all threads of its own have ended, after `dismiss`."""
        return self._further.has_ended

    def _run(self, job: Job) -> None:
        try:
            job()
        finally:
            self._free.release()


def _give_way(nice: int) -> None:
    """Lower the priority of this thread and of those that it starts, on Linux, where each has its own."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + nice)  # 19 at most
