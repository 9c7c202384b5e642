"""The resources of one server, of which each session claims its share."""

from __future__ import annotations

import math
import os

from players import MEMORY_OPTION, THREADS_OPTION, Player
from support.errors import UsageError

SHARE_OF_MACHINE = 0.5
SPARE_THREADS_PER_CORE = 4
LEAST_SPARE_THREADS = 16


def machine_share_mb() -> int:
    """Return in MiB what a server takes of this machine's memory, if nobody says how much."""
    return int(SHARE_OF_MACHINE * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")) >> 20


def spare_threads() -> int:
    """Return how many threads a server lends to sessions that want more than they have anyway, if nobody says so."""
    return max(LEAST_SPARE_THREADS, SPARE_THREADS_PER_CORE * (os.cpu_count() or 1))


class Claims:
    """A number of MiB, or of threads, for all sessions together, whether they use their claims or not."""

    def __init__(self, option: str, unit: str, total: float, granted: int = 0) -> None:
        """`option` is the setting that a player claims by; what is `granted` to each session does not count."""
        self._option = option
        self._unit = unit
        self._total = total
        self._granted = granted
        self._left = total

    def exchange(self, old: int, new: int) -> None:
        """Give a claim back for another one; raises UsageError, and changes nothing, if not as much is left."""
        granted = self._granted
        left = self._left + max(0, old - granted)
        if new > left + granted:
            of = f"{self._total} beyond {granted} each" if granted else str(self._total)
            raise UsageError(
                f"{self._option}: expected at most {left + granted}{self._unit}, left by the other "
                f"sessions of {of}; got {new}"
            )
        self._left = left - max(0, new - granted)


class Shares:
    """The memory and the threads of one server."""

    def __init__(self, memory_mb: float = math.inf, threads: float = math.inf, granted: int = 1) -> None:
        """`threads` are those beyond the `granted` ones, which every session has."""
        self._claims = {
            MEMORY_OPTION: Claims(MEMORY_OPTION, " MiB", memory_mb),
            THREADS_OPTION: Claims(THREADS_OPTION, "", threads, granted),
        }

    def enter(self, player: Player) -> None:
        """Claim what a new player may take; raises UsageError, and claims nothing, if there is not as much left."""
        for option, claims in self._claims.items():  # the memory first; more threads than granted nobody has yet
            claims.exchange(0, player.claim(option))

    def change(self, player: Player, option: str, value: object) -> None:
        """Claim what the player may take with this value of `option`; raises UsageError, and changes nothing, too."""
        if option in self._claims:
            assert isinstance(value, int)
            self._claims[option].exchange(player.claim(option), value)

    def leave(self, player: Player) -> None:
        """Give back what the player has claimed."""
        for option, claims in self._claims.items():
            claims.exchange(player.claim(option), 0)
