"""The signals that interrupt a run, and the second one, which ends it at once."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

from fiedler.support.interrupt import INTERRUPTED

PATIENCE_S = 1.0
"""Seconds after a signal in which another one does nothing: a wrapper may pass on what the terminal sent already."""
KEPT = "finished games are kept, and the same command resumes the run"
SHOW_CURSOR = b"\x1b[?25h"


class Interruption:
    """The action of the first signal, in place of an interrupt at once, if there is one."""

    first: Callable[[], None] | None = None


class SecondSignal:
    """A handler of signals: the first one interrupts the main thread, another one ends the process at once.

    Rules of a user may never return: then no exception comes out of them, and the loop takes no signal.
    """

    def __init__(self) -> None:
        self._since: float | None = None
        """The moment of the first signal; None: there was none."""
        self._is_held_up = False

    @property
    def came(self) -> bool:
        """Whether a signal came that has not been answered."""
        return self._since is not None

    def __call__(self, _number: int, frame: FrameType | None) -> None:
        """Interrupt the main thread, or end the process."""
        if self._comes_first(frame):
            raise KeyboardInterrupt

    def note(self, _number: int, frame: FrameType | None) -> None:
        """Note a signal that the loop takes as soon as it can; end the process if it has not ended by the second."""
        if self._comes_first(frame):
            self._is_held_up = True

    def taken(self) -> None:
        """Note that the loop has taken the first signal."""
        self._is_held_up = False

    def answered(self) -> None:
        """Note that the first signal was answered by an action: the next one is the first again."""
        self._since, self._is_held_up = None, False

    def _comes_first(self, frame: FrameType | None) -> bool:
        now = time.monotonic()
        if self._since is None:
            self._since = now
            return True
        if now - self._since >= PATIENCE_S:
            self._end(frame)
        return False

    def _end(self, frame: FrameType | None) -> None:
        """End the process as a kill does: its children end with it, and finished games are stored."""
        place = f", held up in {_place(frame)}" if self._is_held_up and frame is not None else ""
        with contextlib.suppress(OSError):
            if os.isatty(1):
                os.write(1, SHOW_CURSOR)
            os.write(2, f"\nerror: interrupted again, ended at once{place}; {KEPT}\n".encode())
        os._exit(INTERRUPTED)


@contextlib.contextmanager
def signals_raise() -> Iterator[None]:
    """Turn the first signal that interrupts a run into KeyboardInterrupt; another one ends the process at once.

    After a signal the handlers stay: the process ends.
    """
    handler = SecondSignal()
    before = {number: signal.signal(number, handler) for number in interrupts()}
    try:
        yield
    finally:
        for number, old in {} if handler.came else before.items():
            signal.signal(number, old)


@contextlib.contextmanager
def interruptible() -> Iterator[Interruption]:
    """Cancel the current task at the first signal of `interrupts`; the second one has the effect that it had before.

    With a `first` action, which takes one signal and others within PATIENCE_S of it, everything comes one signal later.
    """
    interruption = Interruption()
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    before = {number: signal.getsignal(number) for number in interrupts()}
    second = next((handler for handler in before.values() if isinstance(handler, SecondSignal)), None)
    acted = -math.inf

    def interrupt() -> None:
        nonlocal acted
        first, interruption.first = interruption.first, None
        if first is not None or loop.time() - acted < PATIENCE_S:
            if second is not None:
                second.answered()
            if first is not None:
                acted = loop.time()
                first()
            return
        restore()
        if second is not None:
            second.taken()
        task.cancel()

    def restore() -> None:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)

    for number in before:
        loop.add_signal_handler(number, interrupt)
        if second is not None:
            signal.signal(number, second.note)  # the system wakes the loop, too
    try:
        yield interruption
    finally:
        restore()


def interrupts() -> list[signal.Signals]:
    """Return the signals that interrupt a run; under `nohup` SIGHUP is ignored."""
    hangup = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hangup]


def _place(frame: FrameType) -> str:
    return f"{Path(frame.f_code.co_filename).name}, line {frame.f_lineno}"
