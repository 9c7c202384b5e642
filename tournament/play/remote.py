"""`address =`: players that listen elsewhere."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

from fiedler.client.call import Access
from fiedler.support.address import parse_address, reason
from fiedler.support.tls import client_context
from fiedler.support.tokens import read_own_token, warn_in_clear
from fiedler.tournament.play.endpoint import Endpoint, Site, connect, unreachable_fault
from fiedler.tournament.play.session import Fault, PlayerLostError, PlayerSession
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule
from fiedler.tournament.termination import Termination

RETRY_PAUSE_S = 0.5
"""Seconds between two attempts to reach an address at which nobody listens any more."""


class RemoteServer(Endpoint):
    """`address =`: a player that listens at an address; one that listened before may take `startup_s` to return."""

    is_elsewhere = True

    def __init__(self, player: PlayerEntry, schedule: Schedule, site: Site) -> None:
        """Prepare to connect.

        Raises:
            UsageError: the file of the token or of the authorities cannot be used.

        """
        super().__init__(player, schedule, site)
        self._access = secrets(player)
        self._was_there = False
        self._refusal: OSError | None = None
        """The error of the last attempt to connect."""

    async def _open(self) -> PlayerSession:
        address = parse_address(self._address)
        while True:
            self._refusal = None
            try:
                session = await connect(self.name, address, None, self._client(), self._session_log(), self._access)
            except ConnectionRefusedError as error:
                if not self._was_there:
                    raise
                self._refusal = error
                await asyncio.sleep(RETRY_PAUSE_S)
            except ssl.SSLError as error:
                raise PlayerLostError(self.name, Fault(Termination.DISCONNECT, reason(error))) from error
            else:
                self._was_there = True
                return session

    def _late(self, mistake: str) -> Fault:
        return super()._late(mistake) if self._refusal is None else unreachable_fault(self._address, self._refusal)


def secrets(player: PlayerEntry) -> Access:
    """Return the token to send to a player, and the TLS context for it.

    Raises:
        UsageError: a file cannot be used.

    """
    token = None if player.token_file is None else read_own_token(Path(player.token_file), player.name)
    if token is not None and not player.tls:
        warn_in_clear(parse_address(player.address or ""), option="tls = true")
    ca = None if player.ca is None else Path(player.ca)
    return Access(None if token is None else token.text, client_context(ca) if player.tls else None)
