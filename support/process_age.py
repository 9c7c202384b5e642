"""The age of this process."""

from __future__ import annotations

import os
import time
from pathlib import Path

IMPORTED = time.monotonic()
"""The moment at which this module was imported: with the entry point of a command, nearly its start."""
START_FIELD = 19
"""The place of the start in /proc/self/stat, behind the name of the program: proc(5), field 22."""


def process_age() -> float:
    """Return the seconds since the system started this process, to a hundredth; without /proc since IMPORTED."""
    try:
        fields = Path("/proc/self/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        started = int(fields[START_FIELD]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, IndexError, AttributeError):
        return time.monotonic() - IMPORTED
