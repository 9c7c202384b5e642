"""An event loop whose time jumps to the next timer, and processes in it that freeze and die.

A process is a context variable: whatever a process starts is its own. The callbacks of a frozen process wait, also its
timers, until it goes on; those of a dead process never run, so nothing of it is cleaned up, as after a SIGKILL.
"""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import weakref
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")
BEGINNING = 1000.0
"""The loop's time at its start."""


class StuckError(Exception):
    """The run will not end within its bound of virtual time."""


class Process:
    """A process in the loop; it may have children, which die with it: a reaper sees to that."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_dead = False
        self.is_frozen = False
        self.children: list[Process] = []
        self.at_death: Callable[[int], None] = lambda _: None
        """Called with the status at its end."""
        self.held: list[_Handle] = []
        """Callbacks that wait for its thaw, or for nothing: it is dead."""
        self.context: Context = copy_context()
        self.context.run(PROCESS.set, self)

    def freeze(self) -> None:
        """Stop at the next callback, as by SIGSTOP."""
        self.is_frozen = True

    def thaw(self) -> None:
        """Go on: what was due meanwhile comes at once, in its order."""
        self.is_frozen = False
        if self.runs:
            held, self.held = self.held, []
            for handle in held:
                handle.loop.ready.append(handle)

    def bury(self) -> None:
        """Let a dead process clean up after all: nobody sees it any more."""
        self.is_dead = False
        self.thaw()

    def die(self, status: int = -9) -> None:
        """End at once, with its children."""
        if self.is_dead:
            return
        self.is_dead = True
        for child in self.children:
            child.die()
        self.at_death(status)

    @property
    def runs(self) -> bool:
        """Whether it is neither dead nor frozen."""
        return not (self.is_dead or self.is_frozen)


PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


class _Handle(asyncio.TimerHandle):
    """A callback of a process. There are many: the parts of asyncio's own are set without its calls."""

    __slots__ = ("loop", "process")

    def __init__(self, when: float, callback: Callable[..., object], args: Any, loop: VirtualLoop, own: Any) -> None:
        self._when = when
        self._callback = callback
        self._args = args
        self._context = copy_context() if own is None else own
        self._cancelled = self._scheduled = False
        self._loop = self.loop = loop
        self._repr = self._source_traceback = None
        self.process: Process | None = self._context.get(PROCESS)


class _Future(asyncio.Future[Any]):
    """A future whose place in a set does not depend on its address: a seed is the same each time."""

    def __init__(self, number: int, loop: VirtualLoop) -> None:
        super().__init__(loop=loop)
        self._number = number
        self.process = PROCESS.get()

    def __hash__(self) -> int:
        return self._number


class _Task(asyncio.Task[Any]):
    """A task, likewise."""

    def __init__(self, number: int, coro: Any, *, context: Context | None, **options: Any) -> None:
        self._number = number
        self.process = PROCESS.get() if context is None else context.get(PROCESS)
        self.work = coro.__qualname__
        super().__init__(coro, context=context, **options)
        self._log_destroy_pending = False

    @property
    def is_unread(self) -> bool:
        """Whether it has ended with an error that nobody has read."""
        return bool(self._log_traceback)

    def __hash__(self) -> int:
        return self._number


def _runs(work: Any) -> bool:
    """Return whether nothing keeps the process of a task or a future from reading its end."""
    process: Process | None = getattr(work, "process", None)
    return process is None or process.runs


class _Server:
    """A socket that nobody finds."""

    def close(self) -> None:
        """There is nothing to close."""

    async def wait_closed(self) -> None:
        """Nobody is connected."""

    async def serve_forever(self) -> None:
        await asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> _Server:
        return self

    async def __aexit__(self, *_: object) -> None:
        """It has closed already."""


