"""HOST:PORT on a command line."""

from __future__ import annotations

import ipaddress
import os
import socket
from dataclasses import dataclass

from fiedler.support.errors import UsageError

LOOPBACK = "127.0.0.1"
"""This machine, as only its own programs reach it."""
MAX_PORT = 65535
IPV6_NETWORK_BYTES = 8
"""A machine usually has all addresses of such a network."""


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


def reason(error: Exception) -> str:
    """Return in a few words why a connection failed or an address is unusable, without the padding of asyncio."""
    import ssl

    from fiedler.support.tls import tls_reason

    match error:
        case ssl.SSLError():
            return tls_reason(error)
        case socket.gaierror():
            text = error.strerror
        case OSError() if error.errno:
            text = os.strerror(error.errno)
        case _:
            text = str(error)
    return (text or _silent_reason(error)).lower()


def _silent_reason(error: Exception) -> str:
    """Return the reason of an error without a text: asyncio raises some, above all with TLS."""
    match error:
        case ConnectionError() | EOFError():
            return "the other side closed the connection"
        case TimeoutError():
            return "no answer in time"
        case _:
            return type(error).__name__


def resolved(address: Address) -> list[tuple[int, str]]:
    """Return the family and the numeric host of each address of a host, the preferred one first.

    The look-up is not in a thread, for which the end of a command would wait. `localhost` is this machine also where
    no file of hosts names it, as in a bare Debian (RFC 6761, section 6.3).

    Raises:
        OSError: The host is unknown.
        UnicodeError: It cannot be the name of one.
    """
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except socket.gaierror:
        if address.host.lower() != "localhost":
            raise
        return [(socket.AF_INET, LOOPBACK)]
    return [(family, str(where[0])) for family, _, _, _, where in found]


def is_local(address: Address) -> bool:
    """Return whether a host can be reached only from this machine, by any of its addresses; raises as `resolved`."""
    return all(is_loopback(host) for _, host in resolved(address))


def peer_of(host: str) -> str:
    """Return the peer of a numeric address: the address, or the network of an IPv6 address elsewhere."""
    address = ipaddress.ip_address(host.partition("%")[0])
    if address.version == 4 or address.is_loopback:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return address.packed[:IPV6_NETWORK_BYTES].hex()


def is_loopback(host: str) -> bool:
    """Return whether a numeric address can be reached only from this machine."""
    return ipaddress.ip_address(host.partition("%")[0]).is_loopback


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= MAX_PORT
