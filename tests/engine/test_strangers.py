"""Strangers at the port of an engine: none of their idle connections takes a place of a session."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from fiedler.support.tls import client_context
from tests.certificates import write_certificates
from tests.engine.engine_process import serving
from tests.patience import PATIENCE
from tests.strangers import strangers

SECRET = "s3cret-of-a-client"
ATTEMPTS = 100


@pytest.mark.soak
@pytest.mark.parametrize(("encrypted", "count"), [(False, 256), (True, 80)])
@pytest.mark.parametrize("sources", [["127.0.0.1"], ["127.0.0.2", "127.0.0.3"]])
def test_every_client_enters_beside_idle_connections(
    tmp_path: Path, sources: list[str], count: int, *, encrypted: bool
) -> None:
    write_certificates(tmp_path)
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{SECRET}\n", "utf-8")
    tokens.chmod(0o600)
    words = ["--token-file", str(tokens), "--cert", str(tmp_path / "both.pem")] if encrypted else []
    context = client_context(tmp_path / "ca.pem") if encrypted else None

    def enter(port: int) -> str:
        with ExitStack() as stack:
            link = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            if context is not None:
                link = stack.enter_context(context.wrap_socket(link, server_hostname="127.0.0.1"))
            lines = link.makefile()
            link.sendall(f"token {SECRET}\nugi\n".encode())
            return f"{lines.readline()}{lines.readline()}"

    with serving("--game", "tictactoe", "--player", "random", *words) as server:
        with strangers(server.port, sources, count // len(sources)) as crowd:
            answers = {enter(server.port) for _ in range(ATTEMPTS)}
            assert crowd.closed > 0
        assert answers == {"welcome\nid name Fiedler random\n"}
        assert server.end() == 0
        assert server.rest() == ""
