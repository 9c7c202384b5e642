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
    """Where an engine listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Return what HOST:PORT or [IPV6]:PORT means; raises UsageError."""
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    host = host[1:-1] if bracketed else host
    if not colon or not host or (":" in host and not bracketed) or not _is_port(port):
        raise UsageError(f"expected HOST:PORT with a port from 1 to {MAX_PORT}, got {text!r}")
    return Address(host, int(port))


def reason(error: OSError | UnicodeError) -> str:
    """Return in a few words why an address cannot be used; asyncio and gethostbyname pad it."""
    if isinstance(error, OSError) and not isinstance(error, socket.gaierror) and error.errno:
        return os.strerror(error.errno).lower()
    return str(error.strerror if isinstance(error, socket.gaierror) else error).lower()


def is_loopback(host: str) -> bool:
    """Tell whether a numeric address is reached from this machine alone."""
    return ipaddress.ip_address(host.partition("%")[0]).is_loopback


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text) <= MAX_PORT
