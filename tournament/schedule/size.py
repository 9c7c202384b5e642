"""The size of a tournament, known from its schedule before anything is planned or allocated."""

from __future__ import annotations

from fiedler.tournament.schedule.methods import Extent
from fiedler.tournament.schedule.schedule import Schedule

MAX_PLAYERS = 20_000
"""Most players of a tournament."""
MAX_GAMES = 1_000_000
"""Most games of a tournament; a planned game takes about a kilobyte."""


def check_size(schedule: Schedule) -> None:
    """Check the numbers of players and of games.

    Raises:
        UsageError: there are too many; the text names the key to change.

    """
    players = len(schedule.players)
    if players > MAX_PLAYERS:
        raise schedule.error("players", f"expected at most {MAX_PLAYERS}, got {players}")
    games = most_games(schedule)
    if games > MAX_GAMES:
        raise schedule.error(_key(schedule), f"expected at most {MAX_GAMES} games in all, got {games}")


def most_games(schedule: Schedule) -> int:
    """Return the number of games of a tournament that no result ends earlier, without those that break ties.

    That of a sequential test is 0: it is planned as it is played.
    """
    pairing, each = schedule.pairing, schedule.tournament.games_per_pair
    if pairing.games is not None and (pairing.kind.spends or pairing.criterion == "precision"):
        return pairing.games
    return each * pairing.kind.most_pairs(_extent(schedule))


def _extent(schedule: Schedule) -> Extent:
    pairing = schedule.pairing
    return Extent(
        players=len(schedule.players),
        budget=_budget(schedule),
        challengers=len(set(pairing.challengers)) or 1,
        opponents=pairing.opponents,
        rounds=pairing.rounds,
    )


def _budget(schedule: Schedule) -> int:
    """Return the number of pairs that a meeting graph asks for."""
    pairing = schedule.pairing
    if pairing.games is not None:
        return pairing.games // schedule.tournament.games_per_pair
    return pairing.pairs or len(schedule.players) * (pairing.degree or 0) // 2


def _key(schedule: Schedule) -> str:
    """Return the key that makes a tournament too large: that of the games of a pair, unless each has two."""
    pairing = schedule.pairing
    if pairing.games is not None:
        return "pairing.games"
    if schedule.tournament.games_per_pair > 2:
        return "tournament.games_per_pair"
    key = pairing.kind.size_key if pairing.degree is None or not pairing.kind.designed else "degree"
    return "players" if key is None else f"pairing.{key}"
