"""Two hosts on this machine, joined by a wire that fails as a test wants.

    async with Wire(seed=1) as wire:
        server = await wire.inside("far", "engine", "serve", …)
        wire.set(Quality(delay_s=0.05, loss=0.05))

The packets pass through this process, so that no module of the kernel is needed. Root makes the hosts, or anybody where
the system allows user namespaces.
"""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import Process
from contextlib import suppress
from functools import partial
from typing import Self

from tools.wire.flows import Flows
from tools.wire.host import Host, Stream
from tools.wire.lane import Lane, Quality

NEAR, FAR = "near", "far"
ADDRESSES = {NEAR: "10.99.0.1", FAR: "10.99.0.2"}
OTHER = {NEAR: FAR, FAR: NEAR}
MOST_BYTES = 1 << 16
"""The most bytes of a packet."""
TURN = 64
"""The most packets that are read at once."""


class Wire:
    """The hosts `near` and `far`, and what lies between them; a lane has the name of the host that it leads to."""

    def __init__(self, seed: int = 0) -> None:
        """The same seed loses, delays and doubles the same packets."""
        self.hosts: dict[str, Host] = {}
        self.lanes = {to: Lane(f"{seed} {to}") for to in ADDRESSES}
        self._flows = Flows()

    async def __aenter__(self) -> Self:
        """Make the hosts; raises NoNamespaceError."""
        try:
            for name in ADDRESSES:
                await self.power_on(name)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        """End all processes of both hosts."""
        for name in [*self.hosts]:
            await self.power_off(name)

    async def inside(self, host: str, *command: str, **files: Stream) -> Process:
        """Start a program on a host; `files` are its stdin, stdout and stderr, as for asyncio."""
        return await self.hosts[host].start(*command, **files)

    def set(self, quality: Quality, *, to: str | None = None) -> None:
        """Give the lane to a host, or both, these properties; a cut stays."""
        for lane in self._lanes(to):
            lane.quality = quality

    def cut(self, *, to: str | None = None) -> None:
        """Let nothing through to a host, or to both."""
        for lane in self._lanes(to):
            lane.is_cut = True

    def heal(self) -> None:
        """End all cuts."""
        for lane in self._lanes():
            lane.is_cut = False

    def _lanes(self, to: str | None = None) -> list[Lane]:
        return [lane for name, lane in self.lanes.items() if to in (None, name)]

    def reset(self) -> None:
        """End all connections by resets, as a router does that has forgotten them: each with its next packet."""
        self._flows.forget()

    async def power_off(self, name: str) -> None:
        """Switch a host off: no word of its programs leaves it."""
        host = self.hosts.pop(name)
        asyncio.get_running_loop().remove_reader(host.device)
        await host.end()

    async def power_on(self, name: str) -> None:
        """Switch a host on, at its first address and without any program."""
        host = self.hosts[name] = await Host.create(ADDRESSES[name])
        asyncio.get_running_loop().add_reader(host.device, partial(self._read, host, OTHER[name]))

    def _read(self, host: Host, to: str) -> None:
        with suppress(BlockingIOError):
            for _ in range(TURN):
                self._pass(os.read(host.device, MOST_BYTES), host, to)

    def _pass(self, packet: bytes, host: Host, to: str) -> None:
        loop, lane = asyncio.get_running_loop(), self.lanes[to]
        moments = lane.moments(len(packet), loop.time())
        resets = self._flows.resets(packet)
        if resets is not None and moments:
            _write(host, resets[0])
            packet = resets[1]
        for moment in moments:
            loop.call_at(moment, self._deliver, to, packet)

    def _deliver(self, to: str, packet: bytes) -> None:
        if to in self.hosts:
            _write(self.hosts[to], packet)


def _write(host: Host, packet: bytes) -> None:
    with suppress(OSError):  # a full queue, or a device that is down: the packet is lost
        os.write(host.device, packet)
