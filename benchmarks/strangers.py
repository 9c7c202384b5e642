"""Strangers at a port: how fast a legitimate client enters beside them, and what they cost.

    python -m benchmarks.strangers pages        # 100 entries beside 384 idle connections of each kind, 400 files
    python -m benchmarks.strangers floods       # the memory of the pages before, in and after floods of headers

Each prints one JSON object. The strangers are a process of their own.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

import click
import uvloop

ROOT = Path(__file__).parents[1]
TOKEN = "a-token-of-a-visitor"  # noqa: S105 - made up
HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"
KINDS = {
    "silent": b"",
    "half a head": HEAD,
    "a head, no body": b"POST /login HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
    "answered": HEAD + b"\r\n",
}
"""What an idle connection has said."""
FLOODS = {"one header": b"A: " + b"x" * (1 << 20), "many headers": b"a: b\r\n" * (1 << 18), "a line": b"x" * (1 << 20)}
PATIENCE_S = 60.0
LONGEST_S = 1.0
"""The mark: an entry within this time."""


@contextmanager
def served(files: int) -> Iterator[tuple[int, int]]:
    """Serve the pages with a token and this number of files; yield the port and the process id."""
    with tempfile.TemporaryDirectory() as name:
        tokens = Path(name) / "tokens"
        tokens.write_text(TOKEN, "utf-8")
        tokens.chmod(0o600)
        limit = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"]
        server = [sys.executable, "-m", "web", name, "--port", "0", "--token-file", str(tokens)]
        with subprocess.Popen([*limit, *server], cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                yield int(process.stderr.readline().rstrip("/\n").rpartition(":")[2]), process.pid
            finally:
                process.terminate()


# --- entries ----------------------------------------------------------------------------------------------------------


@contextmanager
def crowd(port: int, count: int, kind: str) -> Iterator[None]:
    """Have this number of strangers at a port; a connection that is closed opens again at once."""
    command = [sys.executable, "-m", "benchmarks.strangers", "crowd", str(port), str(count), kind]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            process.terminate()


async def come(port: int, count: int, words: bytes) -> None:
    """Be a crowd until the process ends."""
    opened = [asyncio.Event() for _ in range(count)]
    async with asyncio.TaskGroup() as group:
        for event in opened:
            group.create_task(_come_again(port, words, event))
        for event in opened:
            await event.wait()
        print("ready", flush=True)


async def _come_again(port: int, words: bytes, opened: asyncio.Event) -> None:
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            opened.set()
            writer.write(words)
            while await reader.read(1 << 16):
                pass
            writer.close()
        await asyncio.sleep(0.01)


def entered(port: int) -> float:
    """Show the token on a new connection; return the seconds until the answer, or infinity without one."""
    began = time.monotonic()
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        link.request("GET", "/api/runs", headers={"Authorization": f"Bearer {TOKEN}"})
        return time.monotonic() - began if link.getresponse().status == http.HTTPStatus.OK else float("inf")
    except OSError:
        return float("inf")
    finally:
        link.close()


def measured_entries(files: int, strangers: int, attempts: int) -> dict[str, Any]:
    """Return for each kind of stranger how many entries were in time, and their milliseconds."""
    found: dict[str, Any] = {"files": files, "strangers": strangers, "attempts": attempts}
    with served(files) as (port, _):
        entered(port)
        found["alone"] = summary([entered(port) for _ in range(attempts)])
        for kind in KINDS:
            with crowd(port, strangers, kind):
                found[kind] = summary([entered(port) for _ in range(attempts)])
    return found


def summary(times: list[float]) -> dict[str, Any]:
    """Return how many of some seconds are within LONGEST_S, their median and their maximum."""
    inside = sum(one <= LONGEST_S for one in times)
    return {"within 1 s": inside, "median ms": round(1000 * median(times), 1), "most ms": round(1000 * max(times), 1)}


# --- memory -----------------------------------------------------------------------------------------------------------


def memory(process: int) -> float:
    """Return the resident megabytes of a process."""
    text = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(text.partition("VmRSS:")[2].split()[0]) / 1024


async def flood(port: int, words: bytes, megabytes: int) -> None:
    """Send a head that does not end, on one connection after another if need be."""
    left = megabytes
    while left > 0:
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(HEAD)
            while left > 0:
                left -= 1
                writer.write(words)
                await writer.drain()
            writer.close()


async def floods(port: int, process: int, megabytes: int) -> float:
    """Send the floods at the same time; return the most megabytes of the server meanwhile."""
    sending = asyncio.gather(*(flood(port, words, megabytes) for words in FLOODS.values()))
    most = memory(process)
    while not sending.done():
        most = max(most, memory(process))
        await asyncio.sleep(0.01)
    await sending
    return most


def measured_floods(megabytes: int) -> dict[str, Any]:
    """Return the memory of the pages before, in and after floods, in megabytes."""
    with served(400) as (port, process):
        entered(port)
        before = memory(process)
        most = asyncio.run(floods(port, process, megabytes))
        entered(port)
        numbers = {"before": before, "most": most, "after": memory(process)}
    return {"floods": len(FLOODS), "MB each": megabytes, **{name: round(value, 1) for name, value in numbers.items()}}


# --- the command line -------------------------------------------------------------------------------------------------


@click.group()
def main() -> None:
    """Measure strangers at a port."""


@main.command()
@click.option("--files", default=400, show_default=True, help="Files that the server may open.")
@click.option("--strangers", default=384, show_default=True)
@click.option("--attempts", default=100, show_default=True)
def pages(files: int, strangers: int, attempts: int) -> None:
    """Entries of a visitor of the pages beside idle connections. Mark: all within 1 s."""
    print(json.dumps(measured_entries(files, strangers, attempts)))


@main.command(name="floods")
@click.option("--megabytes", default=150, show_default=True, help="Of each of three floods.")
def floods_(megabytes: int) -> None:
    """The memory of the pages in floods of headers. Mark: flat."""
    print(json.dumps(measured_floods(megabytes)))


@main.command(name="crowd", hidden=True)
@click.argument("port", type=int)
@click.argument("count", type=int)
@click.argument("kind", type=click.Choice(list(KINDS)))
def crowd_(port: int, count: int, kind: str) -> None:
    """Be a crowd of strangers."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(come(port, count, KINDS[kind]))


if __name__ == "__main__":
    main()
