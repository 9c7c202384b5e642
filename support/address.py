"""HOST:PORT on a command line."""

from __future__ import annotations

import ipaddress
import os
import socket
from dataclasses import dataclass

from support.errors import UsageError

MAX_PORT = 65535


@dataclass(frozen=True, slots=True)
class Address:
    """The address of an engine."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Return the address of HOST:PORT or [IPV6]:PORT.

    Raises:
        UsageError: The text is not an address.
    """
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    host = host[1:-1] if bracketed else host
    if not colon or not host or (":" in host and not bracketed) or not _is_port(port):
        raise UsageError(f"expected HOST:PORT with a port from 1 to {MAX_PORT}, got {text!r}")
    return Address(host, int(port))


def reason(error: OSError | UnicodeError) -> str:
    """Return in a few words why an address is unusable, without the padding of asyncio and gethostbyname."""
    if isinstance(error, OSError) and not isinstance(error, socket.gaierror) and error.errno:
        return os.strerror(error.errno).lower()
    return str(error.strerror if isinstance(error, socket.gaierror) else error).lower()


def is_loopback(host: str) -> bool:
    """Return whether a numeric address can be reached only from this machine."""
    return ipaddress.ip_address(host.partition("%")[0]).is_loopback


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_PORT
