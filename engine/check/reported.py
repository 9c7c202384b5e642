"""The game that an engine reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from engine.check.failure import StepError
from engine.check.link import Link
from engine.check.wire import Wire
from games import GAMES, Game
from support.errors import UsageError

QUESTIONS = {
    "ugi": b"ugi\nisready\nquery position\n",
    "uci": b"uci\nisready\nquery position\n",
    "gtp": b"gogui-rules_game_id\n",
}
"""What engines of this project answer with their game, or its start position; others need not know it."""
ONLY = {"rowcol": "uttt", "rowcol-list": "uttt", "makemove": "uttt"}
"""The games of dialects that have one, up to the end of a game."""


def reported_game(way: Callable[[float], Link], dialect: str, seconds: float) -> Game:
    """Return the game that an engine reports within `seconds`.

    Raises:
        UsageError: It does not, or several games have the start that it reports.
    """
    if dialect in ONLY:
        return GAMES[ONLY[dialect]]
    if dialect not in QUESTIONS:
        raise UsageError(f"--game: expected the game, since {dialect} cannot ask for it")
    link = way(seconds)
    try:
        found = _asked(Wire(link), QUESTIONS[dialect], seconds)
    finally:
        with suppress(OSError, ValueError):
            link.close()
    if len(found) != 1:
        known = f"expected one of {', '.join(game.id for game in found)}" if found else "expected the game"
        raise UsageError(f"--game: {known}, since this engine does not report it")
    return found[0]


def _asked(wire: Wire, question: bytes, seconds: float) -> list[Game]:
    """Return the games that the answer may mean."""
    until = time.monotonic() + seconds
    with suppress(StepError):
        wire.send(question)
        while (line := wire.line(max(0.0, until - time.monotonic()))) is not None:
            head, _, rest = line.partition(" ")
            if head in {"=", "response"}:
                return [game for game in GAMES.values() if rest in {game.id.capitalize(), str(game.position())}]
            if head == "?" or "error" in line:
                break
    return []
