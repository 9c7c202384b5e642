"""Names that look alike: the same letters, composed or decomposed, and the same words between other blanks."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable


def look_alikes(names: Iterable[str]) -> list[str]:
    """Return a warning for each group of names that look alike.

    Examples
    --------
    >>> from fiedler.tournament.ratings.look_alikes import look_alikes
    >>> look_alikes(["Bo", "Ada", "Bo "])
    ["names that look alike are different players: 'Bo' and 'Bo '"]

    """
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_appearance(name), []).append(name)
    alike = (" and ".join(map(_spelled, group)) for group in groups.values() if len(group) > 1)
    return [f"names that look alike are different players: {group}" for group in alike]


def _appearance(name: str) -> str:
    """Return the name composed (NFC), without invisible characters, its words separated by one blank."""
    shown = "".join(sign for sign in unicodedata.normalize("NFC", name) if unicodedata.category(sign) != "Cf")
    return " ".join(shown.split())


def _spelled(name: str) -> str:
    """Return the name in quotes, followed by its code points if it is not ASCII."""
    return f"{name!r} ({name!a})" if repr(name) != ascii(name) else repr(name)
