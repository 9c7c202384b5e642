"""The answer to a program or a player that connects to us."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

from fiedler.client.child import Child
from fiedler.client.errors import EngineGoneError
from fiedler.support.address import LOOPBACK, Address, reason
from fiedler.support.listener import listener

OWN_PORT = Address(LOOPBACK, 0)
"""A free port, at which only a program of this machine can connect."""


class NoCallError(Exception):
    """The program has ended without a connection; the message has its end."""


def listening(address: Address = OWN_PORT) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        EngineGoneError: The address cannot be used.
    """
    try:
        return listener(address)
    except (OSError, UnicodeError) as error:
        raise EngineGoneError(f"cannot listen on {address}: {reason(error)}") from error


def port_of(door: socket.socket) -> int:
    """Return the port of a socket that listens."""
    port: int = door.getsockname()[1]
    return port


async def accepted(door: socket.socket, child: Child | None = None) -> socket.socket:
    """Wait for a connection, or for the end of the program that shall connect.

    Raises:
        NoCallError: The program has ended first.
    """
    accepting = asyncio.ensure_future(asyncio.get_running_loop().sock_accept(door))
    either: set[asyncio.Future[Any]] = {accepting} if child is None else {accepting, child.exited}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if child is None or accepting.done():
            return accepting.result()[0]
        raise NoCallError(f"{child.exit_message}; it did not connect")
    finally:
        accepting.cancel()
