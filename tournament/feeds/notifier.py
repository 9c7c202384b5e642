"""The process that sends the notices of a run: it gets them on its standard input, and ends with its parent."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress

import httpx
import msgspec

from fiedler.support.priority import give_way
from fiedler.tournament.feeds.notices import RunNotice
from fiedler.tournament.feeds.notify_process import END, WARNING, SenderSettings
from fiedler.tournament.feeds.outbox import Outbox
from fiedler.tournament.game import now

LONGEST = 2**20
"""Bytes of a line."""


async def _serve() -> None:
    reader = asyncio.StreamReader(limit=LONGEST)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    settings = msgspec.json.decode(await reader.readline(), type=SenderSettings)
    async with httpx.AsyncClient(timeout=None) as client:  # noqa: S113 - the outbox limits each try
        outbox = Outbox(client, settings.url, settings.form, _warn)
        sending = asyncio.create_task(outbox.run())
        line = b""
        async for line in reader:
            if line != END and line.endswith(b"\n"):  # else the manager was killed while it wrote
                outbox.put(msgspec.json.decode(line, type=RunNotice))
        if line != END:
            outbox.put(msgspec.structs.replace(settings.lost, at=now()))
        await outbox.finish(sending)


def _warn(text: str) -> None:
    with suppress(OSError):  # the parent was killed
        print(f"{WARNING}{text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    give_way()
    asyncio.run(_serve())
