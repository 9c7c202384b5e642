"""Our own engine dials in, and serves with tokens: in every way over real sockets."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from fiedler.support.address import Address
from fiedler.support.errors import UsageError
from fiedler.tournament.game import GameRecord
from fiedler.tournament.play.admission import Listening
from fiedler.tournament.run import manager
from tests.engine.engine_process import ENGINE, serving
from tests.patience import PATIENCE
from tests.tournament.line import Cut, free_port, line_to
from tests.tournament.schedules import Bench, Tables

SECRET = "s3cret-of-far"
FAR: Tables = {"name": "far", "dial_in": True}
NEAR: Tables = {"name": "near", "player": "negamax", "options": {"depth": 2}}
CONNECT4: Tables = {"game": "connect4"}
LIMIT: Tables = {"movetime_ms": 1000 * round(PATIENCE), "startup_s": PATIENCE}


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    """The tokens of the manager and of the player."""
    return write_tokens(tmp_path)


def write_tokens(folder: Path) -> Path:
    path = folder / "tokens"
    path.write_text(f"far {SECRET}\n", encoding="utf-8")
    path.chmod(0o600)
    return path


@contextmanager
def dialling(address: str, token_file: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    words = [ENGINE, "serve", "--game", "connect4", "--player", "negamax", "--set", "depth=3"]
    words += ["--dial", address, "--name", "far", "--token-file", str(token_file), *options]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as engine:
        try:
            yield engine
        finally:
            engine.terminate()


def play(
    bench: Bench, listening: Listening, *, protocol: str = "ugi", log: Path | None = None, **changes: Tables
) -> list[GameRecord]:
    tables = {"tournament": CONNECT4, "limit": LIMIT, "openings": {"plies": 2}, **changes}
    bench.write([{**FAR, "protocol": protocol}, NEAR], **tables)
    manager.run(bench.path, results=bench.results, log=log, listening=listening)
    return bench.games()


def at(port: int, token_file: Path, cert: Path | None = None) -> Listening:
    return Listening.read(Address("127.0.0.1", port), token_file, cert, None)


CUTS: dict[str, tuple[str, tuple[Cut, ...]]] = {
    "ugi, also in the first handshake": ("ugi", ((b"ugiok", 1), (b"go ", 3), (b"bestmove", 2))),
    "gtp": ("gtp", ((b"genmove ", 2),)),
    "uci": ("uci", ((b"bestmove", 3),)),
}


def played_through(bench: Bench, tokens: Path, protocol: str, cuts: tuple[Cut, ...]) -> list[tuple[object, ...]]:
    """Return the games of a run whose line has these cuts."""
    port = free_port()
    with line_to(f"127.0.0.1:{port}", *cuts) as line, dialling(line.address, tokens):
        limit = {**LIMIT, "reconnect_s": PATIENCE}
        games = play(bench, at(port, tokens), limit=limit, protocol=protocol)
        assert line.cuts_left == 0
    assert {one.termination for one in games} == {"rules"}
    return [(one.id, one.moves, one.result) for one in games]


@pytest.fixture(scope="module")
def uncut(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    """The games of a line without a cut: the players play the same in every protocol."""
    folder = tmp_path_factory.mktemp("uncut")
    return played_through(Bench(folder), write_tokens(folder), "ugi", ())


@pytest.mark.parametrize(("protocol", "cuts"), CUTS.values(), ids=CUTS)
def test_it_returns_to_its_game(
    bench: Bench, token_file: Path, uncut: list[tuple[object, ...]], protocol: str, cuts: tuple[Cut, ...]
) -> None:
    assert played_through(bench, token_file, protocol, cuts) == uncut


def test_it_plays_two_games_at_a_time(bench: Bench, token_file: Path) -> None:
    port, log = free_port(), bench.folder / "log"
    with dialling(f"127.0.0.1:{port}", token_file, "--sessions", "2"):
        more = {**CONNECT4, "concurrency": 2, "games_per_pair": 8}
        games = play(bench, at(port, token_file), tournament=more, log=log)
    assert [one.termination for one in games] == ["rules"] * 8
    text = log.read_text("utf-8")
    assert " far#1 > go " in text
    assert " far#2 > go " in text
    assert " far#3 " not in text
    assert SECRET not in text


def test_it_waits_until_the_manager_listens_again(bench: Bench, token_file: Path) -> None:
    port = free_port()
    with dialling(f"127.0.0.1:{port}", token_file):
        for name in ("first", "second"):
            bench.results = bench.folder / name
            assert {one.termination for one in play(bench, at(port, token_file))} == {"rules"}


def test_its_wrong_token_ends_it(bench: Bench, token_file: Path) -> None:
    port = free_port()
    wrong = bench.folder / "wrong"
    wrong.write_text("other\n", encoding="utf-8")
    wrong.chmod(0o600)
    with dialling(f"127.0.0.1:{port}", wrong) as engine:
        assert engine.stderr is not None
        assert "cannot connect" in engine.stderr.readline()  # it is running, and tries again after 1, 2 … s
        with pytest.raises(UsageError, match="player 'far': did not dial in within 10 s"):
            play(bench, at(port, token_file), limit={"movetime_ms": 1000, "startup_s": 10})
        assert engine.wait(PATIENCE) == 1
        assert "unknown name or wrong token" in engine.stderr.read()


def test_its_line_is_encrypted(bench: Bench, token_file: Path) -> None:
    authority, port = trustme.CA(), free_port()
    authority.cert_pem.write_to_path(bench.folder / "ca.pem")
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(bench.folder / "both.pem")
    options = ("--tls", "--ca", str(bench.folder / "ca.pem"))
    with dialling(f"127.0.0.1:{port}", token_file, *options):
        games = play(bench, at(port, token_file, bench.folder / "both.pem"))
    assert [one.termination for one in games] == ["rules"] * 2


@pytest.mark.parametrize("token", [SECRET, "other"])
def test_a_server_demands_its_token(bench: Bench, token: str) -> None:
    for name, text in (("server", SECRET), ("client", token)):
        (bench.folder / name).write_text(f"{text}\n", encoding="utf-8")
        (bench.folder / name).chmod(0o600)
    arguments = ("--game", "connect4", "--player", "negamax", "--set", "depth=3")
    with serving(*arguments, "--token-file", str(bench.folder / "server")) as server:
        far: Tables = {"name": "far", "address": server.address, "token_file": "client"}
        if token == SECRET:
            games = bench.play([far, NEAR], tournament=CONNECT4, limit=LIMIT)
            assert [one.termination for one in games] == ["rules"] * 2
        else:
            with pytest.raises(UsageError, match="player 'far': did not admit us: "):
                bench.play([far, NEAR], tournament=CONNECT4, limit=LIMIT)
