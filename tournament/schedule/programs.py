"""The programs of players that this machine does not have: known before any player is started."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from fiedler.support.complaints import Complaint
from fiedler.support.programs import not_startable
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule


def missing_programs(schedule: Schedule, needed: Collection[str] | None = None) -> Iterator[Complaint]:
    """Yield the key of each program that cannot be started, with the reason; of the `needed` players, or of all.

    A player with `required = false` may come later.
    """
    for player in schedule.players:
        if player.required and (needed is None or player.name in needed) and (why := missing(player, schedule.folder)):
            yield f"players {player.name!r}.command", why


def missing(player: PlayerEntry, folder: str) -> str:
    """Return the reason for which a player's program cannot be started; empty without one, or without a program."""
    program = player.command[0] if player.command else ""
    if not program or "\0" in program:
        return ""
    reason = not_startable(program, folder)
    return f"cannot start {program!r}: {reason}" if reason else ""
