"""An event loop in a thread of its own, for programs without asyncio."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class LoopThread:
    """An event loop in a thread of its own: a notebook's own loop is running already."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="engine", daemon=True)
        self._thread.start()
        self.is_running = True

    def run(self, request: Coroutine[Any, Any, Result]) -> Result:
        """Return the result of a coroutine; an interrupt, at any moment, cancels it."""
        job = _Job(request)
        try:
            self._loop.call_soon_threadsafe(job.start)
            return job.result.result()
        except BaseException:
            with suppress(RuntimeError):  # `close` has ended the loop, and every request with it
                self._loop.call_soon_threadsafe(job.cancel)
            raise

    def close(self) -> None:
        """Wait for the end of every request, then end the loop."""
        self.is_running = False
        self.run(_all_ended())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class _Job(Generic[Result]):
    """A coroutine for the loop. `asyncio.run_coroutine_threadsafe` loses one that is interrupted as it starts."""

    def __init__(self, request: Coroutine[Any, Any, Result]) -> None:
        self.result: Future[Result] = Future()
        self._request = request
        self._task: asyncio.Task[Result] | None = None

    def start(self) -> None:
        """Begin, in the loop."""
        self._task = asyncio.get_running_loop().create_task(self._request)
        self._task.add_done_callback(self._finish)

    def cancel(self) -> None:
        """End it, in the loop, if it has not ended."""
        if self._task is None:
            self._request.close()
        else:
            self._task.cancel()

    def _finish(self, task: asyncio.Task[Result]) -> None:
        if task.cancelled():
            self.result.cancel()
        elif (error := task.exception()) is not None:
            self.result.set_exception(error)
        else:
            self.result.set_result(task.result())


async def _all_ended() -> None:
    """Wait for the other tasks of the loop."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others)
