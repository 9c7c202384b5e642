"""The files that a client names: SGF."""

from __future__ import annotations

from pathlib import Path

from fiedler.support.address import reason
from fiedler.support.errors import UsageError
from fiedler.support.text_file import decoded

MAX_BYTES = 2**20
"""Largest file."""


def read_text(name: str) -> str:
    """Return the text of a regular file: in the encoding of its byte order mark or its CA, UTF-8, else Latin-1.

    Raises:
        UsageError: The file is missing or too large, or contradicts its encoding.
    """
    from fiedler.protocol.gtp.sgf import charset  # loads the dialect, which alone names files

    path = Path(name)
    try:
        if not path.is_file():
            raise UsageError(f"expected a file, got {name!r}")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise UsageError(f"{name}: expected at most {MAX_BYTES} bytes, got more")
        return decoded(data, name, declared=charset(data), latin1=True)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {name!r}: {reason(error) if isinstance(error, OSError) else error}") from None
