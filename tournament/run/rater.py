"""The ranking so far, computed once for all displays, in a thread, from time to time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence

from fiedler.support.numbers import without_nan
from fiedler.tournament.game import GameRecord, now
from fiedler.tournament.ratings import PlayerRating, Results, rate_as
from fiedler.tournament.run.conclusion import conclude
from fiedler.tournament.run.events import (
    Annulled,
    Event,
    Feed,
    Finished,
    Rated,
    RatedPlayer,
)
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.termination import FAILURES

RATED_AFTER = 10
"""Finished games before the first ranking."""
PAUSE_S = 2.0
"""Seconds between two rankings, at least."""
SHARE = 0.05
"""Share of the time for rankings, which compete with the games."""


class PlayerTally:
    """Points, games and failures of every player, kept up to date game by game."""

    def __init__(self, games: Iterable[GameRecord] = ()) -> None:
        self.points: dict[str, float] = {}
        self.games: dict[str, int] = {}
        self.failures: dict[str, int] = {}
        for game in games:
            self.add(game)

    def add(self, game: GameRecord) -> None:
        """Count a finished game."""
        self._count(game, 1)

    def take_back(self, game: GameRecord) -> None:
        """Forget a finished game, which was annulled."""
        self._count(game, -1)

    def _count(self, game: GameRecord, number: int) -> None:
        for name, points in zip((game.first, game.second), game.result.points, strict=True):
            self.points[name] = self.points.get(name, 0.0) + number * points
            self.games[name] = self.games.get(name, 0) + number
        if game.termination in FAILURES and game.loser is not None:
            self.failures[game.loser] = self.failures.get(game.loser, 0) + number

    def score(self, name: str) -> float:
        """Return points per game, 0 to 1; 0 before the first game."""
        return self.points.get(name, 0.0) / max(1, self.games.get(name, 0))


class Rater:
    """A subscriber that emits `rated`: at most once in PAUSE_S, within a SHARE of the time, and at the end."""

    def __init__(self, schedule: Schedule, feed: Feed, earlier: Iterable[GameRecord] = ()) -> None:
        """Start with the games that `earlier` managers finished."""
        self._schedule = schedule
        self._feed = feed
        earlier = list(earlier)
        self._tally = PlayerTally(earlier)
        self._games = [(game.first, game.second, game.result) for game in earlier]
        self._known = RunState()
        self._rated = 0
        """Games of the last ranking."""
        self._wake = asyncio.Event()
        self._rating = asyncio.Lock()
        self._over = False

    def __call__(self, event: Event) -> None:
        """Count an event."""
        before, self._known = self._known, self._known.after(event)
        if isinstance(event, Finished):
            self._tally.add(event.game)
            self._games.append((event.game.first, event.game.second, event.game.result))
        elif isinstance(event, Annulled):
            self._tally.take_back(event.game)
            self._games.remove((event.game.first, event.game.second, event.game.result))
            self._rated = -1  # the number of games may be the same again
        elif self._known is before:
            return
        self._wake.set()

    async def run(self) -> None:
        """Rate until `finish`."""
        while not self._over:
            await self._wake.wait()
            self._wake.clear()
            began = time.monotonic()
            await self._rate()
            took = time.monotonic() - began
            if not self._over:
                await asyncio.sleep(max(PAUSE_S, took / SHARE) if took else PAUSE_S)

    async def finish(self) -> None:
        """Rate all games and end."""
        self._over = True
        await self._rate()

    async def _rate(self) -> None:
        async with self._rating:  # the last call waits for a ranking that is under way
            games = list(self._games)
            if len(games) < RATED_AFTER or len(games) == self._rated:
                return
            self._feed.emit(await asyncio.to_thread(self._ranking, games, self._known))
            self._rated = len(games)

    def _ranking(self, games: Sequence[tuple[str, str, str]], known: RunState) -> Rated:
        results = Results.from_games(games)
        rating = rate_as(self._schedule.rating, results)
        answer = conclude(self._schedule, known, rating, results).text
        return Rated(
            at=now(), games=len(games), players=tuple(self._row(player) for player in rating.players), answer=answer
        )

    def _row(self, player: PlayerRating) -> RatedPlayer:
        name = player.name
        elo, minus, plus = without_nan((player.elo, player.minus, player.plus))
        return RatedPlayer(name, elo, minus, plus, player.score, player.games, self._tally.failures.get(name, 0))
