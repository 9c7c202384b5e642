"""The time that a test waits for an event. A stuck test fails; a test on a slow or busy machine does not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

PATIENCE = 180.0
"""Seconds: a tenth of the limit of pytest-timeout for a whole test."""
FLOODED = r"sent (more than 1 MiB within a second|[0-9,]+ lines|text without the end of a line, whose reading)"
"""The reasons for too much output, as a pattern: the speed of the machine decides which comes first."""


def wait_until(condition: Callable[[], object], failure: str = "it did not come") -> None:
    """Wait until the condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, failure
        time.sleep(0.005)


async def until(condition: Callable[[], object], failure: str = "it did not come", seconds: float = PATIENCE) -> None:
    """Wait until the condition holds, while the loop runs."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, failure
        await asyncio.sleep(0.01)


def pass_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the clock of the running event loop forward: every time-out that began before is over."""
    loop = asyncio.get_running_loop()
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + 3600)
