"""Connections on a wire, and the resets of a router that has forgotten them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Self

TCP = 6
FIN, SYN, RST, ACK = 1, 2, 4, 16
IPV4, TCP_WORDS = 0x45, 5
TTL = 64

End = tuple[bytes, int]
"""An address and a port."""


@dataclass(frozen=True)
class Segment:
    """The parts of a TCP packet that a reset needs."""

    source: End
    target: End
    seq: int
    ack: int
    flags: int

    @classmethod
    def read(cls, packet: bytes) -> Self | None:
        """Return the segment of an IPv4 packet; None: it is not TCP."""
        if packet[0] >> 4 != IPV4 >> 4 or packet[9] != TCP:
            return None
        start = 4 * (packet[0] & 15)
        near, far, seq, ack, _, flags = struct.unpack_from(">HHIIBB", packet, start)
        return cls((packet[12:16], near), (packet[16:20], far), seq, ack, flags)

    @property
    def flow(self) -> frozenset[End]:
        """Return the connection."""
        return frozenset((self.source, self.target))

    def resets(self) -> tuple[bytes, bytes]:
        """Return the resets for the sender and for the receiver, each as if it came from the other one."""
        return _reset(self.target, self.source, self.ack), _reset(self.source, self.target, self.seq)


class Flows:
    """The connections that a wire has seen, and those of them that its router has forgotten."""

    def __init__(self) -> None:
        self._known: set[frozenset[End]] = set()
        self._forgotten: set[frozenset[End]] = set()

    def forget(self) -> None:
        """Forget all connections so far: each further packet of them is answered by resets."""
        self._forgotten |= self._known

    def resets(self, packet: bytes) -> tuple[bytes, bytes] | None:
        """Note a packet; return the resets for its sender and its receiver if its connection is forgotten."""
        segment = Segment.read(packet)
        if segment is None:
            return None
        self._known.add(segment.flow)
        if segment.flow in self._forgotten and not segment.flags & RST:
            return segment.resets()
        return None


def _reset(source: End, target: End, seq: int) -> bytes:
    """Return an IPv4 packet with a TCP reset."""
    segment = struct.pack(">HHIIBBHHH", source[1], target[1], seq, 0, TCP_WORDS << 4, RST, 0, 0, 0)
    pseudo = struct.pack(">4s4sBBH", source[0], target[0], 0, TCP, len(segment))
    segment = segment[:16] + _checksum(pseudo + segment) + segment[18:]
    head = struct.pack(">BBHHHBBH4s4s", IPV4, 0, 20 + len(segment), 0, 0, TTL, TCP, 0, source[0], target[0])
    return head[:10] + _checksum(head) + head[12:] + segment


def _checksum(data: bytes) -> bytes:
    """Return the checksum of the internet (RFC 1071) of an even number of bytes."""
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return struct.pack(">H", ~(total + (total >> 16)) & 0xFFFF)
