"""All events of a session for given bytes."""

from __future__ import annotations

from typing import TypeVar

from fiedler.protocol import Eof, Malformed
from fiedler.protocol.ugi.session import UgiSession

Event = TypeVar("Event")


def events_of(session: UgiSession[Event], data: bytes = b"") -> list[Event | Malformed | Eof]:
    """Return the events of these bytes, and earlier unread events."""
    session.receive_data(data)
    return _drained(session)


def ended(session: UgiSession[Event]) -> list[Event | Malformed | Eof]:
    """Return the events of the end of the stream."""
    session.receive_eof()
    return _drained(session)


def _drained(session: UgiSession[Event]) -> list[Event | Malformed | Eof]:
    events: list[Event | Malformed | Eof] = []
    while (event := session.next_event()) is not None:
        events.append(event)
    return events
