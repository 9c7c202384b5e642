"""The metadata of an ONNX file, read without its network: a protobuf message is a list of numbered fields."""

from __future__ import annotations

from collections.abc import Iterator

GRAPH, METADATA = 7, 14
"""The fields of ModelProto that hold the network, and one entry of the metadata each (onnx.proto)."""
KEY, VALUE = 1, 2
"""The fields of such an entry."""
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""The wire types (protobuf.dev, Encoding)."""
LONGEST_VARINT = 10
"""The most bytes of a number."""


def read_metadata(data: bytes) -> dict[str, str]:
    """Return the metadata in the content of an ONNX file.

    Raises:
        ValueError: The content is not that of an ONNX file.
        UnicodeDecodeError: An entry is not UTF-8.
    """
    found: dict[str, str] = {}
    has_graph = False
    for field, content in _fields(memoryview(data)):
        has_graph |= field == GRAPH
        if field == METADATA:
            entry = {inner: bytes(text).decode() for inner, text in _fields(content)}
            found[entry.get(KEY, "")] = entry.get(VALUE, "")
    if not has_graph:
        raise ValueError("no network in it")
    return found


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Yield the number and the content of each field; only bytes have a content."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        length, start = _extent(data, at, key & 7)
        at = start + length
        if at > len(data):
            raise ValueError("it ends too early")
        yield key >> 3, data[start:at] if key & 7 == BYTES else data[:0]


def _extent(data: memoryview, at: int, wire_type: int) -> tuple[int, int]:
    """Return the length of a field's value, and where it starts."""
    if wire_type == BYTES:
        return _varint(data, at)
    if wire_type == VARINT:
        return _varint(data, at)[1] - at, at
    if wire_type in (FIXED64, FIXED32):
        return 8 if wire_type == FIXED64 else 4, at
    raise ValueError("not a list of fields")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return a number, and the place behind it."""
    value = 0
    for place, byte in enumerate(data[at : at + LONGEST_VARINT]):
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80:
            return value, at + place + 1
    raise ValueError("it ends too early")
