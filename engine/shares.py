"""The memory of one server, of which every session claims what its player may take."""

from __future__ import annotations

import math
import os

from games import UsageError

SHARE_OF_MACHINE = 0.5


def machine_share_mb() -> int:
    """Return in MiB what a server takes of this machine's memory, if nobody says how much."""
    return int(SHARE_OF_MACHINE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) >> 20


class Memory:
    """So many MiB for the trees and tables of all sessions together, whether they fill them or not."""

    def __init__(self, total_mb: float = math.inf) -> None:
        self._total_mb = total_mb
        self._left_mb = total_mb

    def exchange(self, old_mb: int, new_mb: int) -> None:
        """Give a claim back for another one; raises UsageError, and changes nothing, if there is not so much left."""
        most = self._left_mb + old_mb
        if new_mb > most:
            raise UsageError(
                f"hash_mb: expected at most {most} MiB, which is what the other sessions leave of {self._total_mb}; "
                f"got {new_mb}"
            )
        self._left_mb = most - new_mb
