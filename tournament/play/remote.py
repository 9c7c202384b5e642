"""`address =`: players that listen elsewhere."""

from __future__ import annotations

import asyncio
from typing import NoReturn

from tournament.play.endpoint import Endpoint, Site, connect, unreachable_fault
from tournament.play.session import Fault, PlayerSession
from tournament.schedule.schedule import Player, Schedule
from tournament.schedule.validation import split_address

RETRY_PAUSE_S = 0.5
"""Seconds between two attempts to reach an address at which nobody listens any more."""


class RemoteServer(Endpoint):
    """`address =`: a player that listens at an address; one that listened before may take `startup_s` to return."""

    is_elsewhere = True

    def __init__(self, player: Player, schedule: Schedule, site: Site) -> None:
        super().__init__(player, schedule, site)
        self._was_there = False
        self._refusal: OSError | None = None
        """The error of the last attempt to connect."""

    async def _open(self) -> PlayerSession:
        host, port = split_address(self._player.address or "", _never)
        while True:
            self._refusal = None
            try:
                session = await connect(self.name, host, port, None, self._client(), self._session_log())
            except ConnectionRefusedError as error:
                if not self._was_there:
                    raise
                self._refusal = error
                await asyncio.sleep(RETRY_PAUSE_S)
            else:
                self._was_there = True
                return session

    def _late(self, mistake: str) -> Fault:
        return super()._late(mistake) if self._refusal is None else unreachable_fault(self._address, self._refusal)


def _never(wrong: str) -> NoReturn:
    raise AssertionError(wrong)
