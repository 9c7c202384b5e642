"""A run as the report sees it: read from its store once, then only looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import games
from games import Game
from tournament.ratings import Results
from tournament.schedule import Limit, Schedule
from tournament.store import Counts, GameRecord, Store


@dataclass(frozen=True)
class Run:
    """The finished games of a run and what it was made of."""

    meta: dict[str, Any]
    schedule: Schedule
    players: tuple[str, ...]
    games: tuple[GameRecord, ...]
    counts: Counts
    state: str

    @classmethod
    def read(cls, folder: Path) -> Run:
        """Read a run from its folder. Raise `UsageError` if there is none."""
        with Store.open(folder) as store:
            return cls(store.meta, store.schedule, store.players, tuple(store.games()), store.counts, store.state)

    @property
    def name(self) -> str:
        """The name of the tournament."""
        return str(self.meta["name"])

    @property
    def game(self) -> Game:
        """The game that is played."""
        return games.game(str(self.meta["game"]))

    @cached_property
    def results(self) -> Results:
        """What was played, counted by pair, with the players that have no game yet at the end."""
        found = Results.from_games((game.first, game.second, game.result) for game in self.games)
        idle = tuple(name for name in self.players if name not in set(found.names))
        return Results(found.names + idle, found.rows)


def limit_text(limit: Limit) -> str:
    """Say what a move or a game may cost, for people."""
    if limit.movetime_ms is not None:
        return f"{limit.movetime_ms} ms per move"
    if limit.nodes is not None:
        return f"{limit.nodes} nodes per move"
    if limit.depth is not None:
        return f"depth {limit.depth}"
    return f"{limit.base_ms} ms per game + {limit.increment_ms or 0} ms per move"


def distinct(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the lines without repetitions, in order."""
    return tuple(dict.fromkeys(lines))
