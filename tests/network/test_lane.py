"""The fates of packets on a wire, and its resets: without a network."""

from __future__ import annotations

import math
import socket
import struct
from typing import Any

import pytest

from tools.wire.flows import ACK, FIN, RST, SYN, Flows, Segment, _checksum
from tools.wire.lane import LATE_S, Lane, Quality

SIZE = 1000
MANY = 10_000


def lane(seed: int = 1, **quality: Any) -> Lane:
    one = Lane(str(seed))
    one.quality = Quality(**quality)
    return one


def fates(one: Lane, count: int = MANY, gap_s: float = 0.001) -> list[list[float]]:
    return [one.moments(SIZE, number * gap_s) for number in range(count)]


def test_a_good_line_passes_every_packet_at_once() -> None:
    assert fates(lane(), 3, 1.0) == [[0.0], [1.0], [2.0]]


def test_a_delay_is_that_of_every_packet() -> None:
    assert fates(lane(delay_s=0.5), 3, 1.0) == [[0.5], [1.5], [2.5]]


def test_the_same_seed_has_the_same_fates() -> None:
    quality: dict[str, Any] = {"loss": 0.1, "duplicate": 0.1, "reorder": 0.1, "jitter_s": 0.1}
    assert fates(lane(1, **quality)) == fates(lane(1, **quality))
    assert fates(lane(1, **quality)) != fates(lane(2, **quality))


@pytest.mark.parametrize(("name", "copies"), [("loss", 0), ("duplicate", 2)])
def test_shares_of_packets(name: str, copies: int) -> None:
    found = sum(len(one) == copies for one in fates(lane(1, **{name: 0.05})))
    assert abs(found - 0.05 * MANY) < 4 * math.sqrt(0.05 * 0.95 * MANY)


def test_jitter_keeps_the_order_within_its_bound() -> None:
    moments = [one[0] for one in fates(lane(delay_s=0.1, jitter_s=0.05))]
    assert moments == sorted(moments)
    waits = [moment - number * 0.001 for number, moment in enumerate(moments)]
    assert min(waits) >= 0.1
    assert max(waits) <= 0.15 + 1e-9
    assert max(waits) - min(waits) > 0.04


def test_later_packets_overtake_a_late_one() -> None:
    moments = [one[0] for one in fates(lane(reorder=0.1))]
    late = [number for number, moment in enumerate(moments) if moment > number * 0.001]
    assert abs(len(late) - 0.1 * MANY) < 4 * math.sqrt(0.09 * MANY)
    assert moments[late[0]] == pytest.approx(late[0] * 0.001 + LATE_S)
    assert moments != sorted(moments)


def test_a_slow_line_takes_the_packets_one_after_the_other() -> None:
    one = lane(rate=64_000, delay_s=1.0)
    assert [one.moments(SIZE, 0.0) for _ in range(3)] == [[1.125], [1.25], [1.375]]
    assert one.moments(SIZE, 10.0) == [11.125]


def test_a_slow_line_loses_what_does_not_fit_into_its_queue() -> None:
    one = lane(rate=64_000, queue=4 * SIZE)
    assert [len(one.moments(SIZE, 0.0)) for _ in range(8)] == [1] * 5 + [0] * 3
    assert (one.passed, one.lost) == (5, 3)
    assert one.moments(SIZE, 0.2) == [0.75]


def test_nothing_passes_a_cut_and_the_fates_after_it_are_the_same() -> None:
    cut, whole = lane(loss=0.5), lane(loss=0.5)
    cut.is_cut = True
    assert fates(cut, 10) == [[]] * 10
    assert cut.lost == 10
    whole.quality = Quality(loss=1.0)
    assert fates(whole, 10) == [[]] * 10
    cut.is_cut = False
    whole.quality = Quality(loss=0.5)
    assert fates(cut) == fates(whole)


# --- resets ---------------------------------------------------------------------------------------------------------

NEAR, FAR = (socket.inet_aton("10.99.0.1"), 5000), (socket.inet_aton("10.99.0.2"), 6000)


def packet(source: tuple[bytes, int], target: tuple[bytes, int], seq: int, ack: int, flags: int = ACK) -> bytes:
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40, 0, 0, 64, 6, 0, source[0], target[0])
    return head + struct.pack(">HHIIBBHHH", source[1], target[1], seq, ack, 5 << 4, flags, 0, 0, 0)


def test_a_forgotten_connection_is_reset_at_both_ends() -> None:
    flows = Flows()
    assert flows.resets(packet(NEAR, FAR, 10, 20, SYN)) is None
    flows.forget()
    found = flows.resets(packet(FAR, NEAR, 30, 40))
    assert found is not None
    assert [Segment.read(one) for one in found] == [
        Segment(NEAR, FAR, 40, 0, RST),  # what the sender expects next
        Segment(FAR, NEAR, 30, 0, RST),  # and the receiver
    ]


def test_a_later_connection_is_not_reset() -> None:
    flows = Flows()
    flows.resets(packet(NEAR, FAR, 10, 20))
    flows.forget()
    assert flows.resets(packet((NEAR[0], 5001), FAR, 10, 20)) is None


@pytest.mark.parametrize("other", [packet(NEAR, FAR, 1, 2, RST), packet(NEAR, FAR, 1, 2, RST | ACK)])
def test_a_reset_is_not_answered(other: bytes) -> None:
    flows = Flows()
    flows.resets(packet(NEAR, FAR, 10, 20, FIN))
    flows.forget()
    assert flows.resets(other) is None


@pytest.mark.parametrize("other", [b"\x60" + bytes(47), packet(NEAR, FAR, 1, 2)[:9] + b"\x11" + bytes(30)])
def test_only_tcp_over_ipv4_has_connections(other: bytes) -> None:
    assert Segment.read(other) is None


def test_the_checksums_of_a_reset_are_right() -> None:
    flows = Flows()
    flows.resets(packet(NEAR, FAR, 10, 20))
    flows.forget()
    for one in flows.resets(packet(NEAR, FAR, 0x01020304, 0xFFFEFDFC)) or ():
        pseudo = one[12:20] + struct.pack(">HH", 6, len(one) - 20)
        assert _checksum(one[:20]) == _checksum(pseudo + one[20:]) == b"\0\0"
