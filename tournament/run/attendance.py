"""The players that dial in: who is here, and since when the others are away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from fiedler.tournament.game import PlannedGame

NOTICED_S = 3.0
"""Seconds without a connection after which a player is reported as away: some dial in anew for each game."""


class Attendance:
    """A player is here while it has a connection. `changed` is set when one comes or leaves."""

    def __init__(
        self, names: Iterable[str] = (), is_here: Callable[[str], bool] = lambda _: True, away_s: float = 0.0
    ) -> None:
        """`is_here` looks for these players; one that is away for `away_s` is waited for no longer."""
        self.away_s = away_s
        self.changed = asyncio.Event()
        self.names = tuple(names)
        self._is_here = is_here
        self._since: dict[str, float] = {}
        self._reported: set[str] = set()
        self.notice()

    @property
    def away(self) -> set[str]:
        """The players without a connection."""
        return set(self._since)

    @property
    def overdue(self) -> set[str]:
        """Those that have been away for too long."""
        return self._away_for(self.away_s)

    @property
    def left_s(self) -> float:
        """Seconds until the last of them is overdue."""
        return max(0.0, max(self._since.values(), default=0.0) + self.away_s - _time())

    def is_away(self, name: str) -> bool:
        """Return whether a player dials in and has no connection."""
        return name in self._since

    def lacks(self, game: PlannedGame) -> bool:
        """Return whether a player of the game is away."""
        return not self._since.keys().isdisjoint((game.first, game.second))

    def add(self, names: Iterable[str]) -> None:
        """Attend to further players that dial in."""
        self.names = tuple(dict.fromkeys((*self.names, *names)))
        self.notice()

    def notice(self) -> None:
        """Look at all players; called when a connection comes or goes."""
        here = {name for name in self.names if self._is_here(name)}
        now = _time() if self.names else 0.0
        self._since = {name: self._since.get(name, now) for name in self.names if name not in here}
        self.changed.set()

    def has_reported(self, names: Iterable[str]) -> bool:
        """Return whether all of these players were reported as away."""
        return self._reported.issuperset(names)

    def reports(self) -> tuple[list[str], list[str]]:
        """Return the players that left and those that are back, since the last call."""
        away = self._away_for(NOTICED_S)
        left, back = away - self._reported, self._reported - self._since.keys()
        self._reported = (self._reported | left) - back
        return sorted(left), sorted(back)

    async def change(self) -> None:
        """Wait until a player comes or leaves, is to be reported, or is overdue."""
        due = [since + s for since in self._since.values() for s in (NOTICED_S, self.away_s)]
        deadline = min((at for at in due if at > _time()), default=None)
        try:
            async with asyncio.timeout_at(deadline):
                await self.changed.wait()
        except TimeoutError:
            return
        self.changed.clear()

    def _away_for(self, seconds: float) -> set[str]:
        now = _time() if self._since else 0.0
        return {name for name, since in self._since.items() if now >= since + seconds}


def _time() -> float:
    return asyncio.get_running_loop().time()
