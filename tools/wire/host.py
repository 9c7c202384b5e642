"""One end of a wire: a network namespace with a TUN device, as if it were a machine of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Self

Stream = int | IO[bytes] | None
"""A file of a program, DEVNULL or PIPE."""
HOLDER = Path(__file__).with_name("holder.py")


class NoNamespaceError(Exception):
    """No network namespace can be made here, or no TUN device in it."""


class Host:
    """A namespace; root makes it at once, anybody else in a user namespace of its own."""

    def __init__(self, address: str, device: int, holder: subprocess.Popen[str], link: socket.socket) -> None:
        self.address = address
        self.device = device
        """The file of the TUN device: it gives the packets that leave the host, and takes those that enter it."""
        self._holder = holder
        self._link = link
        self._programs: list[Process] = []

    @classmethod
    async def create(cls, address: str) -> Self:
        """Make a host with this address.

        Raises:
            NoNamespaceError: The system forbids it.
        """
        return await asyncio.to_thread(cls._create, address)

    @classmethod
    def _create(cls, address: str) -> Self:
        near, far = socket.socketpair()
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        program = [sys.executable, "-S", "-E", str(HOLDER), str(far.fileno()), address]
        command = ["unshare", "--net", *user, "--", *program]
        holder = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, pass_fds=(far.fileno(),)
        )
        far.close()
        _, devices, _, _ = socket.recv_fds(near, 1, 1)
        if not devices:
            near.close()
            raise NoNamespaceError(holder.communicate()[1].strip().rpartition("\n")[2])
        return cls(address, devices[0], holder, near)

    async def start(self, *command: str, **files: Stream) -> Process:
        """Start a program on this host; `files` are its stdin, stdout and stderr, as for asyncio."""
        program = await asyncio.create_subprocess_exec(
            *self.command(command), stdin=files.get("stdin"), stdout=files.get("stdout"), stderr=files.get("stderr")
        )
        self._programs.append(program)
        return program

    def command(self, command: Sequence[str]) -> list[str]:
        """Return the command that becomes this one on the host."""
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        return ["nsenter", f"--target={self._holder.pid}", "--net", *user, "--", *command]

    async def move(self, address: str) -> None:
        """Give the host another address; the old one is gone."""
        self.address = address
        await asyncio.to_thread(self._ask, f"{address}\n".encode())

    async def signal(self, number: signal.Signals) -> None:
        """Send a signal to all programs of the host; SIGSTOP freezes it, but its system still answers the network."""
        await asyncio.to_thread(self._ask, f"{number.value}\n".encode())

    def _ask(self, line: bytes) -> None:
        self._link.sendall(line)
        assert self._link.recv(1) == b"\n"

    async def end(self) -> None:
        """Kill every process of the host; no other machine gets a word of it."""
        os.close(self.device)
        self._link.close()
        await asyncio.to_thread(self._holder.wait)
        assert self._holder.stderr is not None
        self._holder.stderr.close()
        # a loop that closes before it learns of their ends would warn of processes that are still running
        await asyncio.gather(*(program.wait() for program in self._programs))
