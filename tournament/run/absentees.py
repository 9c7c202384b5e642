"""Players missing at the start of a run: their games wait, and the manager tries them again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from tournament.play.process import MachineError

Probe = Callable[[Sequence[str]], Awaitable[dict[str, str]]]
"""Starts players, and returns the failures by the names of those that cannot be used."""
LOOK_AGAIN_S = 60.0
"""Seconds between two looks while others play."""


class Absentees:
    """Players with `required = false` that did not start, and the reasons."""

    def __init__(self, probe: Probe, why: Mapping[str, str]) -> None:
        """Begin without the players in `why`; `probe` looks for them."""
        self.why = dict(why)
        self._probe = probe
        self._looking = asyncio.Lock()

    @property
    def warnings(self) -> list[str]:
        """The warnings at the start of the run."""
        return [f"{name} {why}: its games wait until it joins" for name, why in self.why.items()]

    async def look(self) -> None:
        """Remove the players that have come, and update the reasons of the others."""
        async with self._looking:
            try:
                self.why = await self._probe(list(self.why))
            except* MachineError:
                pass  # their state is unknown now
