"""Complaints about a file, gathered so that its author sees all of them at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

from fiedler.support.errors import UsageError, UsageErrors, nearest
from fiedler.support.text import counted

Complaint = tuple[str, str]
"""A key of the file, and what is wrong there."""
MOST_SHOWN = 100
"""The errors of a file that are shown."""
_TABLE = re.compile(r"\w+(?: '[^']*'|\[\d+\])?")
"""The table of a key: `limit` of `limit.nodes`, `players 'a'` of `players 'a'.elo`."""


def usage_error(lines: Iterable[str]) -> UsageError:
    """Return the error of one line or of several, each line once; beyond MOST_SHOWN lines their number."""
    different = list(dict.fromkeys(lines))
    left_out = len(different) - MOST_SHOWN
    if left_out > 0:
        different[MOST_SHOWN:] = [f"and {counted(left_out, 'more error')}"]
    return UsageErrors(different) if len(different) > 1 else UsageError(different[0])


def wrong_choice(key: str, got: str, known: Iterable[str]) -> Complaint:
    """Return the complaint about a word that is none of the known ones."""
    names = list(known)
    return key, f"expected {' or '.join(repr(name) for name in names)}, got {got!r}{nearest(got, names)}"


class Complaints:
    """The complaints about one file so far; `line` makes the line of a key and its complaint.

    `own` are keys whose complaints follow from no other key.
    """

    def __init__(self, line: Callable[[str, str], str], own: Collection[str] = ()) -> None:
        self._line = line
        self._own = own
        self._lines: list[str] = []
        self._blamed_keys: set[str] = set()
        self._blamed: set[str] = set()
        """Tables with a complaint of an earlier look: what is missing there may be what is wrong there."""

    def __bool__(self) -> bool:
        return bool(self._lines)

    def add(self, found: Iterable[Complaint], *, own: bool = False) -> None:
        """Add the complaints of one look; those about tables with complaints of an earlier look are left out.

        With `own` these complaints follow from no other key: only those about keys with earlier ones are left out.
        """
        self._lines += [
            self._line(key, wrong)
            for key, wrong in found
            if not (key in self._blamed_keys if own else self._is_blamed(key))
        ]

    def blame(self, keys: Iterable[str]) -> None:
        """Leave out later complaints about the tables of these keys."""
        labels = list(keys)
        self._blamed.update(map(_table, labels))
        self._blamed_keys.update(labels)

    def _is_blamed(self, key: str) -> bool:
        return key in self._blamed_keys if key in self._own else _table(key) in self._blamed

    @contextmanager
    def gathered(self, about: str = "") -> Iterator[None]:
        """Take usage errors that are raised inside as complaints, unless they are about a table with earlier ones."""
        try:
            yield
        except UsageError as error:
            if _table(about) not in self._blamed:
                self._lines += str(error).splitlines()

    def end(self) -> None:
        """Raise all complaints, if there are any.

        Raises:
            UsageError: There are.
        """
        if self._lines:
            raise usage_error(self._lines)


def _table(key: str) -> str:
    found = _TABLE.match(key)
    return found[0] if found else key
