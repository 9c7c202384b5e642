"""The end of a connection, with or without TLS."""

from __future__ import annotations

import asyncio
from contextlib import suppress


def abort(transport: asyncio.WriteTransport) -> None:
    """Cut a connection, also one that is closed already.

    In Python 3.11.2 a connection with TLS that was closed twice, by us and by the end of the stream, has nothing left
    to cut, and raises AttributeError.
    """
    with suppress(AttributeError):
        transport.abort()
