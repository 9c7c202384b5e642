"""The resources of one server, of which each session claims its share."""

from __future__ import annotations

import math

from fiedler.players import MEMORY_OPTION, THREADS_OPTION, Player
from fiedler.support.cores import available
from fiedler.support.errors import UsageError
from fiedler.support.memory import machine_mb

SHARE_OF_MACHINE = 0.5
SPARE_THREADS_PER_CORE = 4
LEAST_SPARE_THREADS = 16


def machine_share_mb() -> int:
    """Return the default share of a server in the memory of this machine, in MiB."""
    return int(SHARE_OF_MACHINE * machine_mb())


def spare_threads() -> int:
    """Return the default number of threads that a server lends to sessions beyond the granted ones."""
    return max(LEAST_SPARE_THREADS, SPARE_THREADS_PER_CORE * len(available()))


class SharesError(UsageError):
    """A claim is larger than the rest that the other sessions leave."""


class Claims:
    """A number of MiB, or of threads, for all sessions together; unused claims count, too."""

    def __init__(self, option: str, unit: str, total: float, granted: int = 0) -> None:
        """`option` is the setting that claims; the amount `granted` to each session does not count."""
        self._option = option
        self._unit = unit
        self._total = total
        self._granted = granted
        self._left = total

    def exchange(self, old: int, new: int) -> None:
        """Replace a claim by another one.

        Raises:
            SharesError: There is not enough left; nothing changes.
        """
        granted = self._granted
        left = self._left + max(0, old - granted)
        if new > left + granted:
            of = f"{self._total} beyond {granted} each" if granted else str(self._total)
            raise SharesError(
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
        """Claim the resources of a new player.

        Raises:
            SharesError: There is not enough left; nothing is claimed.
        """
        for option, claims in self._claims.items():  # only the memory can fail: a new player has the granted threads
            claims.exchange(0, player.claim(option))

    def change(self, player: Player, option: str, value: object) -> None:
        """Claim the resources of the player with this value of `option`.

        Raises:
            SharesError: There is not enough left; nothing changes.
        """
        if option in self._claims:
            assert isinstance(value, int)
            self._claims[option].exchange(player.claim(option), value)

    def exchange(self, old: Player, new: Player) -> None:
        """Release the claims of a player and claim those of another one.

        Raises:
            SharesError: There is not enough left; nothing changes.
        """
        self.leave(old)
        try:
            self.enter(new)
        except SharesError:
            self.enter(old)
            raise

    def leave(self, player: Player) -> None:
        """Release the claims of the player."""
        for option, claims in self._claims.items():
            claims.exchange(player.claim(option), 0)
