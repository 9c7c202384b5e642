"""Text that people bring: its encoding, its byte order mark, its line ends. Every format is read through here."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from fiedler.support.errors import UsageError, quoted_input, system_reason

CHUNK = 1 << 20
"""Bytes of one read."""
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16: it begins with that mark
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}
"""Encodings by byte order mark."""
WIDE = {"utf-16", "utf-32"}
"""Those of more than a byte a character."""


def blocks(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file, UTF-16 and UTF-32 recoded as UTF-8, every line end (CR LF, CR) as LF.

    A byte order mark of UTF-8 and bytes that are not UTF-8 are not changed.

    Raises:
        UsageError: there are zero bytes without a byte order mark, or the text contradicts its mark.
    """
    with path.open("rb", buffering=0) as file:
        read = iter(lambda: file.read(CHUNK), b"")
        head = next(read, b"")
        encoding = _marked(head)
        if not encoding:
            _refuse_zeros(head, path)
        whole = chain([head], read)
        yield from _with_line_feeds(_recoded(path, whole, encoding) if encoding in WIDE else whole)


def lines(path: Path, *, latin1: bool = False) -> Iterator[str]:
    """Yield the lines with their ends, without a byte order mark.

    With `latin1`, a line with bytes that are not UTF-8 is Latin-1.

    Raises:
        UsageError: as `blocks`, and for bytes that are not UTF-8.
    """
    for number, line in enumerate(_split(blocks(path)), start=1):
        data = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            if not latin1:
                raise UsageError(f"{path}:{number}: expected text in UTF-8") from error
            text = data.decode("latin-1")
        yield text


def read_text(path: Path, *, latin1: bool = False) -> str:
    """Return the text of a small file; see `decoded`.

    Raises:
        UsageError: the file cannot be read, or as `decoded`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from error
    return decoded(data, path, latin1=latin1)


def decoded(data: bytes, name: Path | str, *, declared: str = "", latin1: bool = False) -> str:
    """Return the text of these bytes without a byte order mark, every line end as LF.

    The encoding is that of the mark, else the `declared` one, else UTF-8; with `latin1`, bytes that are not UTF-8 are
    Latin-1. `name` is that of the file, for messages.

    Raises:
        UsageError: the bytes contradict the encoding, nobody knows it, or there are zero bytes without a mark.
    """
    encoding = _marked(data) or declared
    if not encoding:
        _refuse_zeros(data, name)
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeError as error:
        if encoding or not latin1:
            raise UsageError(f"{name}: {_undecodable(data, encoding, error)}") from error
        text = data.decode("latin-1")
    except (LookupError, ValueError):  # ValueError: its name has a zero byte
        raise UsageError(f"{name}: expected a known encoding, got {quoted_input(encoding)}") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _marked(data: bytes) -> str:
    return next((encoding for mark, encoding in MARKS.items() if data.startswith(mark)), "")


def _refuse_zeros(data: bytes, name: Path | str) -> None:
    if b"\0" in data:
        raise UsageError(f"{name}: expected text in UTF-8, or in UTF-16 with a byte order mark; got zero bytes")


def _undecodable(data: bytes, encoding: str, error: UnicodeError) -> str:
    if encoding in WIDE:
        return f"expected UTF-8 text, got byte {data[0]:#04x} at 0, or {encoding.upper()}, by its mark"
    if not isinstance(error, UnicodeDecodeError):  # some encodings do not name the byte
        return f"expected {encoding} text, got other bytes"
    line = data.count(b"\n", 0, error.start) + 1
    wanted = "UTF-8" if encoding in {"", "utf-8-sig"} else encoding
    return f"expected {wanted} text, got byte {error.object[error.start]:#04x} at {error.start}, in line {line}"


def _recoded(path: Path, read: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in read:
            yield decoder.decode(block).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError:
        raise UsageError(f"{path}: expected text in {encoding.upper()}, by its byte order mark") from None


def _with_line_feeds(read: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the blocks with CR LF and CR as LF; a CR at the end of a block waits for the next one."""
    carried = b""
    for block in read:
        whole = carried + block if carried else block
        carried = b"\r" if whole.endswith(b"\r") else b""
        yield _line_feeds(whole[: len(whole) - len(carried)] if carried else whole)
    if carried:
        yield b"\n"


def _line_feeds(block: bytes) -> bytes:
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _split(read: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for block in read:
        *whole, rest = (rest + block).split(b"\n")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest
