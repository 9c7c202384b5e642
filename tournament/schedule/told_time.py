"""The players that cannot know the time of a move: their dialect has no words for it, or they are not sent."""

from __future__ import annotations

from contextlib import suppress

from fiedler.client.command import MOVETIME_PLACE, has_place
from fiedler.protocol import DIALECTS
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule


def unknown_times(schedule: Schedule) -> list[str]:
    """Return a line for each player that opens the connection and cannot know `movetime_ms`, which it would exceed."""
    movetime = schedule.limit.movetime_ms
    if movetime is None:
        return []
    cure = f"expected {MOVETIME_PLACE} in its command, or send_time = true; got neither"
    return [
        f"player {player.name!r}: it cannot know that a move has {movetime} ms: {cure}"
        for player in schedule.players
        if DIALECTS[player.protocol].dials_in and not player.send_time and not _names(player, movetime)
    ]


def _names(player: PlayerEntry, movetime: int) -> bool:
    """Return whether the command has a place for the time, or the time itself."""
    command = player.command or ()
    return has_place(command, MOVETIME_PLACE) or any(_is_time(word, movetime) for word in command)


def _is_time(word: str, movetime: int) -> bool:
    with suppress(ValueError):
        return float(word) in (movetime, movetime / 1000)
    return False
