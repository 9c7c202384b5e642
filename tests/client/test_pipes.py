"""The pipes of a program: long lines, programs that do not read, closed ends."""

from __future__ import annotations

import asyncio
import os

from fiedler.client.pipes import ReadEnd, WriteEnd
from tests.patience import PATIENCE


async def test_data_for_a_full_pipe_is_sent_later() -> None:
    reader, writer = os.pipe()
    received = bytearray()
    full, over = asyncio.Event(), asyncio.Event()
    outgoing = WriteEnd(os.fdopen(writer, "wb", buffering=0))
    sent = [bytes([65 + number]) * 50_000 for number in range(8)]
    for data in sent:
        outgoing.write(data)

    def receive(data: bytes) -> None:
        received.extend(data)
        if len(received) == 400_000:
            full.set()

    incoming = ReadEnd(os.fdopen(reader, "rb", buffering=0), receive, over.set)
    async with asyncio.timeout(PATIENCE):
        await full.wait()
        outgoing.close()
        await over.wait()
    assert received == b"".join(sent)
    assert incoming.is_closed


async def test_data_without_a_reader_is_dropped() -> None:
    reader, writer = os.pipe()
    outgoing = WriteEnd(os.fdopen(writer, "wb", buffering=0))
    outgoing.write(b"x" * 100_000)
    os.close(reader)
    await asyncio.sleep(0.01)
    outgoing.write(b"more")
    outgoing.close()
    outgoing.close()


async def test_the_end_is_reported_once() -> None:
    reader, writer = os.pipe()
    received: list[str] = []
    over = asyncio.Event()

    def end() -> None:
        received.append("end")
        over.set()

    incoming = ReadEnd(os.fdopen(reader, "rb", buffering=0), lambda data: received.append(data.decode()), end)
    os.write(writer, b"last")
    os.close(writer)
    async with asyncio.timeout(PATIENCE):
        await over.wait()
    incoming.close()
    await asyncio.sleep(0.01)
    assert received == ["last", "end"]
