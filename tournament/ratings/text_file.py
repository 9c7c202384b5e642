"""Text files of other programs as UTF-8, read as streams."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from support.errors import UsageError

CHUNK = 1 << 20
"""Bytes of one read."""
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16: it begins with that mark
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Encodings by byte order mark."""


def blocks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, UTF-16 and UTF-32 recoded as UTF-8, and single CR line ends as LF.

    A byte order mark of UTF-8 and bytes that are not UTF-8 are not changed.

    Raises:
        UsageError: there are zero bytes without a byte order mark, or the text contradicts its mark.
    """
    with path.open("rb", buffering=0) as file:
        read = iter(lambda: file.read(CHUNK), b"")
        head = next(read, b"")
        encoding = next((name for mark, name in MARKS.items() if head.startswith(mark)), "")
        if not encoding and b"\0" in head:
            raise UsageError(f"{path}: expected text in UTF-8, or in UTF-16 with a byte order mark; got zero bytes")
        whole = chain([head], read)
        yield from _with_line_feeds(_recoded(path, whole, encoding) if encoding else whole)


def lines(path: Path) -> Iterator[str]:
    """Yield the lines with their ends, without a byte order mark.

    Raises:
        UsageError: as `blocks`, and for bytes that are not UTF-8.
    """
    for number, line in enumerate(_split(blocks(path)), start=1):
        try:
            yield (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode()
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}:{number}: expected text in UTF-8") from error


def _recoded(path: Path, read: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in read:
            yield decoder.decode(block).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError:
        raise UsageError(f"{path}: expected text in {encoding.upper()}, by its byte order mark") from None


def _with_line_feeds(read: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks; if the first one has CR and no LF, every CR becomes LF."""
    head = next(read, b"")
    bare = b"\r" in head and b"\n" not in head
    for block in chain([head], read):
        yield block.replace(b"\r", b"\n") if bare else block


def _split(read: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in read:
        *whole, rest = (rest + block).split(b"\n")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest
