"""Ctrl-C while a command is imported. The module itself imports almost nothing: it must be there first."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
"""The exit code of an interrupted command."""


@contextmanager
def interruptible() -> Iterator[None]:
    """End the process with one line and exit code 130 at Ctrl-C, instead of a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


def heed_ends() -> None:
    """Let SIGTERM, and SIGHUP unless it is ignored as under `nohup`, interrupt the main thread as Ctrl-C does."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.default_int_handler)
