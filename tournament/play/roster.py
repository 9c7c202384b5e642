"""The file of players of a shared server: `engine serve --players`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from fiedler.protocol import DEFAULT
from fiedler.support.player_spec import PlayerSpec
from fiedler.support.player_table import PlayerTable
from fiedler.tournament.schedule.schedule import PlayerEntry

CHOICE = "player"
"""The option by which a session chooses its player."""
NOBODY = "0"
"""The player of a session that has not chosen: it needs no memory."""


def is_sharable(player: PlayerEntry) -> bool:
    """Return whether a player can share its process with others."""
    if player.isolate or player.protocol != DEFAULT or (player.player is None and player.model is None):
        return False
    with suppress(UnicodeEncodeError):  # a path that is not UTF-8
        return bool(PlayerTable.of("1", player.spec).toml.encode())
    return False


def roster_text(players: Mapping[str, PlayerEntry], folder: Path) -> str:
    """Return the file with players by the name in it; `folder` is that of the schedule."""
    named = {NOBODY: PlayerSpec("random"), **{name: player.spec.within(folder) for name, player in players.items()}}
    return "\n\n".join(PlayerTable.of(name, spec).toml for name, spec in named.items())
