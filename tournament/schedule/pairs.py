"""The number of pairs of a schedule, and the pairs of a gauntlet."""

from __future__ import annotations

import itertools

from msgspec.structs import replace

from fiedler.support.text import counted
from fiedler.tournament.schedule.schedule import Pairing, Schedule

Pair = tuple[str, str]
"""Names of two players; the first one moves first in the first game of a meeting."""


BUDGETS = ("pairs", "degree", "games")
"""Keys of a meeting graph of which exactly one is given."""
FEW = 16
"""Most players who all meet if a schedule does not choose the pairs: they make 120 pairs."""


def with_all_pairs(schedule: Schedule) -> Schedule:
    """Return the schedule in which a few players all meet, if it has a meeting graph and does not choose the pairs."""
    pairing, players = schedule.pairing, len(schedule.players)
    if not pairing.kind.designed or any(getattr(pairing, key) is not None for key in BUDGETS):
        return schedule
    if not 2 <= players <= FEW:
        return schedule
    pairs = players * (players - 1) // 2 - len({frozenset(pair) for pair in pairing.forbidden})
    return replace(schedule, pairing=replace(pairing, pairs=max(1, pairs)))


def number_of_pairs(schedule: Schedule) -> int:
    """Return the number of pairs that meet.

    Raises:
        UsageError: the pairs are too few to connect the players, or more than the players form.

    """
    players, pairing = len(schedule.players), schedule.pairing
    if pairing.kind.challenged:
        return len(gauntlet(schedule))
    most = players * (players - 1) // 2
    if not pairing.kind.designed:
        return most
    key, pairs = _budget(schedule)
    if key == "games":  # a budget: an upper limit
        pairs = min(pairs, most - len({frozenset(pair) for pair in pairing.forbidden}))
    if pairs > most:
        raise schedule.error(f"pairing.{key}", f"{players} players make only {counted(most, 'pair')}, got {pairs}")
    if pairs < players - 1 and not pairing.prior_games:
        wrong = f"{counted(pairs, 'pair')} cannot connect {players} players, at least {players - 1} are needed"
        raise schedule.error(f"pairing.{key}", wrong)
    return pairs


def shares_games(pairing: Pairing) -> bool:
    """Return whether a budget of games is distributed freely over the pairs, for the most precise ratings."""
    return pairing.kind.designed and pairing.criterion == "precision" and pairing.games is not None


def gauntlet(schedule: Schedule) -> list[Pair]:
    """Return the pairs of every challenger with all other players, one opponent after the other."""
    challengers = schedule.pairing.challengers or schedule.names[:1]
    met: dict[frozenset[str], Pair] = {}
    for opponent, challenger in itertools.product(schedule.names, challengers):
        if opponent != challenger:
            met.setdefault(frozenset((challenger, opponent)), (challenger, opponent))
    return list(met.values())


def _budget(schedule: Schedule) -> tuple[str, int]:
    """Return the key that sets the number of pairs, and this number."""
    pairing, players = schedule.pairing, len(schedule.players)
    if pairing.pairs is not None:
        return "pairs", pairing.pairs
    if pairing.games is not None:
        return "games", pairing.games // schedule.tournament.games_per_pair
    assert pairing.degree is not None
    if pairing.degree >= players:
        wrong = f"{players} players have at most {counted(players - 1, 'opponent')}, got {pairing.degree}"
        raise schedule.error("pairing.degree", wrong)
    if players * pairing.degree % 2:
        wrong = f"{players} players with {counted(pairing.degree, 'opponent')} each make no whole number of pairs"
        raise schedule.error("pairing.degree", f"{wrong}, one of the numbers must be even")
    return "degree", players * pairing.degree // 2
