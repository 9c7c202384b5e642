"""User errors, and failures of the work itself."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path

MAX_QUOTED = 40
"""The characters of a user's input that a message quotes."""
MAX_REASON = 200
"""The characters of another program's message that ours quotes."""
MAX_MESSAGE = 4000
"""The characters of a message: it may name a value or a path of any length."""


class UsageError(Exception):
    """The command line or a file is wrong. The message is one line: place, expectation, input (exit code 2)."""


class UsageErrors(UsageError):  # noqa: N818 - several of them
    """Several usage errors, one in each line."""

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__("\n".join(lines))


class WorkError(Exception):
    """The work itself failed although the request was sound. The message is one line (exit code 1)."""


def system_reason(error: OSError) -> str:
    """Return the operating system's reason for an error, in lower case, for the end of a message."""
    return (error.strerror or str(error)).lower()


def unwritable(path: Path, error: OSError) -> WorkError:
    """Return the error to raise when the system refuses to write a file."""
    return WorkError(f"{path}: cannot be written: {system_reason(error)}")


def quoted_input(text: str) -> str:
    """Return the input of a user in quotes, shortened, for a message of one line."""
    return repr(text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…")


def quoted_value(value: object) -> str:
    """Return a value as Python writes it, shortened, for a message of one line: texts alone have quotes."""
    if isinstance(value, str):
        return quoted_input(value)
    text = printable(repr(value))
    return text if len(text) <= MAX_QUOTED else text[: MAX_QUOTED - 1] + "…"


def reason(error: Exception | str) -> str:
    """Return the text of an exception, or of another program, in one line; a long one loses its middle."""
    return without_middle(printable(" ".join(str(error).split())), MAX_REASON)


def without_middle(text: str, most: int) -> str:
    """Return a text of at most `most` characters; a longer one loses its middle."""
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def printable(text: str) -> str:
    """Return a text for a terminal: control characters appear as escapes."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the known word nearest to `word`, or an empty string if none is near."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""


def first_of(group: BaseExceptionGroup[BaseException], kind: type[Exception]) -> BaseException:
    """Return the first exception of this kind in a group that holds one, at any depth."""
    found: BaseException | None = group.subgroup(kind)
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    assert found is not None
    return found
