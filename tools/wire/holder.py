"""Holds a network namespace with one end of a wire: `holder.py FD ADDRESS`, started in the namespace by `unshare`.

It makes a TUN device and sends its file over the socket FD. A line there is a new address of the device, or the number
of a signal for all other processes of the namespace; each is answered. At the end of the socket it kills them all, and
ends itself: nothing outlives its creator.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path

DEVICE = b"wire"
MTU = 1400
MASK = "255.255.255.0"
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x1, 0x1000
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFMTU = 0x8914, 0x8916, 0x891C, 0x8922
IFF_UP, IFF_RUNNING = 0x1, 0x40


def main(number: str, address: str) -> None:
    """Hold the namespace until the socket ends."""
    with socket.socket(fileno=int(number)) as creator:
        _set(b"lo", SIOCSIFFLAGS, struct.pack("H", IFF_UP | IFF_RUNNING))
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", DEVICE, IFF_TUN | IFF_NO_PI))
        _set(DEVICE, SIOCSIFMTU, struct.pack("i", MTU))
        _name(address)
        _set(DEVICE, SIOCSIFFLAGS, struct.pack("H", IFF_UP | IFF_RUNNING))
        socket.send_fds(creator, [b"\n"], [device])
        os.close(device)
        with creator.makefile("rw") as lines:
            for line in lines:
                _obey(line.strip())
                print(file=lines, flush=True)
    while _signal(signal.SIGKILL):
        pass


def _obey(word: str) -> None:
    if word.isdigit():
        _signal(int(word))
    else:
        _name(word)


def _name(address: str) -> None:
    """Give the device this address, and no other."""
    _set(DEVICE, SIOCSIFADDR, _packed(address))
    _set(DEVICE, SIOCSIFNETMASK, _packed(MASK))


def _packed(address: str) -> bytes:
    return struct.pack("HH4s", socket.AF_INET, 0, socket.inet_aton(address))


def _set(device: bytes, request: int, value: bytes) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, request, struct.pack("16s24s", device, value))


def _signal(number: int) -> bool:
    """Send a signal to all other processes; return whether there were any."""
    others = _others()
    for process in others:
        with suppress(OSError):
            os.kill(process, number)
    return bool(others)


def _others() -> list[int]:
    """Return the other processes of this namespace that live."""
    own, found = Path("/proc/self/ns/net").readlink(), []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):  # it has ended, or is another user's
            if folder.name.isdigit() and (folder / "ns/net").readlink() == own:
                found.append(int(folder.name))
    return [process for process in found if process != os.getpid()]


if __name__ == "__main__":
    main(*sys.argv[1:])
