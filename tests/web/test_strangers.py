"""Connections without a token: none of them fills the memory of the pages, and no number of them shuts others out."""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from fiedler.web.connection import MOST_BYTES, MOST_HEADERS, MOST_PIPELINED, Rooms
from tests.patience import PATIENCE
from tests.web.conftest import EXPECTED
from tests.web.pages import Pages
from tests.web.test_server import ask

FILES = 400
"""Files that the server of a test may open."""
STRANGERS = 384
MOST_MEMORY = 16 << 20
"""Bytes by which the memory of the pages may grow in three floods of 48 MB."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """A server with a token and few files; it prints nothing but its address."""
    tmp_path = tmp_path_factory.mktemp("strangers")
    tokens = tmp_path / "tokens"
    tokens.write_text("a-token-of-a-visitor\n", "utf-8")
    tokens.chmod(0o600)
    (tmp_path / "results").mkdir()
    one = Pages(tmp_path / "results", "--token-file", tokens, "--host", "0.0.0.0", files=FILES)
    yield one
    assert one.stop() == 0
    assert [line for line in one.lines if not line.startswith(EXPECTED)] == []


@contextmanager
def linked(site: Pages) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", site.port), PATIENCE) as link:
        yield link


def enter(site: Pages) -> float:
    """Show the token; return the seconds until the answer."""
    began = time.monotonic()
    assert ask(site, "/api/runs", Authorization="Bearer a-token-of-a-visitor").status == 200
    return time.monotonic() - began


def answer(link: socket.socket) -> bytes:
    """Return all bytes until the server ends the connection."""
    found = b""
    with suppress(ConnectionError):
        while part := link.recv(1 << 16):
            found += part
    return found


def send(link: socket.socket, data: bytes) -> None:
    with suppress(ConnectionError):  # refused, and gone
        link.sendall(data)


LONG = b"x" * (MOST_BYTES + 1)
HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
TOO_MUCH = {
    "line": (b"GET /" + LONG, b"431"),
    "header": (HEAD + b"A: " + LONG, b"431"),
    "headers": (HEAD + b"a:b\r\n" * (MOST_BYTES // 5), b"431"),
    "few bytes": (HEAD + b"a:b\r\n" * (MOST_HEADERS + 1), b"431"),
    "name": (HEAD + LONG, b"431"),
    "body": (b"POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\ntoken=" + LONG, b"413"),
    "chunks": (b"POST /login HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 9000, b"413"),
    "trailers": (
        b"POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + b"a: b\r\n" * 9000,
        b"",
    ),
    "upgrade": (HEAD + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + LONG * 8, b"303"),
    "nonsense": (b"\x16\x03\x01\x00" * 8, b"400"),
}


REQUESTS = [
    HEAD + b"\r\n",
    b"POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\ntoken=x",
    b"POST /login HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    b"CONNECT a:1 HTTP/1.1\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n",
    b"GET /%ff%00?\xff HTTP/1.1\r\nCookie: fiedler-1=\xff\r\nAuthorization: bearer \xff\r\nX-Forwarded-For: x\r\n\r\n",
]


@pytest.mark.parametrize("kind", TOO_MUCH)
def test_a_request_has_an_end(site: Pages, kind: str) -> None:
    """Without one the connection would keep all bytes; an answer may be lost where the client still sends."""
    data, status = TOO_MUCH[kind]
    with linked(site) as link:
        send(link, data)
        found = answer(link)
    assert not found or status in found.partition(b"\r\n")[0]
    enter(site)


def test_a_head_that_is_too_large_is_told_so(site: Pages) -> None:
    with linked(site) as link:
        link.sendall(HEAD + b"A: " + LONG)
        assert answer(link).startswith(b"HTTP/1.1 431 ")


def test_many_requests_at_once_end_a_connection(site: Pages) -> None:
    with linked(site) as link:
        send(link, (HEAD + b"\r\n") * 100 * MOST_PIPELINED)
        assert answer(link).count(b"303 See Other") < 100 * MOST_PIPELINED


def test_a_few_requests_at_once_are_answered_in_turn(site: Pages) -> None:
    with linked(site) as link:
        link.sendall((HEAD + b"\r\n") * MOST_PIPELINED + b"GET /healthz HTTP/1.0\r\n\r\n")
        found = answer(link)
    assert found.count(b"303 See Other") == MOST_PIPELINED
    assert found.endswith(b"ok\n")


def memory(site: Pages) -> int:
    """Return the resident bytes of the server."""
    text = Path(f"/proc/{site.process.pid}/status").read_text("utf-8")
    return 1024 * int(text.partition("VmRSS:")[2].split()[0])


def test_floods_of_headers_leave_the_memory_as_it_is(site: Pages) -> None:
    enter(site)
    before = memory(site)
    for flood in (b"A: " + b"x" * (1 << 20), b"a: b\r\n" * (1 << 18), b"x" * (1 << 20)):
        for _ in range(48):
            with linked(site) as link:
                send(link, HEAD + flood)
    enter(site)
    assert memory(site) - before < MOST_MEMORY


@contextmanager
def idle(site: Pages, count: int, words: bytes = b"") -> Iterator[list[socket.socket]]:
    """Open connections that say only `words`."""
    with ExitStack() as stack:
        links = [stack.enter_context(linked(site)) for _ in range(count)]
        for link in links:
            send(link, words)
        yield links


@pytest.mark.parametrize(
    "words", [b"", b"GET / HT", HEAD + b"\r\n", b"POST /login HTTP/1.1\r\nContent-Length: 9\r\n\r\n"]
)
def test_idle_connections_shut_nobody_out(site: Pages, words: bytes) -> None:
    with idle(site, STRANGERS, words):
        for _ in range(5):
            enter(site)


def test_strangers_end_no_connection_of_a_visitor(site: Pages) -> None:
    with linked(site) as link:
        link.sendall(b"GET /api/runs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a-token-of-a-visitor\r\n\r\n")
        assert b"200 OK" in link.recv(1 << 16)
        with idle(site, STRANGERS, HEAD + b"\r\n"):
            link.sendall(b"GET /api/runs HTTP/1.0\r\nAuthorization: Bearer a-token-of-a-visitor\r\n\r\n")
            assert b"200 OK" in answer(link)


def test_visitors_that_leave_in_the_middle_print_nothing(site: Pages) -> None:
    for words in (b"Content-Length: 100\r\n\r\ntoken=", b"Content-Length: 7\r\n\r\ntoken=x"):
        for _ in range(20):
            with linked(site) as link:
                link.sendall(b"POST /login HTTP/1.1\r\nHost: a\r\n" + words)
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset
    enter(site)


def test_nonsense_prints_nothing(site: Pages) -> None:
    """Changed bytes of requests, alone and in rows."""
    chance = random.Random(5)
    for _ in range(300):
        data = bytearray(b"".join(chance.choice(REQUESTS) for _ in range(chance.randint(1, 4))))
        for _ in range(chance.randint(0, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        with linked(site) as link:
            send(link, bytes(data))
    enter(site)


@pytest.mark.parametrize("files", [32, 256, 400, 1024, 8192, 1 << 20])
def test_the_rooms_leave_files_for_everything_else(files: int) -> None:
    rooms = Rooms.of(files)
    sizes = rooms.strangers.places, rooms.idle.places, rooms.most_answered
    assert min(sizes) > 0
    assert sum(sizes) <= files - files // 4
    assert 0 < rooms.most_viewers <= rooms.most_answered


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_visitor_enters_a_hundred_times_beside_strangers_that_come_again(site: Pages) -> None:
    """Each connection that is closed opens again at once."""
    over = threading.Event()

    def come_again() -> None:
        while not over.is_set():
            try:
                with linked(site) as link:
                    link.settimeout(0.2)
                    while not over.is_set() and link.recv(1):
                        pass
            except OSError:
                continue

    strangers = [threading.Thread(target=come_again) for _ in range(STRANGERS)]
    for one in strangers:
        one.start()
    try:
        times = [enter(site) for _ in range(100)]
    finally:
        over.set()
        for one in strangers:
            one.join()
    assert len(times) == 100
