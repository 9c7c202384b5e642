"""A connection with TLS that both sides have ended can be cut."""

from __future__ import annotations

import asyncio
from pathlib import Path

from fiedler.support.tls import client_context, server_context
from fiedler.support.transport import abort
from tests.certificates import write_certificates
from tests.patience import PATIENCE


async def test_a_connection_that_was_closed_twice_is_cut(tmp_path: Path) -> None:
    write_certificates(tmp_path)
    served = server_context(tmp_path / "both.pem")
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=served) as server:
        port = server.sockets[0].getsockname()[1]
        trusted = client_context(tmp_path / "ca.pem")
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusted)
        assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
        writer.close()
        writer.close()
        abort(writer.transport)
