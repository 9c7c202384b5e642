"""A player that connects to a referee, and again if the connection is lost."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from engine.connection import Connection
from engine.server import Server, finish, termination
from games import Game
from players import Factory
from support.address import Address, reason

FIRST_RETRY_SECONDS = 1.0
"""The time to the first retry; it doubles with every failure."""
LAST_RETRY_SECONDS = 30.0


async def dial(game: Game, factory: Factory, address: Address, dialect: str) -> int:
    """Play until the referee ends the conversation, or until SIGINT or SIGTERM; return the exit code.

    Reports on standard error when it is connected, and why it is not.
    """
    server = Server(game, factory, pinned=dialect)
    ended = termination()
    playing = asyncio.create_task(_play(server, address))
    either: set[asyncio.Future[Any]] = {ended, playing}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if playing.done():
        playing.result()  # an error of ours
    playing.cancel()
    return await finish(server, ended.result() if ended.done() else None)


async def _play(server: Server, address: Address) -> None:
    """Connect, and connect again until a conversation has come to its end."""
    retry, complaint = FIRST_RETRY_SECONDS, ""
    while True:
        try:
            connection = await _connected(server, address)
        except (OSError, UnicodeError) as error:
            if complaint != (complaint := reason(error)):
                _report(f"cannot connect to {address}: {complaint}; trying again")
            await asyncio.sleep(retry)
            retry = min(2 * retry, LAST_RETRY_SECONDS)
            continue
        _report(f"connected to {address}")
        if await connection.finished:
            return
        retry, complaint = FIRST_RETRY_SECONDS, ""
        _report(f"lost {address}; connecting again")
        await asyncio.sleep(retry)


async def _connected(server: Server, address: Address) -> Connection:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(lambda: Connection(server), address.host, address.port)
    return connection


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
