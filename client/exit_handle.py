"""The end of a child process, as a file descriptor that an event loop can wait for."""

from __future__ import annotations

import errno
import os
import threading
from contextlib import suppress

from fiedler.support.errors import UsageError


def exit_handle(process: int) -> int:
    """Return a file descriptor that becomes readable when this child ends; the child is still to be waited for.

    Systems without `pidfd_open`, such as macOS, get a thread that waits for the end.

    Raises:
        OSError: No handle is left, or no thread.
        UsageError: The system has neither way, such as macOS before Python 3.13.
    """
    if hasattr(os, "pidfd_open"):
        return os.pidfd_open(process)
    if not hasattr(os, "waitid"):
        raise UsageError("on this system a Python from 3.13 on is needed to run programs")
    ours, theirs = os.pipe()
    try:
        threading.Thread(target=_close_at_end, args=(process, theirs), daemon=True).start()
    except RuntimeError as error:
        os.close(ours)
        os.close(theirs)
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
    return ours


def _close_at_end(process: int, handle: int) -> None:
    with suppress(ChildProcessError):  # it has been waited for
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    os.close(handle)
