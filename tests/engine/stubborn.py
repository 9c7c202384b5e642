"""A server whose player ignores `stop`: `python stubborn.py SECONDS` waits that long for it in the end."""

from __future__ import annotations

import asyncio
import sys
import time

from fiedler.engine.port import server
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.games import game
from fiedler.native import Limits, Position, SearchInfo, StopFlag
from fiedler.players import Factory, OnInfo, Player


class Stubborn(Player):
    """Searches for ten minutes."""

    name = "stubborn"
    description = "for tests"

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Sleep."""
        time.sleep(600)
        return SearchInfo(position.legal_moves()[0])


async def serve() -> int:
    """Serve until a signal."""
    uttt = game("uttt")
    return await server.serve(server.Server(EngineOffer(uttt, Factory(Stubborn, uttt, {}))), "127.0.0.1", 0)


if __name__ == "__main__":
    server.END_SECONDS = float(sys.argv[1])
    sys.exit(asyncio.run(serve()))
