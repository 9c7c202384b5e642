"""The phases of a connection: a protocol object hands it to the next one, and no byte is lost on the way."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest
import uvloop

from fiedler.engine.port.bounds import Bounds
from fiedler.engine.port.server import AccessRules
from fiedler.support.tls import client_context, server_context
from fiedler.support.tokens import Token, Tokens
from tests.certificates import write_certificates
from tests.engine.test_server import House, Peer
from tests.patience import PATIENCE

SECRET = "s3cret"
QUESTIONS = 3_000
LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    write_certificates(folder)
    return folder


class Port:
    """A server with its clients, on any loop, with TLS or without."""

    def __init__(self, files: Path, *, encrypted: bool, tokens: bool, bounds: Bounds | None = None) -> None:
        self._client = client_context(files / "ca.pem") if encrypted else None
        tls: ssl.SSLContext | None = server_context(files / "both.pem") if encrypted else None
        self.house = House("random", bounds, {}, AccessRules(Tokens([Token(SECRET)]) if tokens else None, tls))

    async def peer(self) -> Peer:
        peer = Peer(*await asyncio.open_connection("127.0.0.1", self.house.port, ssl=self._client))
        self.house.peers.append(peer)
        return peer

    def run(self, loop: str, talk: Callable[[Port], Coroutine[None, None, None]]) -> None:
        async def served() -> None:
            self.house.port = (await self.house.server.start("127.0.0.1", 0)).port
            try:
                async with asyncio.timeout(PATIENCE):
                    await talk(self)
            finally:
                await self.house.server.close()
                for peer in self.house.peers:
                    peer.writer.close()

        with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
            runner.run(served())


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize("tokens", [False, True])
def test_a_session_has_all_bytes_after_the_first_line(files: Path, loop: str, *, encrypted: bool, tokens: bool) -> None:
    async def talk(port: Port) -> None:
        peer = await port.peer()
        peer.say(*([f"token {SECRET}"] if tokens else []), "ugi", *["query gameover"] * QUESTIONS, "quit")
        if tokens:
            assert await peer.line() == "welcome"
        await peer.until("ugiok")
        assert [await peer.line() for _ in range(QUESTIONS)] == ["response false"] * QUESTIONS
        assert await peer.closed()

    Port(files, encrypted=encrypted, tokens=tokens).run(loop, talk)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize(
    ("first", "answer"),
    [
        ("ugi", "info string error: expected at most 1 concurrent sessions; try again later"),
        ("protocol_version", "? expected at most 1 concurrent sessions; try again later"),
        ("", "info string error: expected at most 1 concurrent sessions; try again later"),
    ],
)
def test_a_refusal_is_in_the_dialect_of_the_client(
    files: Path, loop: str, first: str, answer: str, *, encrypted: bool
) -> None:
    async def talk(port: Port) -> None:
        player, late = await port.peer(), await port.peer()
        player.say("ugi")
        await player.until("ugiok")
        for peer in (late, await port.peer()):  # the one came before the port was full, the other after it
            if first or peer is not late:
                peer.say(*([first, "isready"] if first else []))
                assert await peer.line() == answer
                await peer.reader.read()
        player.say("isready")
        assert await player.line() == "readyok"

    Port(files, encrypted=encrypted, tokens=False, bounds=Bounds(sessions=1)).run(loop, talk)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("encrypted", [False, True])
def test_the_refusal_of_a_wrong_token_drops_all_input(files: Path, loop: str, *, encrypted: bool) -> None:
    async def talk(port: Port) -> None:
        peer = await port.peer()
        peer.say("token wrong", *["query gameover"] * QUESTIONS)
        assert await peer.line() == "refused: the token is not valid"
        assert await peer.closed()

    Port(files, encrypted=encrypted, tokens=True).run(loop, talk)


@pytest.mark.parametrize("first", ["", "ugi"])
def test_a_stream_that_ends_at_a_full_port_has_its_refusal(files: Path, first: str) -> None:
    async def talk(port: Port) -> None:
        late = await port.peer()
        player = await port.peer()
        player.say("ugi")
        await player.until("ugiok")
        peer = late if first else await port.peer()
        peer.writer.write(first.encode())
        peer.writer.write_eof()
        assert await peer.line() == "info string error: expected at most 1 concurrent sessions; try again later"
        assert await peer.closed()

    Port(files, encrypted=False, tokens=False, bounds=Bounds(sessions=1)).run("asyncio", talk)
