"""Searches of commands: in a thread, so that Ctrl-C ends them immediately."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from native import Limits, Position, SearchInfo, StopFlag
from players import Player


def think(player: Player, position: Position, limits: Limits) -> SearchInfo:
    """Search a running position; KeyboardInterrupt stops the search and is raised again."""
    player.prepare()
    stop = StopFlag()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(player.search, position, limits, stop)
        try:
            return future.result()
        finally:
            stop.set()
