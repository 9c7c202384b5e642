"""Standard input and output <-> an engine port, for GUIs and managers that start programs."""

from __future__ import annotations

import os
import socket
import threading

from support.address import Address, reason
from support.errors import WorkError

CHUNK = 65536
CONNECT_SECONDS = 10.0


def open_socket(address: Address) -> socket.socket:
    """Return a socket to the engine that sends small lines at once.

    Raises:
        WorkError: The engine cannot be reached.
    """
    try:
        link = socket.create_connection((address.host, address.port), timeout=CONNECT_SECONDS)
    except (OSError, UnicodeError) as error:
        raise WorkError(f"cannot connect to {address}: {reason(error)}") from None
    link.settimeout(None)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return link


def bridge(address: Address, reading: int = 0, writing: int = 1) -> None:
    """Copy both ways until the server closes. `reading` and `writing` are file descriptors.

    At the end of the input only our half of the connection is closed: pending answers still come.

    Raises:
        WorkError: The connection fails.
    """
    with open_socket(address) as link:
        threading.Thread(target=_send_all, args=(reading, link), name="bridge", daemon=True).start()
        try:
            while data := link.recv(CHUNK):
                _write_all(writing, data)
        except (ConnectionResetError, BrokenPipeError):  # one end is gone, which is a normal end
            return
        except OSError as error:
            raise WorkError(f"{address}: {reason(error)}") from None


def _send_all(reading: int, link: socket.socket) -> None:
    try:
        while data := os.read(reading, CHUNK):
            link.sendall(data)
        link.shutdown(socket.SHUT_WR)
    except OSError:  # the server is gone; the other direction notices
        return


def _write_all(writing: int, data: bytes) -> None:
    while data:
        data = data[os.write(writing, data) :]
