"""Unix sockets in the folder of a run, also on a long path."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

OURS = 0o600
"""The rights to a socket that takes requests: its owner alone."""


@contextlib.contextmanager
def listening(folder: Path, name: str, rights: int | None = None) -> Iterator[socket.socket]:
    """Open a socket, and replace one that a killed manager left; `rights` are those of its file.

    Raises:
        OSError: the folder takes no socket.

    """
    path = folder / name
    path.unlink(missing_ok=True)
    try:
        with _reached(folder, name) as place, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(place)
            if rights is not None:
                path.chmod(rights)  # before anybody can connect
            listener.listen()
            listener.setblocking(False)
            yield listener
    finally:
        path.unlink(missing_ok=True)


def connected(folder: Path, name: str, seconds: float) -> socket.socket:
    """Return a connection to the socket of a manager at work, whose calls take `seconds` at most; raises OSError."""
    one = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    one.settimeout(seconds)
    try:
        with _reached(folder, name) as place:
            one.connect(place)
    except OSError:
        one.close()
        raise
    return one


@contextlib.contextmanager
def _reached(folder: Path, name: str) -> Iterator[str]:
    """Yield a short path to a socket: the whole path may be too long for one, as it stays on systems without O_PATH."""
    if not hasattr(os, "O_PATH"):
        yield str(folder / name)
        return
    handle = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{handle}/{name}"
    finally:
        os.close(handle)
