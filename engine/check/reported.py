"""The game that an engine reports."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from fiedler.engine.check.failure import StepError
from fiedler.engine.check.link import Link
from fiedler.engine.check.wire import Wire
from fiedler.games import GAMES, Game
from fiedler.protocol.gtp.command import FIXED_HANDICAP, GO
from fiedler.protocol.ugi.option import CHESS, OF_CHESS
from fiedler.support.errors import UsageError

QUESTIONS = {
    "ugi": b"ugi\nisready\nquery position\n",
    "uci": b"uci\nisready\nquery position\n",
    "gtp": f"gogui-rules_game_id\nknown_command {FIXED_HANDICAP}\n".encode(),
}
"""What engines of this project answer with their game, or its start position; others need not know it. Stones of a
handicap are a matter of Go alone."""
_CHESS_LINE = f"option name {OF_CHESS} "
"""The beginning of a line that engines of chess alone have."""
_REFUSAL = re.compile(r"error|unknown", re.IGNORECASE)
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
        wire, until = Wire(link), time.monotonic() + seconds
        found = _asked(wire, QUESTIONS[dialect], until)
        if dialect != "gtp":
            found = _narrowed(wire, found, until)
    finally:
        with suppress(OSError, ValueError):
            link.close()
    if len(found) != 1:
        known = f"expected one of {', '.join(game.id for game in found)}" if found else "expected the game"
        raise UsageError(f"--game: {known}, since this engine does not report it")
    return found[0]


def _asked(wire: Wire, question: bytes, until: float) -> list[Game]:
    """Return the games that the answer may mean."""
    family = ""
    with suppress(StepError):
        wire.send(question)
        while (line := wire.line(max(0.0, until - time.monotonic()))) is not None:
            head, _, rest = line.partition(" ")
            if line.startswith(_CHESS_LINE):
                family = CHESS
            elif head == "=" and rest in {"true", "false"}:
                family = GO if rest == "true" else ""
                break
            elif head in {"=", "response"}:
                return [game for game in GAMES.values() if rest in {game.id.capitalize(), str(game.position())}]
            elif head not in {"?", "option", "id"} and _REFUSAL.search(line):
                break
    return [game for game in GAMES.values() if family and game.family == family]


def _narrowed(wire: Wire, found: Sequence[Game], until: float) -> list[Game]:
    """Return the games of those with one start that the engine may play, by a first move that not all of them have."""
    for game in found:
        others = [other for other in found if other is not game]
        moves = [name for name in _moves(game) if not any(name in _moves(other) for other in others)]
        if others and moves:
            answer = _position_after(wire, moves[0], until)
            return [game] if answer == str(game.position(moves=moves[:1])) else _narrowed(wire, others, until)
    return [*found]


def _moves(game: Game) -> set[str]:
    start = game.position()
    return {start.move_text(move) for move in start.legal_moves()}


def _position_after(wire: Wire, move: str, until: float) -> str:
    """Return the position after a first move; empty if the engine does not know one."""
    with suppress(StepError):
        wire.send(f"position startpos moves {move}\nquery position\n".encode())
        while (line := wire.line(max(0.0, until - time.monotonic()))) is not None:
            head, _, rest = line.partition(" ")
            if head == "response":
                return rest
    return ""
