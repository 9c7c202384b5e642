"""Missing players: their games wait, and the manager tries them again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.run.attendance import Attendance

Probe = Callable[[Sequence[str]], Awaitable[dict[str, str]]]
"""Starts players, and returns the failures by the names of those that cannot be used."""
LOOK_AGAIN_S = 60.0
"""Seconds between two looks while others play."""


class Absentees:
    """Players with `required = false` that did not start, players that have been away for long, and the reasons."""

    def __init__(self, probe: Probe, why: Mapping[str, str], attendance: Attendance | None = None) -> None:
        """Begin without the players in `why`; `probe` looks for them, but not for those that `attendance` misses."""
        self.why = dict(why)
        self.attendance = attendance or Attendance()
        self.probe = probe
        self._looking = asyncio.Lock()

    @property
    def warnings(self) -> list[str]:
        """The warnings at the start of the run."""
        return [f"{name} {why}: its games wait until it joins" for name, why in self.why.items()]

    @property
    def arrived(self) -> bool:
        """Whether one of them that dials in is back."""
        known = self.attendance.names
        return any(name in known and not self.attendance.is_away(name) for name in self.why)

    def give_up(self, names: Iterable[str]) -> None:
        """Miss players that have been away for too long."""
        self.why |= dict.fromkeys(names, f"has been away for {self.attendance.away_s:g} s")

    async def look(self) -> None:
        """Remove the players that have come, and update the reasons of the others."""
        async with self._looking:
            sought = [name for name in self.why if not self.attendance.is_away(name)]
            try:
                found = await self.probe(sought) if sought else {}
            except* MachineError:  # their state is unknown now
                found = {name: self.why[name] for name in sought}
            self.why = {name: why for name, why in self.why.items() if name not in sought} | found
