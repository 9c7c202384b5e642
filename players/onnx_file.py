"""The metadata and the weights of an ONNX file, read without ONNX: a protobuf message is a list of numbered fields."""

from __future__ import annotations

import math
from collections.abc import Iterator

GRAPH, METADATA = 7, 14
"""The fields of ModelProto that hold the network, and one entry of the metadata each (onnx.proto)."""
KEY, VALUE = 1, 2
"""The fields of such an entry."""
NODE, INITIALIZER = 1, 5
"""The fields of GraphProto that hold a node, and the weights of one name."""
ATTRIBUTE = 5
"""The field of NodeProto that holds an attribute."""
TENSOR, SUBGRAPH, TENSORS, SUBGRAPHS = 5, 6, 10, 11
"""The fields of AttributeProto that hold weights and graphs, one or several."""
EXTERNAL = 13
"""The field of weights that are in another file: entries of text, of which LOCATION is its name."""
LOCATION = "location"
DIMENSIONS, DATA_TYPE, NAME, RAW = 1, 2, 8, 9
"""The fields of such weights: their shape, the kind of their numbers, their name, and the numbers as bytes."""
FLOAT = 1
"""The kind of 32-bit floats."""
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


def read_weights(data: bytes) -> dict[str, memoryview[float]]:
    """Return the weights in the content of an ONNX file, by name: floats that are stored as bytes, not empty.

    They are views in their shape. The native core takes these, too, and numpy takes long to load.

    Raises:
        ValueError: The content is not that of an ONNX file, or damaged.
    """
    found: dict[str, memoryview[float]] = {}
    for field, graph in _fields(memoryview(data)):
        if field == GRAPH:
            for inner, tensor in _fields(graph):
                if inner == INITIALIZER:
                    name, kind, shape, raw = _tensor(tensor)
                    if kind == FLOAT and raw and len(raw) == 4 * math.prod(shape):
                        found[name] = memoryview(raw).cast("f", shape)
    return found


def other_files(data: bytes) -> list[str]:
    """Return the names of the other files that hold weights of the network in the content of an ONNX file.

    Raises:
        ValueError: The content is not that of an ONNX file.
    """
    graphs = [graph for field, graph in _fields(memoryview(data)) if field == GRAPH]
    found: list[str] = []
    while graphs:
        tensors, inner = _parts(graphs.pop())
        graphs += inner
        found += [name for tensor in tensors if (name := _location(tensor)) is not None]
    return list(dict.fromkeys(found))


def _parts(graph: memoryview) -> tuple[list[memoryview], list[memoryview]]:
    """Return the weights of a graph, and the graphs inside its nodes."""
    tensors, graphs = list[memoryview](), list[memoryview]()
    for field, content in _fields(graph):
        if field == INITIALIZER:
            tensors.append(content)
        for attribute in (one for inner, one in _fields(content) if inner == ATTRIBUTE) if field == NODE else ():
            for kind, value in _fields(attribute):
                tensors += [value] if kind in (TENSOR, TENSORS) else []
                graphs += [value] if kind in (SUBGRAPH, SUBGRAPHS) else []
    return tensors, graphs


def _location(tensor: memoryview) -> str | None:
    """Return the name of the file that holds weights; None if they are here."""
    entries = [dict(_fields(content)) for field, content in _fields(tensor) if field == EXTERNAL]
    by_key = {bytes(entry.get(KEY, b"")): bytes(entry.get(VALUE, b"")) for entry in entries}
    return by_key.get(LOCATION.encode(), b"").decode(errors="replace") if by_key else None


def _tensor(data: memoryview) -> tuple[str, int, list[int], bytes]:
    """Return the name, the kind, the shape and the bytes of weights."""
    name, kind, raw = "", 0, b""
    shape: list[int] = []
    for field, content in _fields(data):
        if field == DIMENSIONS:
            shape.append(_varint(content, 0)[0])
        elif field == DATA_TYPE:
            kind = _varint(content, 0)[0]
        elif field == NAME:
            name = bytes(content).decode()
        elif field == RAW:
            raw = bytes(content)
    return name, kind, shape, raw


def _fields(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    """Yield the number and the content of each field: its bytes, or those of its number."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        length, start = _extent(data, at, key & 7)
        at = start + length
        if at > len(data):
            raise ValueError("it ends too early")
        yield key >> 3, data[start:at]


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
