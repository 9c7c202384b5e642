"""TLS contexts: a conversation under certificates of the test's own, and bad files in one line."""

from __future__ import annotations

import asyncio
import os
import ssl
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.support.tls import client_context, server_context, tls_reason
from tests.certificates import write_certificates
from tests.patience import PATIENCE


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with certificates, and a file without any."""
    folder = tmp_path_factory.mktemp("tls")
    write_certificates(folder)
    (folder / "text.pem").write_text("no certificate\n")
    return folder


async def greeting(server: ssl.SSLContext, client: ssl.SSLContext) -> bytes:
    """Return the line that a client reads from a server under TLS."""

    def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello\n")
        writer.close()

    async with asyncio.timeout(PATIENCE), await asyncio.start_server(greet, "127.0.0.1", 0, ssl=server) as listener:
        host, port = listener.sockets[0].getsockname()
        reader, writer = await asyncio.open_connection(host, port, ssl=client)
        line = await reader.readline()
        writer.close()
        return line


@pytest.mark.parametrize(("cert", "key"), [("cert.pem", "key.pem"), ("both.pem", None)])
async def test_a_client_reads_what_its_server_sends(files: Path, cert: str, key: str | None) -> None:
    server = server_context(files / cert, None if key is None else files / key)
    assert await greeting(server, client_context(files / "ca.pem")) == b"hello\n"


@pytest.mark.parametrize(
    ("cert", "ca", "reason"),
    [
        ("both.pem", None, "the certificate is not trusted: unable to get local issuer certificate"),
        ("other.pem", "ca.pem", "the certificate is not trusted: ip address mismatch"),
    ],
)
async def test_a_client_refuses_a_certificate_that_it_cannot_trust(
    files: Path, cert: str, ca: str | None, reason: str
) -> None:
    with pytest.raises(ssl.SSLError) as error:
        await greeting(server_context(files / cert), client_context(None if ca is None else files / ca))
    assert tls_reason(error.value).startswith(reason)


@pytest.mark.parametrize(
    ("cert", "key", "message"),
    [
        ("missing.pem", "key.pem", "missing.pem: cannot be read: no such file or directory"),
        ("cert.pem", "missing.pem", "missing.pem: cannot be read: no such file or directory"),
        ("text.pem", "key.pem", "expected a certificate and its key without a passphrase, in PEM form"),
        ("cert.pem", None, "without a passphrase, in PEM form; --key names the file of the key$"),
        ("cert.pem", "other.pem", "other.pem: expected the key of the certificate, got another"),
    ],
)
def test_bad_files_of_a_server_are_refused_in_one_line(files: Path, cert: str, key: str | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        server_context(files / cert, None if key is None else files / key)


@pytest.mark.parametrize(
    ("ca", "message"),
    [
        ("missing.pem", "missing.pem: cannot be read: no such file or directory"),
        ("text.pem", "text.pem: expected certificates in PEM form"),
    ],
)
def test_bad_authorities_are_refused_in_one_line(files: Path, ca: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        client_context(files / ca)


def test_a_pipe_in_place_of_a_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for read in (client_context, server_context):
        with pytest.raises(UsageError, match="pipe: expected a regular file, got a pipe"):
            read(tmp_path / "pipe")
