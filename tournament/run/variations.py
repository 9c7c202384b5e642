"""The principal variations that programs report: the first illegal move of a player is a remark, never a result."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from fiedler import games
from fiedler.games.errors import IllegalMoveError
from fiedler.games.position import Position
from fiedler.protocol.mistake import quoted_line
from fiedler.tournament.game import GameRecord
from fiedler.tournament.play.match import Kept
from fiedler.tournament.run.lease import Notice
from fiedler.tournament.schedule.schedule import Schedule

PLIES_A_TURN = 16
"""Plies that are looked at in a turn of the loop: about a tenth of a millisecond."""


class Variations:
    """Looks at the last variation of each move of the programs at a table, until one has an illegal move.

    In games of the core only: rules in Python may take long. The reports themselves are stored without variations.
    """

    def __init__(self, schedule: Schedule) -> None:
        self._game = games.any_game(schedule.tournament.game)
        self._names = set[str]()
        """The players that are looked at: those of others, in dialects that have variations in the game's notation."""
        if isinstance(self._game, games.Game):
            foreign = [one for one in schedule.players if not (one.player or one.model)]
            self._names = {one.name for one in foreign if one.protocol in {"ugi", "uci"}}

    async def remarks(self, record: GameRecord, kept: Kept) -> list[Notice]:
        """Return the remarks about the players of a game; other games get their turns meanwhile."""
        found: list[Notice] = []
        if self._names.isdisjoint((record.first, record.second)):
            return found
        position = self._game.position(record.start, record.opening)
        for ply, (info, _) in enumerate(kept, start=len(record.opening)):
            name = record.second if record.side(ply) else record.first
            report = info() if name in self._names else None
            if report is not None and report.pv and (wrong := illegal(position, report.pv)):
                self._names.discard(name)
                text = f"{name}, game {record.number}, ply {ply + 1}: {wrong}; later ones are not reported"
                found.append(Notice(name, "variation", text))
            if not ply % PLIES_A_TURN:
                await asyncio.sleep(0)
            position.play(position.parse_move(record.moves[ply]))
        return found


def illegal(position: Position, variation: Sequence[str]) -> str:
    """Return which move of a variation is illegal, and the variation up to it; empty if none is.

    What follows the end of a game is not looked at: a program may search on after a draw.
    """
    board = position.copy()
    for place, text in enumerate(variation, 1):
        if board.result is not None:
            break
        try:
            board.play(board.parse_move(text))
        except IllegalMoveError as error:
            line = quoted_line(" ".join(variation[:place]))
            return f"its principal variation has the illegal move {place} in {line}: {error}"
    return ""
