"""Two hosts and the wire between them: real programs, real packets."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

import pytest

from tests.patience import PATIENCE, until
from tools.wire.host import NoNamespaceError
from tools.wire.lane import Quality
from tools.wire.wire import Wire

ECHO = """
import socket
with socket.create_server(("", 5000)) as listener:
    print("listening", flush=True)
    while True:
        link = listener.accept()[0]
        try:
            while data := link.recv(65536):
                link.sendall(data)
        except OSError as error:
            print(type(error).__name__, flush=True)
"""
SAY = """
import socket, sys
link = socket.create_connection(("10.99.0.2", 5000))
print("connected", flush=True)
for line in sys.stdin:
    try:
        link.sendall(line.encode())
        answer = b""
        while not answer.endswith(b"\\n"):
            answer += link.recv(65536)
        print(answer.decode(), end="", flush=True)
    except OSError as error:
        print(type(error).__name__, flush=True)
"""


async def python(wire: Wire, host: str, program: str) -> Process:
    return await wire.inside(host, sys.executable, "-S", "-E", "-c", program, stdin=PIPE, stdout=PIPE)


async def line(process: Process) -> str:
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE):
        return (await process.stdout.readline()).decode().rstrip("\n")


async def echo(wire: Wire) -> Process:
    """Start the server on the far host."""
    server = await python(wire, "far", ECHO)
    assert await line(server) == "listening"
    return server


async def client(wire: Wire) -> Process:
    one = await python(wire, "near", SAY)
    assert await line(one) == "connected"
    return one


async def answer(one: Process, text: str) -> str:
    say(one, text)
    return await line(one)


def say(one: Process, text: str) -> None:
    assert one.stdin is not None
    one.stdin.write(f"{text}\n".encode())


async def until_lost(wire: Wire, to: str) -> None:
    """Wait until a packet has been lost."""
    lost = wire.lanes[to].lost
    await until(lambda: wire.lanes[to].lost > lost)


async def test_the_hosts_reach_each_other_after_the_delay(wire: Wire) -> None:
    await echo(wire)
    one = await client(wire)
    wire.set(Quality(delay_s=0.05))
    began = time.monotonic()
    assert await answer(one, "hello") == "hello"
    assert time.monotonic() - began >= 0.1


async def test_everything_arrives_in_order_over_a_bad_line(wire: Wire) -> None:
    await echo(wire)
    one = await client(wire)
    wire.set(Quality(delay_s=0.001, jitter_s=0.005, loss=0.05, duplicate=0.1, reorder=0.1))
    text = "".join(f"{number} " for number in range(10_000))
    for _ in range(4):
        assert await answer(one, text) == text
    assert min(lane.lost for lane in wire.lanes.values()) > 0


@pytest.mark.parametrize("to", ["near", "far", None])
async def test_a_cut_line_keeps_its_connections(wire: Wire, to: str | None) -> None:
    await echo(wire)
    one = await client(wire)
    wire.cut(to=to)
    say(one, "hello")
    await until_lost(wire, to or "far")
    wire.heal()
    assert await line(one) == "hello"


async def test_resets_reach_both_ends(wire: Wire) -> None:
    server = await echo(wire)
    one = await client(wire)
    assert await answer(one, "hello") == "hello"
    wire.reset()
    assert await answer(one, "hello") == "ConnectionResetError"
    assert await line(server) == "ConnectionResetError"
    assert await answer(await client(wire), "hello") == "hello"


async def test_a_host_that_is_switched_off_says_no_word(wire: Wire) -> None:
    server = await echo(wire)
    one = await client(wire)
    assert await answer(one, "hello") == "hello"
    await wire.power_off("far")
    assert await server.wait() < 0
    say(one, "hello")
    await wire.power_on("far")
    assert await line(one) == "ConnectionResetError"  # the new host knows of no connection
    await echo(wire)
    assert await answer(await client(wire), "hello") == "hello"


async def test_a_host_with_another_address_has_left_the_old_one(wire: Wire) -> None:
    await echo(wire)
    one = await client(wire)
    await wire.hosts["far"].move("10.99.0.3")
    say(one, "hello")
    await wire.hosts["far"].move("10.99.0.2")
    assert await line(one) == "hello"


async def test_a_frozen_host_answers_later(wire: Wire) -> None:
    server = await echo(wire)
    one = await client(wire)
    await wire.hosts["far"].signal(signal.SIGSTOP)
    say(one, "hello")
    assert state(server.pid) == "T"
    await wire.hosts["far"].signal(signal.SIGCONT)
    assert await line(one) == "hello"


async def test_no_program_outlives_its_host(wires: None) -> None:
    child = f"subprocess.Popen(['sleep', '{PATIENCE}'], start_new_session=True, stdout=subprocess.DEVNULL)"
    program = f"import subprocess; print({child}.pid)"
    async with Wire() as wire:
        parent = await wire.inside("near", sys.executable, "-c", program, stdout=PIPE, stdin=DEVNULL)
        orphan = int(await line(parent))
        await parent.wait()
        assert state(orphan) != "Z"
    assert state(orphan) == "Z"


async def test_a_system_without_tun_devices_gives_its_reason(
    wires: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = tmp_path / "holder.py"
    holder.write_text("open('/no-such-folder/tun')", "utf-8")
    monkeypatch.setattr("tools.wire.host.HOLDER", holder)
    with pytest.raises(NoNamespaceError, match="No such file or directory: '/no-such-folder/tun'"):
        async with Wire():
            pass


def state(process: int) -> str:
    """Return the state of a process as `ps` does; Z: it has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return "Z"
