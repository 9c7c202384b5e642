"""The pool of threads for searches and other slow work of players."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

from support.errors import WorkError

Job = Callable[[], None]


class Crew:
    """Each job gets a thread at once: an idle one, or else a new one. No search waits for the end of another.

    The threads are daemons: a program that has waited long enough for them may end without them.
    """

    def __init__(self) -> None:
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
        while job is not None:
            job()
            del job  # frees its objects now, not with the next job
            self._idle.release()
            job = self._jobs.get()
