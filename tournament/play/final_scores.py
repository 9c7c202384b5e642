"""The scores that players give a finished game of Go: notes, and never a result."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from fiedler.games import AnyGame
from fiedler.games.go import PASS, is_go, lead
from fiedler.protocol.mistake import quoted_line
from fiedler.tournament.play.referee import Outcome, Referee
from fiedler.tournament.play.session import PlayerLostError, PlayerSession
from fiedler.tournament.termination import Termination

SCORE_S = 2.0
"""Most seconds for which a player is asked for its score; both are asked at the same time."""
ALIKE, OTHERWISE = "scores alike", "scores otherwise: "
"""The words of the detail of a game for a player with our score, and for one with another."""
_SCORE = re.compile(r"([BW])\+(\d{1,4}(?:\.\d{1,2})?)", re.IGNORECASE | re.ASCII)
_EVEN = frozenset({"0", "draw", "jigo"})


class FinalScores:
    """Asks the players of games of Go that two passes end. One that does not answer is not asked again."""

    def __init__(self, game: AnyGame) -> None:
        self._is_go = is_go(game)
        self._silent: set[str] = set()
        self._warnings: dict[str, str] = {}

    async def compared(self, outcome: Outcome, referee: Referee, sessions: Sequence[PlayerSession]) -> Outcome:
        """Return the outcome with the scores of both players in its detail; SCORE_S later at most."""
        by_passes = outcome.termination is Termination.RULES and referee.moves[-2:] == [PASS, PASS]
        if not self._is_go or not by_passes:
            return outcome
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._ask(session, referee)) for session in sessions]
        ours = lead(referee.position)
        parts = [outcome.detail]
        for session, task in zip(sessions, tasks, strict=True):
            if (text := task.result()) is None:
                continue
            same = points_of(text) == ours
            parts.append(f"{session.player} {ALIKE if same else OTHERWISE + _shown(text)}")
            if not same:
                wrong = f"{parts[-1]}, expected {points_text(ours)}; the rules here have no dead stones"
                self._warnings.setdefault(session.player, f"{wrong}; later ones are not reported")
        return Outcome(outcome.result, outcome.termination, "; ".join(parts))

    def take_warnings(self) -> dict[str, str]:
        """Return, once, a warning for each player with another score, or without an answer."""
        taken, self._warnings = self._warnings, {}
        return taken

    async def _ask(self, session: PlayerSession, referee: Referee) -> str | None:
        """Return the score of a player in its own words; None from one without."""
        if session.player in self._silent or session.fault is not None:
            return None
        try:
            return await session.final_score(referee.moves, SCORE_S)
        except PlayerLostError:
            return None
        except TimeoutError:
            self._silent.add(session.player)
            late = f"{session.player} did not answer final_score within {SCORE_S:g} s"
            self._warnings[session.player] = f"{late}: it is not asked again"
            return None


def points_of(text: str) -> float | None:
    """Return the points of the first player less those of the second in a score such as `W+4.5`; None for another."""
    if text.strip().lower() in _EVEN:
        return 0.0
    found = _SCORE.fullmatch(text.strip())
    return None if found is None else float(found[2]) * (1 if found[1].upper() == "B" else -1)


def points_text(points: float) -> str:
    """Return the score of a lead of the first player, such as `B+3.5`."""
    return f"{'B' if points > 0 else 'W'}+{abs(points):g}" if points else "0"


def _shown(text: str) -> str:
    return text.strip() if points_of(text) is not None else quoted_line(text)


def scored_otherwise(detail: str) -> bool | None:
    """Return whether a player scored a game otherwise, by its detail; None if no player gave a score."""
    if f" {OTHERWISE}" in detail:
        return True
    return False if detail.endswith(f" {ALIKE}") else None
