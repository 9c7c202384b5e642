"""The log of a run for TensorBoard: a file of events with the numbers of every iteration, written without its library.

A file is a sequence of TFRecords: the length as 8 bytes, its checksum, the bytes of one event, their checksum; all
little-endian. An event is a protocol buffer (tensorflow/core/util/event.proto): 1 time in seconds, 2 step, 3 version of
the file, 5 summary; a summary has values (1), each with a tag (1) and a number (2).
"""

from __future__ import annotations

import math
import struct
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from fiedler.training.recipe.entry import LOSS, Entry

PREFIX = "events.out.tfevents."
VERSION = b"brain.Event:2"
CASTAGNOLI = 0x82F63B78
"""The reflected polynomial of CRC-32C (RFC 3720, B.4)."""
MASK = 0xA282EAD8
LARGEST = 3.4028234663852886e38
"""The largest number of 32 bits."""


class ScalarLog:
    """The events in the folder of a run; its name has the time of the first one, in seconds since 1970."""

    def __init__(self, folder: Path) -> None:
        self._path = next(iter(sorted(folder.glob(f"{PREFIX}*"))), folder / f"{PREFIX}{int(time.time())}.fiedler")
        self._last: int | None = None
        """The last iteration in the file; None before it was compared with the log."""

    def update(self, log: Sequence[Entry]) -> None:
        """Add the iterations that the file lacks. A file that does not begin like the log is written anew."""
        if self._last is None:
            self._repair(log)
        else:
            self._append(b"".join(self._record(entry) for entry in log if entry.iteration > self._last))
        self._last = log[-1].iteration if log else 0

    def _repair(self, log: Sequence[Entry]) -> None:
        wanted = _framed(_double(1, self._begun) + _bytes(3, VERSION)) + b"".join(map(self._record, log))
        found = self._path.read_bytes() if self._path.is_file() else b""
        if wanted.startswith(found):
            self._append(wanted[len(found) :])
        else:
            self._path.write_bytes(wanted)

    def _append(self, records: bytes) -> None:
        with self._path.open("ab") as file:
            file.write(records)

    @property
    def _begun(self) -> int:
        stamp = self._path.name.removeprefix(PREFIX).partition(".")[0]
        return int(stamp) if stamp.isdecimal() else 0

    def _record(self, entry: Entry) -> bytes:
        values = b"".join(_bytes(1, _bytes(1, tag.encode()) + _float(2, number)) for tag, number in scalars(entry))
        when = _double(1, self._begun + entry.seconds)
        return _framed(when + _key(2, 0) + _varint(entry.iteration) + _bytes(5, values))


def scalars(entry: Entry) -> Iterator[tuple[str, float]]:
    """Yield the numbers of an iteration with their tags: `loss/policy`, `score/random`, `opponent/level`, …."""
    for name, loss in entry.losses.items():
        yield f"loss/{name}", loss
    for name, strength in entry.strength.items():
        yield f"score/{name}", strength.score
        yield f"score_low/{name}", strength.low
        yield f"score_high/{name}", strength.high
    if match := entry.opponent:
        yield "opponent/level", match.level
        yield "opponent/score", match.score
    for name, value in msgspec.structs.asdict(entry).items():
        if isinstance(value, int | float) and name != "iteration" and not name.endswith(LOSS):
            yield f"log/{name}", value


def crc32c(data: bytes) -> int:
    """Return the checksum CRC-32C of data."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def _table() -> list[int]:
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (CASTAGNOLI if crc & 1 else 0)  # noqa: PLW2901 - the eight steps of a byte
        table.append(crc)
    return table


_TABLE = _table()


def _framed(event: bytes) -> bytes:
    length = struct.pack("<Q", len(event))
    return length + _checksum(length) + event + _checksum(event)


def _checksum(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + MASK) & 0xFFFFFFFF)


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def _key(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _double(field: int, number: float) -> bytes:
    return _key(field, 1) + struct.pack("<d", number)


def _float(field: int, number: float) -> bytes:
    return _key(field, 5) + struct.pack("<f", math.copysign(math.inf, number) if abs(number) > LARGEST else number)


def _bytes(field: int, data: bytes) -> bytes:
    return _key(field, 2) + _varint(len(data)) + data
