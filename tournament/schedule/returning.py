"""The players that can return to a game whose line is lost; without any `reconnect_s` saves no game."""

from __future__ import annotations

from fiedler.protocol import DIALECTS
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule

KEY = "limit.reconnect_s"


def futile_wait(schedule: Schedule) -> list[str]:
    """Return a line if games shall wait for lost players of which none can return."""
    elsewhere = [player for player in schedule.players if _is_elsewhere(player)]
    if not schedule.limit.reconnect_s or any(DIALECTS[player.protocol].openings for player in elsewhere):
        return []
    if not elsewhere:
        return [f"{KEY}: it saves no game: expected a player with address, listen or dial_in, got none"]
    protocols = ", ".join(sorted({player.protocol for player in elsewhere}))
    return [f"{KEY}: it saves no game: the players elsewhere speak {protocols}, which cannot resume a game"]


def _is_elsewhere(player: PlayerEntry) -> bool:
    """Return whether others start it, so that only the line to it can be lost."""
    return player.dial_in or player.address is not None or player.listen is not None
