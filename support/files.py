"""Read small files, write files whole, and remove them."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from fiedler.support.errors import UsageError, WorkError, system_reason, unwritable

MAX_BYTES = 2**20
"""The size of a small file, by default."""


def read_small(path: Path, most: int = MAX_BYTES, *, is_regular: bool = True) -> bytes:
    """Return the bytes of a small file, without waiting for the other end of a pipe.

    With `is_regular`, as for secrets, pipes and devices are refused.

    Raises:
        OSError: The system refuses to read it.
        UsageError: The file is a folder or another thing, or has more than `most` bytes.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        if is_regular:
            _check_regular(path, file.fileno())
        os.set_blocking(file.fileno(), True)
        data = file.read(most + 1)
    if len(data) > most:
        raise UsageError(f"{path}: expected at most {most} bytes, got more")
    return data


def not_a_file(path: Path) -> str:
    """Return for a message why a path is not that of a regular file."""
    if not path.exists():
        return f"no such file: {path}"
    return f"expected a regular file, got {'a folder' if path.is_dir() else 'a pipe or a device'}: {path}"


@contextmanager
def regular(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file of any size: a pipe may wait for its other end, and a device may have no end.

    Raises:
        OSError: The system refuses to read it.
        UsageError: It is a pipe or a device.
    """
    with open(path, "rb", opener=_open_at_once) as file:
        _check_regular(path, file.fileno())
        yield file


def _check_regular(path: Path, descriptor: int) -> None:
    kind = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(kind):
        raise UsageError(f"{path}: expected a regular file, got {'a pipe' if stat.S_ISFIFO(kind) else 'a device'}")


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)


def write_whole(path: Path, text: str | bytes | Iterable[str]) -> None:
    """Write bytes, or a text, or its parts as they come, in UTF-8: a reader sees the old file or the new one whole.

    A temporary file in the same folder takes its place by renaming; if anything fails, the old file stays.

    Raises:
        WorkError: The file cannot be written.
    """
    try:
        _replace(path, text)
    except OSError as error:
        raise unwritable(path, error) from error


def remove(path: Path) -> None:
    """Remove a file if it exists.

    Raises:
        WorkError: The file cannot be removed.
    """
    try:
        if path.is_file():
            path.unlink()
    except OSError as error:
        raise WorkError(f"{path}: cannot be removed: {system_reason(error)}") from error


def _replace(path: Path, text: str | bytes | Iterable[str]) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(_encoded(text))
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _encoded(text: str | bytes | Iterable[str]) -> Iterable[bytes]:
    if isinstance(text, bytes):
        return [text]
    return (part.encode() for part in ([text] if isinstance(text, str) else text))


def _umask() -> int:
    """Return the process's mask of file permissions; it can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
