"""Admission of players that dial in: waiting clients are bounded, and no report shows a token."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fiedler.support import guesses, listener
from fiedler.support.address import Address
from fiedler.support.tls import client_context
from fiedler.support.tokens import PlayerTokens, Token
from fiedler.tournament.play.admission import Listening, PlayerAdmission
from tests.certificates import write_certificates
from tests.patience import PATIENCE
from tests.tournament.line import free_port

SECRET = "s3cret"


class Port:
    """The admission of the player `far`, and clients of it."""

    def __init__(self, tokens: PlayerTokens | None = None, cert: Path | None = None) -> None:
        self.reports: list[str] = []
        self._address = Address("127.0.0.1", free_port())
        options = Listening.read(self._address, None, cert, None)
        self._tokens = tokens or PlayerTokens({"far": Token(SECRET)})
        options = Listening(options.address, None, self._tokens, options.tls)
        self.admission = PlayerAdmission(options, ["far"], 2, self.reports.append)
        self._writers: list[asyncio.StreamWriter] = []

    async def client(self, first: str = "", source: str = "127.0.0.1", ca: Path | None = None) -> asyncio.StreamReader:
        """Connect, and send a first line."""
        tls = None if ca is None else client_context(ca)
        reader, writer = await asyncio.open_connection(
            self._address.host, self._address.port, local_addr=(source, 0), ssl=tls
        )
        self._writers.append(writer)
        writer.write(first.encode())
        return reader

    def end_input(self) -> None:
        """Send nothing more as the latest client."""
        self._writers[-1].write_eof()

    async def answer(self, first: str, source: str = "127.0.0.1", ca: Path | None = None) -> str:
        """Return the answer to a first line."""
        return await line(await self.client(f"{first}\n", source, ca))

    async def close(self) -> None:
        await self.admission.close()
        for writer in self._writers:
            writer.close()


async def line(reader: asyncio.StreamReader) -> str:
    async with asyncio.timeout(PATIENCE):
        return (await reader.readline()).decode().strip()


@asynccontextmanager
async def listening(tokens: PlayerTokens | None = None, cert: Path | None = None) -> AsyncIterator[Port]:
    port = Port(tokens, cert)
    await port.admission.listen()
    try:
        yield port
    finally:
        await port.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    write_certificates(folder)
    return folder


async def test_silent_clients_do_not_keep_a_player_of_their_address_out() -> None:
    async with listening() as port:
        port.admission.room.places = 4
        crowd = [await port.client() for _ in range(4)]
        assert await port.answer(f"player far {SECRET}") == "welcome"
        assert await line(crowd[0]) == "refused: too many connections are waiting for admission"


async def test_waiting_clients_learn_that_the_run_ends() -> None:
    async with listening() as port:
        waiting = await port.client()
        await port.admission.close()
        assert await line(waiting) == "refused: the run ends"


async def test_the_peer_with_most_clients_makes_room() -> None:
    async with listening() as port:
        port.admission.room.places = 4
        slow = await port.client("player far ")
        crowd = [await port.client(source="127.0.0.2") for _ in range(4)]
        assert await line(crowd[0]) == "refused: too many connections are waiting for admission"
        assert await port.answer(f"player far {SECRET}") == "welcome"
        assert await line(crowd[1]) == "refused: too many connections are waiting for admission"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await slow.read()


@pytest.mark.parametrize("source", ["127.0.0.1", "127.0.0.2"])
async def test_silent_handshakes_leave_for_a_player(files: Path, source: str) -> None:
    async with listening(cert=files / "both.pem") as port:
        port.admission.room.places = 2
        crowd = [await port.client(source=source) for _ in range(2)]
        assert await port.answer(f"player far {SECRET}", ca=files / "ca.pem") == "welcome"
        assert await line(crowd[0]) == ""


async def test_clients_that_have_their_refusal_keep_their_places_until_they_leave() -> None:
    async with listening() as port:
        port.admission.room.places = 3
        crowd = [await port.client("player far wrong\n") for _ in range(3)]
        assert [await line(one) for one in crowd] == ["refused: unknown name or wrong token"] * 3
        silent = [await port.client() for _ in range(3)]
        assert await port.answer(f"player far {SECRET}") == "welcome"
        assert await line(silent[0]) == "refused: too many connections are waiting for admission"


async def test_a_silent_handshake_ends(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "HANDSHAKE_SECONDS", 0.1)
    async with listening(cert=files / "both.pem") as port:
        assert await line(await port.client()) == ""


async def test_text_at_a_port_with_tls_gets_one_line(files: Path) -> None:
    async with listening(cert=files / "both.pem") as port:
        answer = await port.answer(f"player far {SECRET}")
        assert answer == "refused: expected TLS, got text; this port is encrypted"


@pytest.mark.parametrize("first", [f"player {SECRET}", f"player {SECRET} far", f"player far {SECRET} x"])
async def test_a_misplaced_token_is_not_reported(first: str) -> None:
    async with listening() as port:
        assert await port.answer(first) == "refused: unknown name or wrong token"
        assert port.reports == ["a connection was refused: its name is not in the schedule"]


async def test_a_wrong_token_comes_late_and_delays_no_right_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guesses, "FIRST_SECONDS", 1000.0)
    async with listening() as port:
        port.admission.room.places = 3
        guessing = [await port.client(first) for first in 3 * ["player far wrong\n", "player nobody wrong\n"]]
        assert await port.answer(f"player far {SECRET}") == "welcome"
        assert await line(guessing[0]) == ""


async def test_the_refusal_of_a_wrong_token_reaches_a_client_that_sends_no_more() -> None:
    async with listening() as port:
        reader = await port.client("player far wrong\n")
        port.end_input()
        assert await line(reader) == "refused: unknown name or wrong token"


async def test_unknown_names_are_counted_and_known_ones_always_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guesses, "MOST_SECONDS", 0.05)
    async with listening() as port:
        for number in range(25):
            await port.answer(f"player invented{number} x")
        await port.answer("player far wrong")
        await port.answer("player far wrong")
    assert port.reports == [
        "a connection was refused: its name is not in the schedule",
        "10 connections were refused: their names are not in the schedule",
        "a connection as 'far' was refused: unknown name or wrong token; later ones are not reported",
    ]


class Compared(PlayerTokens):
    """Tokens that note the names whose tokens are compared."""

    def __init__(self) -> None:
        super().__init__({"far": Token(SECRET)})
        self.names: list[str] = []

    def admit(self, name: str, token: str) -> bool:
        self.names.append(name)
        return super().admit(name, token)


async def test_the_token_of_an_unknown_name_is_compared_too() -> None:
    tokens = Compared()
    async with listening(tokens) as port:
        await port.answer("player far wrong")
        await port.answer("player nobody wrong")
    assert tokens.names == ["far", "nobody"]
