"""Requests to a manager at work: `control.sock` in the folder of its run, for the owner alone.

A connection has one request, a line of JSON, and gets one answer, another line.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from pathlib import Path

import msgspec
from msgspec import Struct

from fiedler.support.errors import UsageError, UsageErrors, first_of
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.run.run_socket import OURS, connected, listening
from fiedler.tournament.run.steering import AnyRequest, Steered, Steering

FILE = "control.sock"
ANSWER_S = 3600.0
"""Most seconds for an answer: a new player may have to start."""
CHUNK = 1 << 16

log = logging.getLogger(__name__)


class ControlAnswer(Struct, frozen=True, omit_defaults=True):
    """The change that was made, or the reason of a refusal."""

    done: Steered | None = None
    refused: str = ""


class NoManagerError(UsageError):
    """No manager is at work on the run."""


async def serve(folder: Path, steering: Steering) -> None:
    """Take requests until cancelled.

    Raises:
        OSError: the folder takes no socket.

    """
    with listening(folder, FILE, OURS) as listener:
        await _serve(listener, steering)


async def _serve(listener: socket.socket, steering: Steering) -> None:
    async with asyncio.TaskGroup() as group:

        def come(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            group.create_task(_answer(reader, writer, steering))

        server = await asyncio.start_unix_server(come, sock=listener)
        async with server:
            await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, steering: Steering) -> None:
    """Answer one request; a client that leaves early changes nothing about it."""
    with contextlib.suppress(OSError):
        try:
            line = await reader.readline()
        except ValueError:  # too long
            line = b""
        writer.write(msgspec.json.encode(await _made(line, steering)) + b"\n")
        await writer.drain()
    writer.close()


async def _made(line: bytes, steering: Steering) -> ControlAnswer:
    try:
        return ControlAnswer(await steering.make(msgspec.json.decode(line, type=AnyRequest)))
    except msgspec.MsgspecError as error:
        return ControlAnswer(refused=f'expected a request as {{"do": "bench", "player": "NAME"}}: {error}')
    except UsageErrors as error:
        return ControlAnswer(refused="; ".join(str(error).splitlines()))
    except UsageError as error:
        return ControlAnswer(refused=str(error))
    except ExceptionGroup as group:
        if group.subgroup(MachineError) is None:
            raise
        return ControlAnswer(refused=str(first_of(group, MachineError)))


def ask(folder: Path, request: AnyRequest) -> Steered:
    """Have the manager of a run make a change.

    Raises:
        NoManagerError: there is none.
        UsageError: it refuses.

    """
    try:
        with connected(folder, FILE, ANSWER_S) as one:
            one.sendall(msgspec.json.encode(request) + b"\n")
            text = b"".join(iter(lambda: one.recv(CHUNK), b""))
    except PermissionError:
        raise UsageError(f"{folder / FILE}: the run belongs to another user") from None
    except OSError:
        raise NoManagerError(f"{folder}: no manager is at work on this run") from None
    if not text:
        raise UsageError(f"{folder}: the manager has ended without an answer")
    answer = msgspec.json.decode(text, type=ControlAnswer)
    if answer.done is None:
        raise UsageError(answer.refused)
    return answer.done
