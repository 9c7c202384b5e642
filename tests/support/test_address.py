from __future__ import annotations

import errno
import socket
import ssl

import pytest

from fiedler.support.address import Address, is_local, is_loopback, parse_address, peer_of, reason, resolved
from fiedler.support.errors import UsageError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:4081", Address("127.0.0.1", 4081)),
        ("localhost:1", Address("localhost", 1)),
        ("[::1]:65535", Address("::1", 65535)),
    ],
)
def test_an_address_is_read_and_written(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert str(address) == text


WRONG = ["", ":", "host", "host:", ":80", "host:0", "host:65536", "host:8x", "host:-1", "::1:80", "[]:80", "host:²"]


@pytest.mark.parametrize("text", [*WRONG, "host:" + 5000 * "9"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected HOST:PORT"):
        parse_address(text)


def test_loopback_is_recognised() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("fe80::1%eth0")


def test_a_host_is_local_if_all_its_addresses_are() -> None:
    assert is_local(Address("localhost", 1))
    assert not is_local(Address("0.0.0.0", 1))


def test_localhost_is_this_machine_where_no_file_of_hosts_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert resolved(Address("LocalHost", 1)) == [(socket.AF_INET, "127.0.0.1")]
    with pytest.raises(socket.gaierror):
        resolved(Address("localhost.example", 1))


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ConnectionResetError(), "the other side closed the connection"),
        (EOFError(), "the other side closed the connection"),
        (TimeoutError(), "no answer in time"),
        (TimeoutError(errno.ETIMEDOUT, "Connect call failed ('192.0.2.1', 1)"), "connection timed out"),
        (OSError("Something else"), "something else"),
        (OSError(), "oserror"),
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "name or service not known"),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong"), "tls failed: [ssl: wrong version number] wrong"),
    ],
)
def test_a_failed_connection_always_has_a_reason(error: Exception, why: str) -> None:
    assert reason(error).lower() == why


def test_the_peer_of_an_ipv6_address_is_its_network() -> None:
    assert peer_of("192.0.2.1") == peer_of("::ffff:192.0.2.1") != peer_of("192.0.2.2")
    assert peer_of("2001:db8::1") == peer_of("2001:db8::ffff:2") != peer_of("2001:db8:0:1::1")
    assert peer_of("fe80::1%eth0") == peer_of("fe80::2%eth0")
    assert peer_of("::1") == "::1"
