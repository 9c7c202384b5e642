"""Players at an address that demand a token, or TLS: they play, or fail in one clear line."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trustme

from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError
from fiedler.support.tls import server_context
from fiedler.tournament.run import manager
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, Tables, listening, misbehaving, player

pytestmark = pytest.mark.programs

SECRET = "s3cret-of-far"
FINE = [*misbehaving("fine"), "--tcp"]
LIMIT: Tables = {"nodes": 1, "startup_s": PATIENCE}


@contextmanager
def guarded(target: str, tls: ssl.SSLContext | None = None, answer: str = "welcome") -> Iterator[str]:
    """Admission before a player: it demands the token, answers, and passes bytes on after `welcome`."""
    server = socket.create_server(("127.0.0.1", 0))

    def copy(source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)

    def admit(near: socket.socket) -> None:
        with suppress(OSError), near, near if tls is None else tls.wrap_socket(near, server_side=True) as link:
            line = b""
            while not line.endswith(b"\n"):
                line += link.recv(1)
            right = line == f"token {SECRET}\n".encode()
            link.sendall((answer if right else "refused: wrong token").encode() + b"\n")
            if right and answer == "welcome":
                with socket.create_connection((parse_address(target).host, parse_address(target).port)) as far:
                    back = threading.Thread(target=copy, args=(far, link), daemon=True)
                    back.start()
                    copy(link, far)
                    back.join(PATIENCE)

    def accept() -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=admit, args=(server.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.getsockname()[1]}"
    finally:
        server.close()


@pytest.fixture
def secrets(bench: Bench) -> Path:
    """The folder of the schedule, with a token and a certificate of 127.0.0.1."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(bench.folder / "ca.pem")
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(bench.folder / "both.pem")
    for name, text in (("token", SECRET), ("tokens", f"# all\nnear x\nfar {SECRET}"), ("wrong", "other")):
        (bench.folder / name).write_text(f"{text}\n", encoding="utf-8")
        (bench.folder / name).chmod(0o600)
    return bench.folder


def far(address: str, **more: object) -> Tables:
    return {"name": "far", "address": address, **more}


@pytest.mark.parametrize("token_file", ["token", "tokens"])
def test_the_token_is_sent_and_is_in_no_file(bench: Bench, secrets: Path, token_file: str) -> None:
    log = bench.folder / "log"
    with listening(FINE) as player_address, guarded(player_address) as address:
        bench.write([far(address, token_file=token_file), player("near")], limit=LIMIT)
        manager.run(bench.path, results=bench.results, log=log)
    assert [one.termination for one in bench.games()] == ["rules"] * 2
    written = [path for path in bench.folder.rglob("*") if path.is_file() and path.parent != secrets]
    for path in (*written, log):
        assert SECRET.encode() not in path.read_bytes(), path


def test_a_connection_is_encrypted(bench: Bench, secrets: Path) -> None:
    tls = server_context(secrets / "both.pem")
    with listening(FINE) as player_address, guarded(player_address, tls) as address:
        entry = far(address, token_file="token", tls=True, ca="ca.pem")
        games = bench.play([entry, player("near")], limit={**LIMIT, "reconnect_s": PATIENCE})
    assert [one.termination for one in games] == ["rules"] * 2


WRONG = [
    ({"token_file": "wrong"}, False, "welcome", "did not admit us: wrong token"),
    ({"token_file": "token"}, False, "refused: too many sessions", "did not admit us: too many sessions"),
    (
        {"token_file": "token"},
        False,
        "hello",
        "did not answer the token: expected welcome or refused: WHY, got 'hello'",
    ),
    (
        {"token_file": "token", "tls": True},
        True,
        "welcome",
        "the certificate is not trusted: unable to get local issuer certificate",
    ),
    ({"token_file": "token", "tls": True, "ca": "ca.pem"}, False, "welcome", "expected TLS, got another protocol"),
    ({"token_file": "token"}, True, "welcome", "before it answered the token"),
]


@pytest.mark.parametrize(("keys", "encrypted", "answer", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_a_failure_of_admission_is_one_line(
    bench: Bench, secrets: Path, keys: Tables, encrypted: bool, answer: str, message: str
) -> None:
    tls = server_context(secrets / "both.pem") if encrypted else None
    with (
        listening(FINE) as player_address,
        guarded(player_address, tls, answer) as address,
        pytest.raises(UsageError) as caught,
    ):
        bench.play([far(address, **keys), player("near")], limit=LIMIT)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert SECRET not in str(caught.value)


FILES = [
    ({"token_file": "empty"}, "empty: expected a token on a line, got none"),
    ({"tls": True, "ca": "token"}, "token: expected certificates in PEM form"),
]


@pytest.mark.parametrize(("keys", "message"), FILES, ids=[message for _, message in FILES])
def test_a_file_that_cannot_be_used_is_one_line(bench: Bench, secrets: Path, keys: Tables, message: str) -> None:
    (secrets / "empty").write_text("# nothing\n", encoding="utf-8")
    for processes in (1, 2):
        bench.processes = processes
        with pytest.raises(UsageError) as caught:
            bench.play([far("127.0.0.1:9", **keys), player("near")], tournament={"concurrency": 2})
        assert str(caught.value) == f"{secrets}/{message}"


def test_table_processes_send_the_token_as_well(bench: Bench, secrets: Path) -> None:
    bench.processes = 2
    with listening(FINE) as player_address, guarded(player_address) as address:
        entry = far(address, token_file="token")
        games = bench.play([entry, player("near")], tournament={"concurrency": 2, "games_per_pair": 8}, limit=LIMIT)
    assert [one.termination for one in games] == ["rules"] * 8
