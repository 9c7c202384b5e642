"""The offer of an engine: a game, its players, and the dialects of its sessions."""

from __future__ import annotations

from dataclasses import dataclass

from fiedler.engine.roster.lineup import Lineup
from fiedler.engine.roster.roster import Roster
from fiedler.games import AnyGame
from fiedler.players import THREADS_OPTION, Factory


@dataclass(frozen=True, slots=True)
class EngineOffer:
    """The same for all sessions of an engine."""

    game: AnyGame
    """The game of a new session."""
    factory: Factory
    """Makes the player of a new session."""
    pinned: str | None = None
    """The dialect of all sessions; None: the first line of each client decides."""
    lineup: Lineup | None = None
    """The players of several games, of which a client may choose one."""
    roster: Roster | None = None
    """The named players of the game, of which a client may choose one."""

    @property
    def threads(self) -> int:
        """The most threads of a session, before a client sets another number."""
        return getattr(self.factory.settings, THREADS_OPTION, 1) if self.roster is None else self.roster.threads

    def close(self) -> None:
        """Free all players. No session is left."""
        (self.roster or self.lineup or self.factory).close()
