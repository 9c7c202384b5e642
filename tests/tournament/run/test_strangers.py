"""Strangers at the port of a manager: they keep no player out, and no game is lost by them."""

from __future__ import annotations

import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from fiedler.support.tls import client_context
from tests.certificates import write_certificates
from tests.engine.engine_process import ENGINE
from tests.patience import PATIENCE, wait_until
from tests.strangers import strangers
from tests.tournament.line import free_port
from tests.tournament.manager_process import Manager
from tests.tournament.run.test_dial_in import connects
from tests.tournament.schedules import Bench, Tables, player

SECRET = "s3cret-of-far"
FAR: Tables = {"name": "far", "dial_in": True}
ATTEMPTS = 100
CONNECTED = "refused: all sessions are connected"
"""The answer to the right token of a player that is in its game."""


def answer(port: int, context: ssl.SSLContext) -> str:
    """Return the answer of a manager to the player `far`."""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as link,
    ):
        link.sendall(f"player far {SECRET}\n".encode())
        return link.makefile().readline().strip()


@pytest.mark.soak
@pytest.mark.parametrize("sources", [["127.0.0.1"], ["127.0.0.2", "127.0.0.3"]])
def test_idle_handshakes_keep_no_player_out_and_no_game_is_lost(
    bench: Bench, tmp_path: Path, sources: list[str]
) -> None:
    port = free_port()
    write_certificates(tmp_path)
    tokens = tmp_path / "tokens"
    tokens.write_text(f"far {SECRET}\n", "utf-8")
    tokens.chmod(0o600)
    near = player("near", "held", 2)
    bench.write([FAR, near], tournament={"games_per_pair": 20}, limit={"nodes": 1, "startup_s": PATIENCE})
    admission = ("--listen", f"127.0.0.1:{port}", "--token-file", str(tokens), "--cert", str(tmp_path / "both.pem"))
    manager = Manager(bench, *admission, "--quiet")
    wait_until(lambda: connects(port))
    reach = ("--token-file", str(tokens), "--tls", "--ca", str(tmp_path / "ca.pem"))
    dial = ("--game", "tictactoe", "--player", "random", "--dial", f"127.0.0.1:{port}", "--name", "far")
    with strangers(port, sources, 80 // len(sources)) as crowd:
        with subprocess.Popen([ENGINE, "serve", *dial, *reach], stderr=subprocess.DEVNULL) as far:
            context = client_context(tmp_path / "ca.pem")
            wait_until((bench.folder / "holding").exists)
            answers = [answer(port, context) for _ in range(ATTEMPTS)]
            (bench.folder / "released").touch()
            code, errors = manager.end()
            far.kill()
        assert crowd.closed > 0
    assert answers == [CONNECTED] * ATTEMPTS
    assert code == 0, errors
    assert [one.termination for one in bench.games()] == ["rules"] * 20
