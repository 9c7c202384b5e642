"""Engines behind a port that demands a token, or TLS."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import trustme

from fiedler.client import EngineError, EngineGoneError, EngineRefusedError, EngineRulesError, open_engine_async
from fiedler.client.call import Access
from fiedler.client.carrier import connected
from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError
from fiedler.support.tls import client_context, server_context
from tests.patience import PATIENCE

ANSWERS = {"ugi": "id name guarded\nugiok", "go movetime 100": "bestmove b2"}


@asynccontextmanager
async def guarded(answer: str = "welcome", tls: Path | None = None) -> AsyncIterator[str]:
    """Serve an engine that answers the first line so, and the dialect after a welcome; give its address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readline() == b"token secret\n"
        writer.write(f"{answer}\n".encode())
        while answer == "welcome" and (line := await reader.readline()):
            if text := ANSWERS.get(line.decode().strip()):
                writer.write(f"{text}\n".encode())
        writer.close()

    context = None if tls is None else server_context(tls / "server.pem")
    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, authority = tmp_path_factory.mktemp("tls"), trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(folder / "server.pem")
    (folder / "token").write_text("secret\n", encoding="utf-8")
    (folder / "token").chmod(0o600)
    return folder


async def test_a_token_and_tls(files: Path) -> None:
    async with guarded(tls=files) as address:
        for secret in ({"token": "secret"}, {"token_file": files / "token"}):
            async with await open_engine_async(address, "tictactoe", ca=files / "ca.pem", **secret) as engine:
                assert engine.name == "guarded"
                assert (await engine.play("startpos", 0.1)).move == "b2"


REFUSED: list[tuple[str, type[EngineError], str]] = [
    ("refused: unknown token", EngineRefusedError, "did not admit us: unknown token"),
    ("hello", EngineRulesError, "did not answer the token: expected welcome or refused: WHY, got 'hello'"),
    ("", EngineRulesError, "did not answer the token: expected welcome"),
]


@pytest.mark.parametrize(("answer", "error", "message"), REFUSED)
async def test_a_refusal_is_one_line_without_the_token(answer: str, error: type[EngineError], message: str) -> None:
    async with guarded(answer) as address:
        with pytest.raises(error, match=re.escape(message)) as caught:
            await open_engine_async(address, "tictactoe", token="secret")
    assert str(caught.value).startswith(address)
    assert "secret" not in str(caught.value)


@asynccontextmanager
async def unasked(data: bytes, tls: Path) -> AsyncIterator[str]:
    """Serve these bytes at once, and the end of the connection; give the address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        writer.close()
        with suppress(ConnectionError):
            await reader.read()
        ended.set()

    ended = asyncio.Event()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_context(tls / "server.pem")) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await asyncio.wait_for(ended.wait(), PATIENCE)
        await asyncio.sleep(0)  # the loop closes the connection


@pytest.mark.parametrize("data", [b"", b"welcome\n", b"welcome\nid name x\n"])
async def test_a_server_that_ends_is_gone(files: Path, data: bytes) -> None:
    """Over TLS its last bytes and its end come together."""
    async with unasked(data, files) as address:
        with pytest.raises(EngineGoneError, match=f"{address} closed the connection"):
            await open_engine_async(address, "tictactoe", token="secret", ca=files / "ca.pem")


async def test_bytes_behind_the_welcome_are_kept(files: Path) -> None:
    async with unasked(b"welcome\nid name early\nugiok\nreadyok\n", files) as address:
        parsed = parse_address(address)
        carrier = await connected(parsed, Access("secret", client_context(files / "ca.pem")), PATIENCE)
        received = b""
        while data := await carrier.receive():
            received += data
        await carrier.close()
    assert received == b"id name early\nugiok\nreadyok\n"


async def test_an_unknown_certificate_is_refused(files: Path) -> None:
    async with guarded(tls=files) as address:
        with pytest.raises(EngineGoneError, match=f"cannot connect to {address}: the certificate is not trusted: "):
            await open_engine_async(address, "tictactoe", token="secret", tls=True)


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (["engine"], {"token": "x"}, "token, tls: only with the HOST:PORT of a server"),
    ("127.0.0.1:4081", {"token": "x", "protocol": "makemove"}, "token, tls: only with the HOST:PORT of a server"),
    ("127.0.0.1:4081", {"token": "x y"}, "token: expected one word"),
    ("127.0.0.1:4081", {"token": "x", "token_file": "y"}, "token: not with token_file"),
    ("127.0.0.1:4081", {"token_file": "/none"}, "/none: cannot be read: no such file or directory"),
    ("127.0.0.1:4081", {"ca": "/none"}, "/none: cannot be read: no such file or directory"),
]


@pytest.mark.parametrize(("engine", "arguments", "message"), WRONG)
async def test_wrong_arguments_are_refused(engine: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        await open_engine_async(engine, "tictactoe", **arguments)
