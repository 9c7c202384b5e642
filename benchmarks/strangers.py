"""Strangers at a port: how fast a legitimate client enters beside them, and what they cost.

    python -m benchmarks.strangers pages        # 100 entries beside 384 idle connections of each kind, 400 files
    python -m benchmarks.strangers floods       # the memory of the pages before, in and after floods of headers
    python -m benchmarks.strangers engine       # 100 entries at an engine with TLS beside 2 × 40 idle handshakes
    python -m benchmarks.strangers manager      # 100 answers of a manager with TLS beside them, and its games

Each prints one JSON object. The strangers are a process of their own.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import click
import uvloop

from fiedler.support.tls import client_context
from fiedler.tournament.run.store import Store
from tests.certificates import write_certificates
from tests.engine.engine_process import serving
from tests.tournament.line import free_port

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
PROGRAMS = Path(sys.executable).parent
SCHEDULE = """
[tournament]
name = "strangers"
game = "uttt"
games_per_pair = 100000
[limit]
movetime_ms = 1000
startup_s = 60
[[players]]
name = "far"
dial_in = true
[[players]]
name = "near"
player = "random"
"""
CONNECTED = "refused: all sessions are connected"
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
        server = [sys.executable, "-m", "fiedler.web", name, "--port", "0", "--token-file", str(tokens)]
        with subprocess.Popen([*limit, *server], cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                yield int(process.stderr.readline().rstrip("/\n").rpartition(":")[2]), process.pid
            finally:
                process.terminate()


# --- entries ----------------------------------------------------------------------------------------------------------


@contextmanager
def crowd(port: int, count: int, kind: str, source: str = "127.0.0.1") -> Iterator[None]:
    """Have this number of strangers at a port; a connection that is closed opens again at once."""
    command = [sys.executable, "-m", "benchmarks.strangers", "crowd", str(port), str(count), kind, source]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            process.terminate()


async def come(port: int, count: int, words: bytes, source: str) -> None:
    """Be a crowd until the process ends."""
    opened = [asyncio.Event() for _ in range(count)]
    async with asyncio.TaskGroup() as group:
        for event in opened:
            group.create_task(_come_again(port, words, source, event))
        for event in opened:
            await event.wait()
        print("ready", flush=True)


async def _come_again(port: int, words: bytes, source: str, opened: asyncio.Event) -> None:
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
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


# --- the ports of an engine and of a manager --------------------------------------------------------------------------


@contextmanager
def secrets() -> Iterator[Path]:
    """Make a folder with certificates and with tokens, those of a server and of a manager."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_certificates(folder)
        for file, text in (("tokens", TOKEN), ("players", f"far {TOKEN}")):
            (folder / file).write_text(text, "utf-8")
            (folder / file).chmod(0o600)
        yield folder


def answered(port: int, context: ssl.SSLContext, first: str, last: str) -> float:
    """Send first lines over TLS; return the seconds until a line that begins so, or infinity without one."""
    began = time.monotonic()
    try:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as link,
        ):
            link.sendall(first.encode())
            found = any(line.startswith(last) for line in link.makefile())
    except OSError:
        return float("inf")
    return time.monotonic() - began if found else float("inf")


def beside_handshakes(port: int, strangers: int, attempts: int, entry: Callable[[], float]) -> dict[str, Any]:
    """Return the summaries of attempts alone, and beside idle handshakes of two addresses."""
    alone = summary([entry() for _ in range(attempts)])
    with crowd(port, strangers, "silent", "127.0.0.2"), crowd(port, strangers, "silent", "127.0.0.3"):
        beside = summary([entry() for _ in range(attempts)])
    return {"strangers": 2 * strangers, "attempts": attempts, "alone": alone, "idle handshakes": beside}


def measured_engine(strangers: int, attempts: int) -> dict[str, Any]:
    """Measure from the connection to `ugiok`."""
    with secrets() as folder:
        context = client_context(folder / "ca.pem")
        words = ("--token-file", str(folder / "tokens"), "--cert", str(folder / "both.pem"))
        with serving("--game", "uttt", "--player", "random", *words) as server:
            entry = partial(answered, server.port, context, f"token {TOKEN}\nugi\n", "ugiok")
            return beside_handshakes(server.port, strangers, attempts, entry)


def measured_manager(strangers: int, attempts: int) -> dict[str, Any]:
    """Measure from the connection to the answer, that the player has all its connections, while it plays."""
    with secrets() as folder:
        port = free_port()
        (folder / "s.toml").write_text(SCHEDULE, "utf-8")
        entry = partial(answered, port, client_context(folder / "ca.pem"), f"player far {TOKEN}\n", CONNECTED)
        with playing(folder, port):
            while '"event":"finished"' not in events(folder):
                time.sleep(0.1)
            found = beside_handshakes(port, strangers, attempts, entry)
        with closing(Store.open(folder / "strangers")) as store:
            return found | {"ends of games": Counter(game.termination for game in store.games())}


def events(folder: Path) -> str:
    """Return the log of the run without blanks; it has none before its start."""
    log = folder / "strangers" / "events.jsonl"
    return log.read_text("utf-8").replace(" ", "") if log.exists() else ""


@contextmanager
def playing(folder: Path, port: int) -> Iterator[None]:
    """Play the schedule of a folder, with a player that dials in at a port with TLS, until the end of the context."""
    tokens, quiet = ("--token-file", str(folder / "players")), subprocess.DEVNULL
    listen = ("--listen", f"127.0.0.1:{port}", *tokens, "--cert", str(folder / "both.pem"))
    run = [str(PROGRAMS / "tournament"), "run", str(folder / "s.toml"), "--results", str(folder), "--quiet", *listen]
    dial = ("--game", "uttt", "--player", "random", "--dial", f"127.0.0.1:{port}", "--name", "far", *tokens)
    far = [str(PROGRAMS / "engine"), "serve", *dial, "--tls", "--ca", str(folder / "ca.pem")]
    with (
        subprocess.Popen(run, stdout=quiet, stderr=quiet) as manager,
        subprocess.Popen(far, stderr=subprocess.PIPE, text=True) as player,
    ):
        try:
            assert player.stderr is not None
            while not player.stderr.readline().startswith("connected to "):
                assert player.poll() is None
            yield
        finally:
            manager.terminate()
            manager.wait()
            player.kill()


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


@main.command()
@click.option("--strangers", default=40, show_default=True, help="Of each of two addresses.")
@click.option("--attempts", default=100, show_default=True)
def engine(strangers: int, attempts: int) -> None:
    """Entries of a client of an engine with TLS beside idle handshakes. Mark: all within 1 s."""
    print(json.dumps(measured_engine(strangers, attempts)))


@main.command()
@click.option("--strangers", default=40, show_default=True, help="Of each of two addresses.")
@click.option("--attempts", default=100, show_default=True)
def manager(strangers: int, attempts: int) -> None:
    """Answers of a manager with TLS to a player beside idle handshakes. Mark: all within 1 s, no game lost."""
    print(json.dumps(measured_manager(strangers, attempts)))


@main.command(name="crowd", hidden=True)
@click.argument("port", type=int)
@click.argument("count", type=int)
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("source")
def crowd_(port: int, count: int, kind: str, source: str) -> None:
    """Be a crowd of strangers."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(come(port, count, KINDS[kind], source))


if __name__ == "__main__":
    main()
