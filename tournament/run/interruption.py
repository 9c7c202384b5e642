"""The signals that interrupt a run."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator


class Interruption:
    """The action of the first signal, in place of an interrupt at once, if there is one."""

    first: Callable[[], None] | None = None


@contextlib.contextmanager
def interruptible() -> Iterator[Interruption]:
    """Cancel the current task at the first signal of `interrupts`; the second one has the system's usual effect.

    With a `first` action, which takes one signal, everything comes one signal later.
    """
    interruption = Interruption()
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    before = {number: signal.getsignal(number) for number in interrupts()}

    def interrupt() -> None:
        first, interruption.first = interruption.first, None
        if first is not None:
            first()
            return
        for number in before:
            loop.remove_signal_handler(number)
        task.cancel()

    for number in before:
        loop.add_signal_handler(number, interrupt)
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


def interrupts() -> list[signal.Signals]:
    """Return the signals that interrupt a run; under `nohup` SIGHUP is ignored."""
    hangup = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hangup]
