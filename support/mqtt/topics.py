"""Names as levels of a topic, and the present moment as payloads give it."""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from urllib.parse import quote

VERSION = 1
"""The version of all topics and payloads; it rises if one of them changes its meaning or is removed."""


@functools.lru_cache
def level(name: str) -> str:
    """Return a name as one level of a topic: all but `A-Z a-z 0-9 _ . -` is percent-encoded as UTF-8.

    >>> level("büro/1 #")
    'b%C3%BCro%2F1%20%23'
    """
    return quote(name, safe="", errors="surrogateescape").replace("~", "%7E")


def at() -> str:
    """Return the present moment: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
