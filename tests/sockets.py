"""The sockets of this process, as the system sees them."""

from __future__ import annotations

import ctypes
import os
import socket
import stat
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

SO_ATTACH_FILTER = 26


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint))


_RETURN_0 = _Instruction(6)


def go_dark(link: socket.socket) -> None:
    """Drop all that comes to a socket, also on behalf of the system: for the peer it is as if its cable were pulled."""
    program = struct.pack("HxxxxxxP", 1, ctypes.addressof(_RETURN_0))
    link.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, program)


def need_filters() -> None:
    """Leave a test out if the system lets its user attach no filter to a socket, as `go_dark` does."""
    with socket.socket() as link:
        try:
            go_dark(link)
        except PermissionError:
            pytest.skip("the system lets only root attach a filter to a socket")


def losses(link: socket.socket) -> tuple[float, float]:
    """Return the seconds until the system ends the connection to a vanished peer: while silent, and with bytes sent."""
    delay, interval, count, unread = (
        link.getsockopt(socket.IPPROTO_TCP, option)
        for option in (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
    )
    probed = bool(link.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE))
    return delay + interval * count if probed else float("inf"), unread / 1000 or float("inf")


def losses_at(port: int) -> list[tuple[float, float]]:
    """Return the `losses` of the connections of this process whose near end is at a port."""
    return [losses(one) for one in _connections(lambda one: one.getsockname()[1] == port)]


def losses_to(port: int) -> list[tuple[float, float]]:
    """Return those whose far end is at a port."""
    return [losses(one) for one in _connections(lambda one: one.getpeername()[1] == port)]


def _connections(chosen: Callable[[socket.socket], bool]) -> Iterator[socket.socket]:
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if not stat.S_ISSOCK(path.stat().st_mode):
                continue
            with socket.socket(fileno=os.dup(int(path.name))) as one:
                if one.getpeername() and chosen(one):
                    yield one
