"""The consequences of disputes: pairs that meet no more, and the end of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set

from fiedler.support.text import counted, listed
from fiedler.tournament.dispute import MOST_OF_PAIR, Dispute
from fiedler.tournament.game import PlannedGame
from fiedler.tournament.schedule.schedule import STOP, Schedule


def stopped_pairs(disputes: Iterable[Dispute]) -> frozenset[frozenset[str]]:
    """Return the pairs that meet no more."""
    number = Counter(dispute.pair for dispute in disputes)
    return frozenset(pair for pair, count in number.items() if count >= MOST_OF_PAIR)


def kept_apart(schedule: Schedule, disputes: Sequence[Dispute], pair: Set[str]) -> str:
    """Return the reason that two players get no game, as a sentence without its end; empty if they may play."""
    over = end_by_disputes(schedule, disputes)
    return over or (stop_text(pair) if pair in stopped_pairs(disputes) else "")


def parted(
    schedule: Schedule, disputes: Sequence[Dispute], games: Iterable[PlannedGame]
) -> tuple[list[PlannedGame], list[PlannedGame]]:
    """Return the games whose players may play, and those that disputes end."""
    over, stopped = bool(end_by_disputes(schedule, disputes)), stopped_pairs(disputes)
    kept, ended = list[PlannedGame](), list[PlannedGame]()
    for game in games:
        (ended if over or {game.first, game.second} in stopped else kept).append(game)
    return kept, ended


def stop_text(pair: Set[str]) -> str:
    """Return that a pair meets no more, as a sentence without its end."""
    return f"{listed(sorted(pair))} meet no more: they did not agree on the rules in {counted(MOST_OF_PAIR, 'game')}"


def end_by_disputes(schedule: Schedule, disputes: Sequence[Dispute]) -> str:
    """Return the reason that disputes end a run; empty if they do not.

    The first one ends it if the schedule says so, and in a knockout, whose matches need all of their games. Otherwise a
    pair that meets no more ends the run of two players.
    """
    if not disputes:
        return ""
    if schedule.tournament.disputes == STOP or schedule.pairing.kind.eliminates:
        first = disputes[0]
        return f"stopped by the dispute in game {first.number}: {first.text}"
    stopped = sorted(stopped_pairs(disputes), key=sorted)
    return stop_text(stopped[0]) if stopped and len(schedule.players) == 2 else ""
