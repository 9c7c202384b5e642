"""`engine serve --dial`: a player that connects to a referee."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from fiedler.engine.port.dial import Manager, dial
from fiedler.engine.port.server import Server
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.games import game
from fiedler.players import create
from fiedler.protocol.admission import Credentials
from fiedler.support.address import Address
from fiedler.support.tls import server_context
from tests.certificates import write_certificates
from tests.engine.engine_process import Serving, engine
from tests.patience import PATIENCE

CLOSED = ("the other side closed the connection", "connection reset by peer")
UTTT = ("--game", "uttt", "--player", "hsp", "--set", "seed=1")


class Referee:
    """The other side, at a port that is open or not."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE)
        self.port = int(self.listener.getsockname()[1])
        self.tls: ssl.SSLContext | None = None

    def accept(self) -> None:
        self.link, _ = self.listener.accept()
        self.link.settimeout(PATIENCE)
        if self.tls is not None:
            self.link = self.tls.wrap_socket(self.link, server_side=True)
        self.lines = self.link.makefile(encoding="utf-8")

    def ask(self, command: str) -> str:
        self.link.sendall(f"{command}\n".encode())
        return self.answer()

    def answer(self) -> str:
        return self.lines.readline().rstrip("\n")

    def leave(self) -> None:
        self.lines.close()
        self.link.close()

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
        self.listener.close()


@contextmanager
def dialling(port: int, *words: str) -> Iterator[Serving]:
    player = Serving(*UTTT, *(words or ("--protocol", "makemove")), "--dial", f"127.0.0.1:{port}")
    try:
        yield player
    finally:
        player.process.kill()
        player.process.wait()
        if player.process.stderr is not None:
            player.process.stderr.close()


def test_a_game_and_exit() -> None:
    with Referee() as referee, dialling(referee.port) as player:
        referee.accept()
        assert referee.answer() == "OK"
        assert [referee.ask(one) for one in ("GAME_RESET", "APPLY_MOVE:68", "MAKE_MOVE")] == ["OK", "OK", "MOVE:64"]
        assert referee.ask("EXIT") == "OK"
        assert referee.answer() == ""
        assert player.process.wait(PATIENCE) == 0
        assert player.rest() == f"connected to 127.0.0.1:{referee.port}\n"


def test_a_lost_referee_is_called_again() -> None:
    with Referee() as referee, dialling(referee.port) as player:
        referee.accept()
        assert referee.answer() == "OK"
        assert referee.ask("APPLY_MOVE:68") == "OK"
        referee.leave()
        assert player.line() == f"connected to 127.0.0.1:{referee.port}"
        assert player.line() == f"lost 127.0.0.1:{referee.port}; connecting again"
        referee.accept()
        assert referee.answer() == "OK"
        assert referee.ask("APPLY_MOVE:68") == "OK"  # another session, another game
        assert referee.ask("EXIT") == "OK"
        assert player.process.wait(PATIENCE) == 0


def test_a_referee_that_is_not_there_is_waited_for_until_a_signal() -> None:
    referee = Referee()
    referee.listener.close()
    with dialling(referee.port) as player:
        refused = f"cannot connect to 127.0.0.1:{referee.port}: connection refused; trying again"
        assert player.line() == refused
        assert player.end(signal.SIGTERM) == 0
        assert player.rest() == ""


@pytest.mark.parametrize(("dialect", "encrypted"), [((), False), (("--protocol", "gtp"), False), ((), True)])
def test_a_player_gives_its_name_and_token_and_plays(tmp_path: Path, dialect: tuple[str, ...], encrypted: bool) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("other x\ndeep net s3cret\n", encoding="utf-8")
    write_certificates(tmp_path)
    words = ("--name", "deep net", "--token-file", str(tokens), *dialect)
    words += ("--tls", "--ca", str(tmp_path / "ca.pem")) if encrypted else ()
    with Referee() as referee, dialling(referee.port, *words) as player:
        referee.tls = server_context(tmp_path / "both.pem") if encrypted else None
        tokens.chmod(0o600)
        for _ in range(2):  # it comes again after `quit`
            referee.accept()
            assert referee.answer() == "player deep net s3cret"
            if dialect:
                assert referee.ask("welcome\nprotocol_version") == "= 2"
                assert referee.answer() == ""
            else:
                assert referee.ask("welcome\nugi").startswith("id name ")
            referee.link.sendall(b"quit\n")
            referee.leave()
        assert player.line() == f"connected to 127.0.0.1:{referee.port}"
        assert player.line() == f"127.0.0.1:{referee.port} ended the session; connecting again"
        referee.listener.close()
        over = "connection refused, after it had ended the session: its run may be over; trying again"
        while player.line() != f"cannot connect to 127.0.0.1:{referee.port}: {over}":
            pass  # a call that waited at the port is lost first
        assert player.end(signal.SIGTERM) == 0
        assert "s3cret" not in player.rest()


def test_a_player_holds_several_connections() -> None:
    with Referee() as referee, dialling(referee.port, "--name", "deep", "--sessions", "3") as player:
        links = []
        for _ in range(3):
            referee.accept()
            assert referee.answer() == "player deep -"
            assert referee.ask("welcome\nugi").startswith("id name ")
            links.append(referee.link)
        assert player.line() == f"connected to 127.0.0.1:{referee.port}"
        for link in links:
            link.close()


