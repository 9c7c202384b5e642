"""The ratings of people, from their games against players of measured rating: results/people.sqlite."""

from __future__ import annotations

import logging
import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fiedler.support.numbers import Z95
from fiedler.support.text import counted

FILE = "people.sqlite"
RATED_MS = 100
"""The time a move, in milliseconds, at which the ratings of the players were measured."""
MOST_NAME = 40
"""Most characters of a name."""
ELO = math.log(10) / 400
"""The factor from Elo to the natural logarithm of the odds."""
MOST_ELO = 10_000.0
"""No player is that much stronger or weaker than the one at 0."""
SCORES = (0.0, 0.5, 1.0)
MOST_STEPS = 100_000_000
"""Steps of SQLite for one game; a file of another program may have triggers that never end."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
  person TEXT NOT NULL, game TEXT NOT NULL, opponent TEXT NOT NULL, elo REAL NOT NULL, score REAL NOT NULL,
  played TEXT NOT NULL
) STRICT
"""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PersonRating:
    """The rating of a person in one game."""

    games: int
    elo: float
    """On the scale of the opponents' ratings; infinite after wins or losses alone."""
    error: float
    """Half of the 95 % interval; that of the opponents' ratings is not in it."""

    def __str__(self) -> str:
        played = counted(self.games, "rated game")
        if math.isinf(self.elo):
            return f"{played}, all {'won' if self.elo > 0 else 'lost'}: no rating yet"
        return f"{round(self.elo):+d} ± {self.error:.0f} Elo after {played}"


def rating_of(results: Sequence[tuple[float, float]]) -> PersonRating:
    """Return the rating of maximum likelihood for results: the Elo of each opponent, which is fixed, and the score.

    The likelihood of a score s against an opponent of E Elo is p^s·(1−p)^(1−s) with p = 1/(1+10^((E−r)/400)). Its
    maximum is where the expected scores add up to the score, which is found by bisection.
    """
    total = sum(score for _, score in results)
    if total in {0.0, float(len(results))}:
        return PersonRating(len(results), math.inf if total else -math.inf, math.inf)
    low, high = min(elo for elo, _ in results) - 4000.0, max(elo for elo, _ in results) + 4000.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        if sum(_expected(middle - elo) for elo, _ in results) < total:
            low = middle
        else:
            high = middle
    information = sum(p * (1 - p) for p in (_expected(low - elo) for elo, _ in results))
    return PersonRating(len(results), low, Z95 / (ELO * math.sqrt(information)))


def _expected(difference: float) -> float:
    return 1.0 / (1.0 + math.exp(-ELO * difference))


class People:
    """The file of people's games, made with the first game."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def add(self, person: str, game: str, opponent: str, elo: float, score: float) -> PersonRating:
        """Keep a game of a person, and return the rating with it; `score` is that of the person: 0, ½ or 1."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._path, timeout=10)) as file, file:
            file.set_progress_handler(lambda: 1, MOST_STEPS)
            file.execute(_SCHEMA)
            played = datetime.now(UTC).isoformat(timespec="seconds")
            file.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", (person, game, opponent, elo, score, played))
            rows = file.execute("SELECT elo, score FROM games WHERE person = ? AND game = ?", (person, game))
            return rating_of(self._sound(rows.fetchall()))

    def _sound(self, rows: Sequence[tuple[object, object]]) -> list[tuple[float, float]]:
        """Return the rows that can be results: the table of an older version takes any value."""
        found = [(elo, score) for elo, score in rows if isinstance(elo, float) and isinstance(score, float)]
        found = [(elo, score) for elo, score in found if abs(elo) <= MOST_ELO and score in SCORES]
        if left := len(rows) - len(found):
            log.warning("%s: %s left out: expected an Elo and a score of 0, 1/2 or 1", self._path, counted(left, "row"))
        return found
