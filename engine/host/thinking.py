"""Searches of commands: in a thread, so that Ctrl-C ends them immediately."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

from fiedler.games.position import Position
from fiedler.native import Limits, SearchInfo, StopFlag
from fiedler.players import Player

if TYPE_CHECKING:
    from fiedler import native


def think(player: Player, position: Position, limits: Limits) -> SearchInfo:
    """Search a running position; KeyboardInterrupt stops the search and is raised again."""
    player.prepare()
    own = cast("native.Position", position)  # a player gets the positions of its own game
    stop = StopFlag()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(player.search, own, limits, stop)
        try:
            return future.result()
        finally:
            stop.set()
