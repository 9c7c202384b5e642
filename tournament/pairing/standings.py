"""Points and ratings of the players from the finished games of a history."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fiedler.support.numbers import ROUNDED_Z95
from fiedler.tournament.pairing.plan import Played
from fiedler.tournament.schedule.schedule import PlayerEntry, RatingSection

if TYPE_CHECKING:
    from fiedler.tournament.ratings import Rating, Section

UNKNOWN_SD = 200.0
"""Standard deviation in Elo for a player without a rating, if other players have ratings."""


def points(games: Iterable[Played]) -> Mapping[str, float]:
    """Return the points of every player, 0 for those without games."""
    total: defaultdict[str, float] = defaultdict(float)
    for game in games:
        first, second = game.result.points
        total[game.first] += first
        total[game.second] += second
    return total


def games_of_pairs(games: Iterable[Played]) -> Counter[frozenset[str]]:
    """Return the number of finished games of every pair."""
    return Counter(frozenset((game.first, game.second)) for game in games)


def rated(section: Section, games: Iterable[Played]) -> Rating:
    """Rate the players from these games by the table `[rating]`."""
    from fiedler.tournament.ratings import Results, rate_as

    return rate_as(section, Results.from_games((game.first, game.second, game.result) for game in games))


@dataclass(frozen=True)
class Strengths:
    """Raw Elo and its standard deviation, by name, for players with a known rating."""

    elo: Mapping[str, float]
    deviation: Mapping[str, float]

    @classmethod
    def of_players(cls, players: Sequence[PlayerEntry]) -> Strengths:
        """Return the `elo` and `elo_sd` of the schedule."""
        elo = {player.name: player.elo for player in players if player.elo is not None}
        unsure = {player.name: player.elo_sd for player in players if player.elo_sd is not None}
        return cls(elo, {**dict.fromkeys(elo, 0.0), **unsure})

    @classmethod
    def of_games(cls, section: RatingSection, games: Sequence[Played]) -> Strengths:
        """Return the ratings from games, on the scale of the model.

        They are the maximum of the likelihood, without anchors, because pairing depends on the uncertainty that the
        games leave.
        """
        if not games:
            return cls({}, {})
        rating = rated(replace(section, anchor={}, imitate=False), games)
        known = [player for player in rating.players if player.games and not math.isnan(player.plus)]
        return cls(
            {player.name: player.elo / rating.scale for player in known},
            {player.name: player.plus / rating.scale / ROUNDED_Z95 for player in known},
        )

    def updated(self, later: Strengths) -> Strengths:
        """Return these strengths, replaced by `later` ones of the same players."""
        return Strengths({**self.elo, **later.elo}, {**self.deviation, **later.deviation})

    def of(self, names: Sequence[str]) -> tuple[list[float] | None, list[float] | None]:
        """Return elo and deviation of each of `names`, by default the mean and a wide deviation.

        Both are None if no player has a rating.
        """
        if not self.elo:
            return None, None
        mean = fmean(self.elo.values())
        return [self.elo.get(name, mean) for name in names], [self.deviation.get(name, UNKNOWN_SD) for name in names]
