"""The bridge of standard streams to a server that is not ours."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path

import pytest

from fiedler.client.call import Access
from fiedler.engine.check.link import port_link
from fiedler.support.address import Address
from fiedler.support.errors import WorkError
from fiedler.support.tls import client_context, server_context
from tests.certificates import write_certificates
from tests.engine.engine_process import engine
from tests.patience import PATIENCE

ANSWER = b"welcome\nid name early\n"


class Foreign:
    """A server that sends the beginning of its dialect behind the welcome, in one write, then reads to the end."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self._tls = tls
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = Address("127.0.0.1", self._socket.getsockname()[1])
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with self._socket:
            link, _ = self._socket.accept()
        with link if self._tls is None else self._tls.wrap_socket(link, server_side=True) as link:
            assert link.recv(1024) == b"token s3cret\n"
            link.sendall(ANSWER)

    def end(self) -> None:
        self._thread.join(PATIENCE)


@pytest.mark.parametrize("encrypted", [False, True])
def test_bytes_behind_the_welcome_are_copied(tmp_path: Path, *, encrypted: bool) -> None:
    write_certificates(tmp_path)
    secret = tmp_path / "token"
    secret.write_text("s3cret\n")
    secret.chmod(0o600)
    server = Foreign(server_context(tmp_path / "both.pem") if encrypted else None)
    ask = ["--tls", "--ca", str(tmp_path / "ca.pem")] if encrypted else []
    done = engine("connect", str(server.address), "--token-file", str(secret), *ask)
    server.end()
    assert (done.returncode, done.stdout) == (0, "id name early\n")


def test_a_link_receives_them_first() -> None:
    server = Foreign()
    link = port_link(server.address, Access("s3cret"), PATIENCE)
    assert link.receive(PATIENCE) == b"id name early\n"
    assert link.receive(PATIENCE) == b""
    link.close()
    server.end()


RECORD = b"\x16\x03\x03\x40\x00"
"""The head of a record of TLS with 16 KiB."""


def _trickle(listening: socket.socket) -> None:
    """Send one byte after the other to a client, until it leaves."""
    link, _ = listening.accept()
    with link, suppress(OSError):
        for byte in chain(RECORD, repeat(0)):
            link.sendall(bytes([byte]))
            time.sleep(0.02)


@pytest.mark.parametrize(
    ("token", "tls", "why"),
    [
        ("s3cret", None, "did not answer the token within 0.3 s"),
        (None, client_context(), "cannot connect to .* within 0.3 s"),
    ],
)
def test_a_server_that_sends_byte_by_byte_has_no_more_time(
    token: str | None, tls: ssl.SSLContext | None, why: str
) -> None:
    """Each byte once began the time anew."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_trickle, args=(listening,), daemon=True).start()
        address = Address("127.0.0.1", listening.getsockname()[1])
        with pytest.raises(WorkError, match=why):
            port_link(address, Access(token, tls), 0.3)
