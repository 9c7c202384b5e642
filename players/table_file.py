"""Table files: a line of JSON with metadata and the names of arrays, then the arrays themselves, raw.

Nothing is executed or unpickled: a file gives texts and arrays of numbers, or one error.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

from fiedler.games import Game
from fiedler.players.model_file import FORMAT, check_entries, one_line
from fiedler.support.errors import UsageError, reason, system_reason
from fiedler.support.files import regular

Array = npt.NDArray[Any]
Needed = Mapping[str, tuple[str, tuple[int | str, ...]]]
"""Name -> type and shape; a letter is any number, the same wherever it occurs: {"keys": ("uint64", ("n",))}."""
MAX_HEADER = 65536
"""The longest header, in bytes with its end of line."""
MAX_ENTRIES = 2**40
"""The most entries of an array, where a side of 0 counts as 1."""


class ArrayHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One array in the header."""

    name: str
    dtype: Literal[
        "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"
    ]
    shape: Annotated[tuple[Annotated[int, Meta(ge=0, le=MAX_ENTRIES)], ...], Meta(max_length=8)]

    def __post_init__(self) -> None:
        """Refuse arrays beyond any memory."""
        if math.prod(max(side, 1) for side in self.shape) > MAX_ENTRIES:
            raise ValueError(f"expected at most {MAX_ENTRIES} entries")

    @property
    def stored(self) -> np.dtype[Any]:
        """The type in the file: little-endian."""
        return np.dtype(self.dtype).newbyteorder("<")

    @property
    def size(self) -> int:
        """The size in the file."""
        return math.prod(self.shape) * self.stored.itemsize

    def read(self, body: bytes, begin: int) -> Array:
        """Return the array, copied, from the bytes that begin at `begin`."""
        stored = np.frombuffer(body[begin : begin + self.size], self.stored)
        return stored.reshape(self.shape).astype(self.dtype)


class TableHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a file."""

    about: dict[str, str]
    """The metadata: fiedler, game, player, name, recipe, commit, seconds."""
    arrays: Annotated[list[ArrayHeader], Meta(max_length=64)]
    """In the order of the file, without gaps."""
    sha256: str = ""
    """The digest of this header with an empty digest, followed by the arrays."""

    def digest(self, body: bytes) -> str:
        """Return the digest that belongs to these arrays."""
        unsigned = msgspec.structs.replace(self, sha256="")
        return hashlib.sha256(msgspec.json.encode(unsigned) + body).hexdigest()


@dataclass(frozen=True, slots=True)
class TablePurpose:
    """The use of a table; a file for another one is refused."""

    game: Game
    player: str
    """The kind of player."""
    arrays: Needed
    """The arrays that this player needs; a file may have more."""


@dataclass(frozen=True, slots=True)
class TableModel:
    """The content of a file: whole, of the file's own types, in native byte order."""

    name: str
    """One printable line."""
    about: Mapping[str, str]
    arrays: Mapping[str, Array]


def dump(about: Mapping[str, str], arrays: Mapping[str, Array]) -> bytes:
    """Return a file with this metadata and these arrays. The same content gives the same bytes."""
    headers = [ArrayHeader(name, array.dtype.name, array.shape) for name, array in arrays.items()]  # type: ignore[arg-type]
    body = b"".join(
        array.astype(header.stored).tobytes() for header, array in zip(headers, arrays.values(), strict=True)
    )
    header = TableHeader(dict(about), headers)
    line = msgspec.json.encode(msgspec.structs.replace(header, sha256=header.digest(body))) + b"\n"
    _header(line, "table")
    return line + body


def load(path: Path, purpose: TablePurpose) -> TableModel:
    """Return the table of a file.

    Raises:
        UsageError: The file is missing, damaged or not for this purpose.
    """
    try:
        with regular(path) as file:
            table = _read(file, str(path))
    except OSError as error:
        raise UsageError(f"model {path}: {system_reason(error)}") from None
    _check_purpose(table, purpose, str(path))
    return table


def load_bytes(data: bytes, name: str) -> TableModel:
    """Return the table of a file's content, for any purpose. `name` is its name in messages.

    Raises:
        UsageError: The content is damaged.
    """
    return _read(io.BytesIO(data), name)


def metadata(path: Path) -> dict[str, str]:
    """Return the unchecked metadata of a file; its arrays are not read.

    Raises:
        UsageError: The file is missing, or its header or its size is wrong.
    """
    try:
        with regular(path) as file:
            return _checked_header(file, str(path)).about
    except OSError as error:
        raise UsageError(f"model {path}: {system_reason(error)}") from None


def _header(line: bytes, name: str) -> TableHeader:
    if len(line) > MAX_HEADER:
        raise UsageError(f"model {name}: not a table: expected a header of at most {MAX_HEADER} bytes, got more")
    if not line.endswith(b"\n"):
        raise UsageError(f"model {name}: not a table, or damaged (its first line does not end)")
    try:
        header = msgspec.json.decode(line, type=TableHeader)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"model {name}: not a table, or damaged ({reason(error)})") from None
    if len({one.name for one in header.arrays}) < len(header.arrays):
        raise UsageError(f"model {name}: damaged, two arrays have one name")
    return header


def _checked_header(file: BinaryIO, name: str) -> TableHeader:
    """Return the header; the file is then at its first array, and all of them are there."""
    header = _header(file.readline(MAX_HEADER + 1), name)
    begin = file.tell()
    expected = begin + sum(one.size for one in header.arrays)
    size = file.seek(0, io.SEEK_END)
    if size != expected:
        raise UsageError(f"model {name}: damaged, expected {expected} bytes, got {size}")
    file.seek(begin)
    return header


def _read(file: BinaryIO, name: str) -> TableModel:
    header = _checked_header(file, name)
    body = file.read()
    if header.digest(body) != header.sha256:
        raise UsageError(f"model {name}: damaged, its content does not match its checksum")
    arrays, begin = dict[str, Array](), 0
    for one in header.arrays:
        arrays[one.name] = one.read(body, begin)
        begin += one.size
        if arrays[one.name].dtype.kind == "f" and not np.isfinite(arrays[one.name]).all():
            raise UsageError(f"model {name}: damaged, array {one.name[:40]!r} has a number that is not finite")
    return TableModel(one_line(header.about.get("name", "")) or one_line(name), header.about, arrays)


def _check_purpose(table: TableModel, purpose: TablePurpose, name: str) -> None:
    check_entries(table.about, {"fiedler": FORMAT, "game": purpose.game.id, "player": purpose.player}, name)
    sizes = dict[str, int]()
    for key, (dtype, shape) in purpose.arrays.items():
        if key not in table.arrays:
            raise UsageError(f"model {name}: player {purpose.player} needs the array {key!r}")
        found = table.arrays[key]
        if found.dtype != dtype or not _fits(found.shape, shape, sizes):
            got, wanted = f"{found.dtype} {_text(found.shape)}", f"{dtype} {_text(shape)}"
            raise UsageError(f"model {name}: array {key!r} is {got}, expected {wanted}")


def _fits(shape: tuple[int, ...], needed: tuple[int | str, ...], sizes: dict[str, int]) -> bool:
    """Compare a shape with the needed one; `sizes` are the numbers of the letters so far."""
    if len(shape) != len(needed):
        return False
    pairs = zip(shape, needed, strict=True)
    return all(side == (sizes.setdefault(one, side) if isinstance(one, str) else one) for side, one in pairs)


def _text(shape: tuple[int | str, ...]) -> str:
    return "×".join(map(str, shape)) or "single"