class VirtualLoop(asyncio.BaseEventLoop):
    """An event loop without a system: no files, no sockets, no threads."""

    def __init__(self) -> None:
        self._runs = False
        super().__init__()
        self._now = BEGINNING
        self._timers: list[tuple[float, int, _Handle]] = []
        self._numbers = itertools.count()
        self.ready: deque[_Handle] = deque()
        self.callbacks = 0
        """The number of callbacks so far."""
        self.bound = float("inf")
        """The time at which `run` gives up."""
        self._errors: list[str] = []
        self._tasks: weakref.WeakSet[_Task] = weakref.WeakSet()
        self.disk_s: Callable[[], float] = lambda: 0.0
        """Returns the seconds of the next job of a thread."""

    def time(self) -> float:
        """Return the virtual time, in seconds."""
        return self._now

    def run(self, main: Coroutine[Any, Any, Result]) -> Result:
        """Run until `main` has ended.

        Raises:
            StuckError: nothing more will happen, or the bound is reached.

        """
        with self._running():
            task = self.create_task(main)
            while not task.done():
                self._step()
            return task.result()  # type: ignore[no-any-return]

    @property
    def errors(self) -> list[str]:
        """What callbacks and forgotten tasks of processes that run have raised, and nobody has read."""
        unread = [task for task in self._tasks if task.is_unread and _runs(task)]
        return [*self._errors, *(f"nobody reads the error of {task.work}" for task in unread)]

    def end(self, bury: Callable[[], None]) -> None:
        """Cancel all tasks, and let them end; `bury` lets those of dead processes do so."""
        with self._running():
            while tasks := asyncio.all_tasks(self):
                bury()
                for task in tasks:
                    task.cancel()
                for _ in range(100):
                    if self.ready or self._timers:
                        self._step()

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        asyncio._set_running_loop(self)
        self._runs = True
        try:
            yield
        finally:
            self._runs = False
            asyncio._set_running_loop(None)

    def _step(self) -> None:
        """Run the callbacks that are ready; if there are none, jump to the next timer."""
        if not self.ready:
            if not self._timers:
                raise StuckError("nothing more will happen")
            self._now = max(self._now, self._timers[0][0])
            if self._now > self.bound:
                raise StuckError(f"not over after {self._now - BEGINNING:.0f} s")
        while self._timers and self._timers[0][0] <= self._now:
            self.ready.append(heapq.heappop(self._timers)[2])
        for _ in range(len(self.ready)):
            handle = self.ready.popleft()
            process = handle.process
            if handle._cancelled:
                continue
            if process is not None and (process.is_dead or process.is_frozen):
                process.held.append(handle)
                continue
            self.callbacks += 1
            handle._run()

    # --- what asyncio asks of a loop ----------------------------------------------------------------------------------

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:  # type: ignore[override]
        handle = _Handle(self._now, callback, args, self, context)
        self.ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = _Handle(when, callback, args, self, context)
        heapq.heappush(self._timers, (when, next(self._numbers), handle))
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def create_future(self) -> asyncio.Future[Any]:
        return _Future(next(self._numbers), self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Context | None = None) -> asyncio.Task[Any]:  # type: ignore[override]
        task = _Task(next(self._numbers), coro, loop=self, name=name, context=context)
        self._tasks.add(task)
        return task

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        """Do a job of a thread in one moment, some time later, unless its process has died."""
        done = self.create_future()

        def work() -> None:
            if done.cancelled():
                return
            try:
                done.set_result(func(*args))
            except BaseException as error:
                done.set_exception(error)

        self.call_later(self.disk_s(), work)
        return done

    async def create_unix_server(self, *args: Any, **kwargs: Any) -> Any:
        """Nobody connects."""
        return _Server()

    def add_signal_handler(self, *args: Any) -> None:  # type: ignore[override]
        """No signals come."""

    def remove_signal_handler(self, sig: int) -> bool:
        return True

    def is_running(self) -> bool:
        return self._runs

    def is_closed(self) -> bool:
        return not self._runs

    def get_debug(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if _runs(context.get("task") or context.get("future")):
            self._errors.append(f"{context.get('message')}: {context.get('exception')!r}")

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """A cancelled timer is dropped when it is due."""
