"""Wires for the tests of a network."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator

import pytest

from tools.wire.host import NoNamespaceError
from tools.wire.wire import Wire


@functools.cache
def trouble() -> str:
    """Return why this system has no wires; empty: it has."""

    async def begin() -> None:
        async with Wire():
            pass

    try:
        asyncio.run(begin())
    except (NoNamespaceError, OSError) as error:
        return str(error)
    return ""


@pytest.fixture(scope="session")
def wires() -> None:
    """Leave a test out where the system makes no network namespaces."""
    if why := trouble():
        pytest.skip(f"needs root, or user namespaces with /dev/net/tun: {why}")


@pytest.fixture
async def wire(wires: None) -> AsyncIterator[Wire]:
    """Two hosts and a wire."""
    async with Wire(seed=1) as one:
        yield one
