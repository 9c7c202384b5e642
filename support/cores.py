"""The processor cores of this process."""

from __future__ import annotations

import os


def available() -> list[int]:
    """Return the numbers of the cores that this process may use, ascending."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))
