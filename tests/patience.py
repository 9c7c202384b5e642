"""How long a test waits for what must come. A stuck test fails; a slow or busy machine is no fault."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE = 60.0
"""seconds; a fifth of what pytest-timeout gives a whole test"""


def wait_until(condition: Callable[[], object], failure: str = "it did not come") -> None:
    """Wait until the condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, failure
        time.sleep(0.005)
