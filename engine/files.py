"""The files that a client names."""

from __future__ import annotations

from pathlib import Path

from support.address import reason
from support.errors import UsageError

MAX_BYTES = 2**20
"""Largest file."""


def read_text(name: str) -> str:
    """Return the text of a regular file.

    Raises:
        UsageError: The file is missing, too large, or not UTF-8.
    """
    path = Path(name)
    try:
        if not path.is_file():
            raise UsageError(f"expected a file, got {name!r}")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(f"{name}: expected at most {MAX_BYTES} bytes, got more")
        return data.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{name}: expected UTF-8") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {name!r}: {reason(error) if isinstance(error, OSError) else error}") from None