def test_a_player_that_is_refused_for_its_token_ends_with_1() -> None:
    with Referee() as referee, dialling(referee.port, "--name", "deep", "--sessions", "2") as player:
        referee.accept()
        assert referee.answer() == "player deep -"
        referee.link.sendall(b"refused: unknown name or wrong token\n")
        assert player.process.wait(PATIENCE) == 1
        assert player.rest() == f"error: 127.0.0.1:{referee.port} refused 'deep': unknown name or wrong token\n"


def test_a_player_that_is_refused_for_another_reason_comes_again() -> None:
    with Referee() as referee, dialling(referee.port, "--name", "deep") as player:
        for answer in (b"refused: expected a token\n", b"HTTP/1.1 400\n", b""):
            referee.accept()
            assert referee.answer() == "player deep -"
            referee.link.sendall(answer)
            referee.leave()
        place = f"127.0.0.1:{referee.port}"
        assert player.line() == f"cannot connect to {place}: refused: expected a token; trying again"
        assert player.line().startswith(f"cannot connect to {place}: expected welcome or refused: WHY, got 'HTTP/")
        assert player.line() == f"cannot connect to {place}: no answer to the name; trying again"


def test_a_manager_that_ends_the_tls_handshake_is_named_with_a_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        port = listener.getsockname()[1]
        with dialling(port, "--name", "deep", "--tls") as player:
            with listener.accept()[0] as link:
                link.recv(1)
            why = player.line().removeprefix(f"cannot connect to 127.0.0.1:{port}: ")
            assert why in [f"{one}; trying again" for one in CLOSED]


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_connection_that_does_not_come_is_given_up(
    encrypted: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With TLS the manager leaves the handshake unanswered, else it is as silent as a firewall."""
    monkeypatch.setattr("fiedler.engine.port.dial.CONNECT_SECONDS", 0.1)
    tls = ssl.create_default_context() if encrypted else None
    reported: list[str] = []

    async def try_once(port: int) -> None:
        server = Server(EngineOffer(game("uttt"), create(game("uttt"), "random")))
        manager = Manager(Address("127.0.0.1", port), Credentials("", "deep"), tls)
        dialling = asyncio.create_task(dial(server, manager))
        async with asyncio.timeout(PATIENCE):
            while not reported:
                await asyncio.sleep(0.01)
                reported.extend(capsys.readouterr().err.splitlines())
        dialling.cancel()

    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener, ExitStack() as crowd:
        if not encrypted:  # a full queue, to which the system does not answer
            for _ in range(2):
                link = crowd.enter_context(socket.socket())
                link.setblocking(False)
                link.connect_ex(listener.getsockname())
        port = listener.getsockname()[1]
        asyncio.run(try_once(port))
    kind = "TLS connection" if encrypted else "connection"
    assert reported == [f"cannot connect to 127.0.0.1:{port}: no {kind} within 0.1 s; trying again"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--protocol", "makemove"), "--protocol makemove: expected --dial HOST:PORT, since its players open the "),
        (("--protocol", "makemove", "--stdio"), "--protocol makemove: expected --dial HOST:PORT, since its players "),
        (("--dial", "127.0.0.1:1"), "--dial: expected --name N beside it, the name of this player in the schedule"),
        (("--dial", "127.0.0.1:1", "--name", "a\nb"), "--name: expected words as a name, got 'a\\nb'"),
        (("--dial", "127.0.0.1:1", "--name", "a", "--token-file", "nowhere"), "nowhere: cannot be read: no such file"),
        (("--dial", "127.0.0.1:1", "--name", "a", "--ca", "nowhere"), "nowhere: cannot be read: no such file"),
        (("--dial", "127.0.0.1:1", "--name", "a", "--cert", "x"), "--cert: not with --dial"),
        (("--name", "a"), "--name: only with --dial, which is missing"),
        (("--key", "a"), "--key: only with --cert, which is missing"),
        (("--cert", "nowhere"), "nowhere: cannot be read: no such file or directory"),
        (("--token-file", "nowhere"), "nowhere: cannot be read: no such file or directory"),
        (("--token-file", "x", "--stdio"), "--token-file: not with --stdio"),
        (("--dial", "127.0.0.1:1", "--protocol", "makemove", "--stdio"), "--dial: not with --stdio"),
        (
            ("--dial", "nowhere", "--protocol", "makemove"),
            "expected HOST:PORT with a port from 1 to 65535, got 'nowhere'",
        ),
    ],
)
def test_a_wrong_direction_is_refused(words: tuple[str, ...], message: str) -> None:
    done = engine("serve", *UTTT, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1


def test_another_game_is_refused() -> None:
    done = engine("serve", "--game", "cube", "--protocol", "makemove", "--dial", "127.0.0.1:1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --protocol: expected one of ugi, ")
    assert done.stderr.endswith(" for cube, got makemove\n")


def test_a_pinned_port_speaks_nothing_else() -> None:
    said = "-1 -1\n81\n" + "".join(f"{row} {column}\n" for row in range(9) for column in range(9))
    done = engine("serve", *UTTT, "--protocol", "rowcol-list", "--stdio", said=said)
    assert done.stdout == "4 4\n"
    assert engine("serve", *UTTT, "--protocol", "rowcol", "--stdio", said="ugi\n").stdout.startswith("error: ")
    assert engine("serve", *UTTT, "--protocol", "ugi", "--stdio", said="4 4\n").stdout.startswith("info string error: ")
