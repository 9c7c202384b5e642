"""Players without which a run began: their games wait, and they are looked for again."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from tournament.play.endpoint import Endpoint
from tournament.play.probe import probe
from tournament.play.process import MachineError

LOOK_AGAIN_S = 60.0
"""seconds between two looks while others play"""


class Absentees:
    """Players with `required = false` that did not start, and why."""

    def __init__(self, endpoints: Mapping[str, Endpoint], why: Mapping[str, str], game: str) -> None:
        """Begin without the players that `why` names; `endpoints` say by name how players are reached."""
        self.why = dict(why)
        self._endpoints = endpoints
        self._game = game
        self._looking = asyncio.Lock()

    @property
    def warnings(self) -> list[str]:
        """What a person should know when the run begins."""
        return [f"{name} {why}: its games wait until it comes" for name, why in self.why.items()]

    async def look(self) -> None:
        """Forget those that have come; why the others have not is known anew."""
        async with self._looking:
            try:
                self.why = await probe([self._endpoints[name] for name in self.why], self._game)
            except* MachineError:
                pass  # nothing is known of them now
