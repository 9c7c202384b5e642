"""The memory of this machine."""

from __future__ import annotations

import os


def machine_mb() -> int:
    """Return the memory of this machine, in MiB."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
