"""Admission of clients: tokens, TLS, other protocols, and the bridge of programs that can express neither."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fiedler.engine.port import client_door
from fiedler.engine.port.admission import ClientAdmission
from fiedler.engine.port.bounds import Bounds
from fiedler.engine.port.server import AccessRules
from fiedler.protocol import DIALECTS
from fiedler.support import guesses
from fiedler.support.errors import UsageError
from fiedler.support.tls import client_context, server_context
from fiedler.support.tokens import Token, Tokens
from tests.certificates import write_certificates
from tests.engine.engine_process import engine, serving
from tests.engine.test_server import House, Peer, eventually
from tests.patience import PATIENCE

SECRET = "s3cret"
TOKENS = Tokens([Token("another"), Token(SECRET)])
TLS_HELLO = bytes.fromhex("1603010200010001fc0303") + bytes(500)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tls")
    write_certificates(folder)
    (folder / "tokens").write_text(f"{SECRET}\n")
    (folder / "wrong").write_text("wrong\n")
    for name in ("tokens", "wrong"):
        (folder / name).chmod(0o600)
    return folder


@asynccontextmanager
async def house(access: AccessRules, bounds: Bounds | None = None, player: str = "random") -> AsyncIterator[House]:
    made = House(player, bounds, {}, access)
    made.port = (await made.server.start("127.0.0.1", 0)).port
    try:
        yield made
    finally:
        async with asyncio.timeout(PATIENCE):
            await made.server.close()
        for peer in made.peers:
            peer.writer.close()


async def test_a_token_admits_and_the_dialect_follows_in_one_write() -> None:
    async with house(AccessRules(TOKENS)) as home:
        peer = await home.peer(greeted=False)
        peer.say(f"token {SECRET}", "ugi", "isready")
        assert await peer.line() == "welcome"
        assert (await peer.until("readyok"))[0].startswith("id name")
        assert home.server.terms.counts.sessions == 1


async def test_a_token_may_come_byte_by_byte() -> None:
    async with house(AccessRules(TOKENS)) as home:
        peer = await home.peer(greeted=False)
        for byte in f"token {SECRET}\nugi\n".encode():
            peer.writer.write(bytes([byte]))
            await peer.writer.drain()
            await asyncio.sleep(0)
        assert await peer.line() == "welcome"
        await peer.until("ugiok")


@pytest.mark.parametrize(
    ("first", "answer"),
    [
        ("token wrong", "refused: the token is not valid"),
        ("token", "refused: expected token TOKEN as the first line"),
        ("ugi", "refused: expected token TOKEN as the first line"),
        (f"player me {SECRET}", "refused: expected token TOKEN as the first line; no player dials in here"),
        ("x" * 5000, "refused: expected at most 1024 bytes in the first line, got more"),
        ("GET / HTTP/1.1", "refused: expected a game protocol, got an HTTP request"),
    ],
)
async def test_others_get_one_line_and_leave(first: str, answer: str) -> None:
    async with house(AccessRules(TOKENS), player="mcts") as home:
        other = await home.peer(greeted=False)
        other.say(f"token {SECRET}", "go infinite")
        assert await other.line() == "welcome"
        peer = await home.peer(greeted=False)
        peer.say(first, "ugi", "isready")
        assert await peer.line() == answer
        assert await peer.closed()
        await home.sessions(1)
        assert sum(home.server.terms.counts.refused.values()) == 1


async def test_a_client_without_its_first_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_door, "ADMISSION_SECONDS", 0.1)
    async with house(AccessRules(TOKENS)) as home:
        peer = await home.peer(greeted=False)
        assert await peer.line() == "refused: expected token TOKEN within 0.1 s"
        assert await peer.closed()


@pytest.mark.parametrize("tokens", [None, TOKENS])
async def test_clients_before_admission_take_no_places_of_sessions(tokens: Tokens | None) -> None:
    async with house(AccessRules(tokens), Bounds(sessions=1, per_peer=1)) as home:
        strangers = [await home.peer(greeted=False) for _ in range(5)]
        player = await home.peer(greeted=False)
        player.say(f"token {SECRET}", "ugi")
        assert await player.line() == "welcome"
        await player.until("ugiok")
        strangers[0].say(f"token {SECRET}", "ugi")
        assert (await strangers[0].line()).endswith("expected at most 1 concurrent sessions; try again later")
        assert await strangers[0].closed()


@pytest.mark.parametrize("tokens", [None, TOKENS])
async def test_the_oldest_client_before_admission_leaves_for_others(tokens: Tokens | None) -> None:
    async with house(AccessRules(tokens)) as home:
        home.server.room.places = 4
        player = await home.peer(greeted=False)
        player.say(f"token {SECRET}", "ugi")
        await player.until("ugiok")
        strangers = [await home.peer(greeted=False) for _ in range(4)]
        late = await home.peer(greeted=False)
        assert (await strangers[0].line()).endswith("too many connections are waiting for admission")
        assert await strangers[0].closed()
        late.say(f"token {SECRET}", "ugi")
        assert await late.line() == "welcome"
        player.say("isready")
        assert await player.line() == "readyok"
        assert home.server.terms.counts.refused == {"waiting": 1}


async def test_clients_before_admission_learn_that_the_server_ends() -> None:
    async with house(AccessRules(TOKENS)) as home:
        stranger = await home.peer(greeted=False)
        assert await home.server.close()
        assert await stranger.line() == "refused: the server ends"
        assert await stranger.closed()
        assert home.server.terms.counts.refused == {"ended": 1}


async def test_a_stream_that_ends_within_its_first_line_has_its_answer() -> None:
    async with house(AccessRules()) as home:
        peer = await home.peer(greeted=False)
        peer.writer.write(b"ugi")
        peer.writer.write_eof()
        assert await peer.line() == "info string error: expected a newline, got the end of the stream"
        assert await peer.closed()


async def test_wrong_tokens_come_late_and_delay_no_right_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guesses, "FIRST_SECONDS", 1000.0)
    monkeypatch.setattr(guesses, "MOST_SECONDS", 1000.0)
    async with house(AccessRules(TOKENS)) as home:
        home.server.room.places = 3
        refused = home.server.terms.counts.refused
        guessing = list[Peer]()
        while len(guessing) < 8:  # one after the other: a full room refuses those that have not spoken yet
            guessing.append(await home.peer(greeted=False))
            guessing[-1].say("token wrong")
            await eventually(lambda: refused["token"] == len(guessing))
        player = await home.peer(greeted=False)
        player.say(f"token {SECRET}", "ugi")
        assert await player.line() == "welcome"
        await player.until("ugiok")
        assert await guessing[0].line() == ""
        assert len(home.server.room) <= 3


async def test_the_refusal_of_a_wrong_token_reaches_a_client_that_sends_no_more() -> None:
    async with house(AccessRules(TOKENS)) as home:
        peer = await home.peer(greeted=False)
        peer.say("token wrong")
        peer.writer.write_eof()
        assert await peer.line() == "refused: the token is not valid"
        assert await peer.closed()


async def test_a_server_without_tokens_welcomes_a_client_with_one() -> None:
    async with house(AccessRules()) as home:
        peer = await home.peer(greeted=False)
        peer.say(f"token {SECRET}", "ugi")
        assert await peer.line() == "welcome"
        await peer.until("ugiok")


async def test_another_protocol_at_an_open_port_gets_one_line_and_leaves() -> None:
    async with house(AccessRules()) as home:
        for data, kind in (
            (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "an HTTP request"),
            (TLS_HELLO, "the beginning of TLS"),
        ):
            peer = await home.peer(greeted=False)
            peer.writer.write(data)
            line = await peer.line()
            assert line.startswith("info string error: expected ")
            assert kind in line
            assert await peer.closed()
        await home.sessions(0)
        assert home.server.terms.counts.refused == {"http": 1, "tls": 1}


@pytest.mark.parametrize("text", ["t", "to", "tokens", "token"])
async def test_a_first_line_that_is_almost_a_token_is_one_of_the_dialect(text: str) -> None:
    async with house(AccessRules()) as home:
        peer = await home.peer(greeted=False)
        peer.writer.write(text.encode())
        await peer.writer.drain()
        await asyncio.sleep(0.02)
        peer.say("", "ugi")
        assert (await peer.line()).startswith("info string error: expected ")
        await peer.until("ugiok")


def test_the_end_of_the_stream_passes_the_held_bytes() -> None:
    admission = ClientAdmission(None, DIALECTS["ugi"].refusal)
    assert admission.feed(b"tok") is None
    assert admission.held == b"tok"


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
async def test_beyond_loopback_a_token_is_demanded(host: str) -> None:
    home = House("random", None, {}, AccessRules())
    with pytest.raises(UsageError, match=f"--host {host}: expected --token-file, because other machines reach {host}"):
        await home.server.start(host, 0)
    await home.server.close()


# --- TLS --------------------------------------------------------------------------------------------------------------


async def encrypted_peer(home: House, files: Path) -> Peer:
    context = client_context(files / "ca.pem")
    peer = Peer(*await asyncio.open_connection("127.0.0.1", home.port, ssl=context))
    home.peers.append(peer)
    return peer


async def test_a_search_over_tls(files: Path) -> None:
    access = AccessRules(TOKENS, server_context(files / "cert.pem", files / "key.pem"))
    async with house(access, player="mcts") as home:
        peer = await encrypted_peer(home, files)
        peer.say(f"token {SECRET}", "ugi", "position startpos", "go nodes 500")
        assert (await peer.until("bestmove"))[0] == "welcome"
        peer.say("quit")
        assert await peer.closed()
        await home.sessions(0)


async def test_a_flood_over_tls_is_answered_line_by_line(files: Path) -> None:
    async with house(AccessRules(None, server_context(files / "both.pem"))) as home:
        peer = await encrypted_peer(home, files)
        peer.say("ugi", *["query gameover"] * 5000)
        await peer.until("ugiok")
        for _ in range(5000):
            assert await peer.line() == "response false"


async def test_a_client_over_tls_that_leaves_stops_its_search(files: Path) -> None:
    async with house(AccessRules(None, server_context(files / "both.pem")), player="mcts") as home:
        peer = await encrypted_peer(home, files)
        peer.say("ugi", "go infinite")
        await peer.until("ugiok")
        peer.writer.close()
        await home.sessions(0)


@pytest.mark.parametrize("text", ["ugi\n", "GET / HTTP/1.1\r\n\r\n"])
async def test_text_at_an_encrypted_port_gets_one_line(files: Path, text: str) -> None:
    async with house(AccessRules(None, server_context(files / "both.pem"))) as home:
        peer = await home.peer(greeted=False)
        peer.writer.write(text.encode())
        assert await peer.line() == "refused: expected TLS, got text; this port is encrypted"
        assert await peer.closed()
        assert home.server.terms.counts.refused == {"handshake": 1}


async def test_silent_handshakes_leave_for_others(files: Path) -> None:
    async with house(AccessRules(None, server_context(files / "both.pem"))) as home:
        home.server.room.places = 3
        silent = [await home.peer(greeted=False) for _ in range(3)]
        peer = await encrypted_peer(home, files)
        peer.say("ugi")
        await peer.until("ugiok")
        assert await silent[0].closed()
        assert home.server.terms.counts.refused == {"handshakes": 1}
        await eventually(lambda: len(home.server.room) == 2)


async def test_a_client_that_does_not_trust_the_certificate_leaves(files: Path) -> None:
    async with house(AccessRules(None, server_context(files / "other.pem"))) as home:
        with pytest.raises(ssl.SSLCertVerificationError):
            await encrypted_peer(home, files)
        await home.sessions(0)


@pytest.mark.parametrize("tokens", [None, TOKENS])
async def test_an_http_request_in_portions_is_one(tokens: Tokens | None) -> None:
    async with house(AccessRules(tokens)) as home:
        peer = await home.peer(greeted=False)
        for portion in (b"G", b"E", b"T / HTTP/1.1\r\n\r\n"):
            peer.writer.write(portion)
            await asyncio.sleep(0.01)
        assert (await peer.line()).endswith("expected a game protocol, got an HTTP request")
        assert await peer.closed()
        assert home.server.terms.counts.refused == {"http": 1}


# --- the bridge -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_bridge_gives_the_token(files: Path, *, encrypted: bool) -> None:
    words = ["--game", "uttt", "--player", "mcts", "--token-file", str(files / "tokens")]
    words += ["--cert", str(files / "both.pem")] if encrypted else []
    ask = ["--tls", "--ca", str(files / "ca.pem")] if encrypted else []
    with serving(*words) as server:
        said = "ugi\nposition startpos\ngo nodes 300\nquit\n"
        done = engine("connect", server.address, "--token-file", str(files / "tokens"), *ask, said=said)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith("id name")
        assert "\nbestmove " in done.stdout
        done = engine("connect", server.address, "--token-file", str(files / "wrong"), *ask, said="ugi\n")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == f"error: {server.address} did not admit us: the token is not valid\n"
        done = engine("connect", server.address, *ask, said="ugi\n")
        assert (done.returncode, done.stdout) == (1, "")
        why = "expected token TOKEN as the first line; --token-file F sends a token"
        assert done.stderr == f"error: {server.address} did not admit us: {why}\n"
        if not encrypted:
            done = engine("connect", server.address, "--tls", said="ugi\n")
            why = "expected TLS, got another protocol: this port is not encrypted"
            assert done.stderr == f"error: cannot connect to {server.address}: {why}\n"
        else:
            done = engine("connect", server.address, "--token-file", str(files / "tokens"), "--tls", said="ugi\n")
            assert done.returncode == 1
            assert done.stderr.startswith(
                f"error: cannot connect to {server.address}: the certificate is not trusted: "
            )
        assert server.end() == 0
        assert SECRET not in "".join(server.said) + server.rest()


@pytest.mark.parametrize("encrypted", [False, True])
def test_play_and_analyze_give_the_token(files: Path, *, encrypted: bool) -> None:
    words = ["--game", "tictactoe", "--player", "negamax", "--token-file", str(files / "tokens")]
    words += ["--cert", str(files / "both.pem")] if encrypted else []
    ask = ["--tls", "--ca", str(files / "ca.pem")] if encrypted else []
    with serving(*words) as server:
        there = ["--game", "tictactoe", "--address", server.address, *ask, "--token-file"]
        done = engine("analyze", *there, str(files / "tokens"), "--position", "startpos moves a1 b1 a2 b2")
        assert (done.returncode, done.stderr) == (0, "")
        assert "X to move: a3" in done.stdout
        done = engine("play", *there, str(files / "tokens"), "--side", "second", "--movetime", "50ms")
        assert (done.returncode, done.stderr) == (0, "")
        assert "Fiedler negamax plays" in done.stdout
        done = engine("play", *there, str(files / "wrong"))
        assert done.stderr == f"error: {server.address} did not admit us: the token is not valid\n"
        done = engine("connect", server.address, *ask, said="ugi\n")
        assert (done.returncode, done.stdout) == (1, "")
        why = "expected token TOKEN as the first line; --token-file F sends a token"
        assert done.stderr == f"error: {server.address} did not admit us: {why}\n"


def test_a_token_without_an_address_is_refused(files: Path) -> None:
    done = engine("play", "--game", "uttt", "--token-file", str(files / "tokens"))
    assert done.returncode == 2
    assert done.stderr == "error: --token-file, --tls, --ca: expected --address, which they belong to\n"
