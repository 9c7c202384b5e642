"""An interim look at a run: the ranking so far, and the time left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fiedler.support.text import counted, duration, listed
from fiedler.tournament.schedule.schedule import Pairing, Schedule

if TYPE_CHECKING:
    from fiedler.tournament.ratings import PlayerRating
    from fiedler.tournament.run.records import Counts
    from fiedler.tournament.run.run_state import RunState

SHOWN_PLAYERS = 30
"""Most rows of an interim ranking."""
GAMES_EACH = 3
"""Finished games per player before the first interim ranking."""
ROUND = (10, 15, 20, 30, 50, 70)
"""Finished games after which a log shows the ranking; also these numbers times 10, 100 and so on."""


def is_time_to_look(games: int, players: int) -> bool:
    """Return whether a log shows the ranking after this number of games: 10, 15, 20, 30, 50, 70, 100, 150 and so on.

    There is no ranking before three games for each player.
    """
    if games < GAMES_EACH * players:
        return False
    while games >= 10 * ROUND[0] and games % 10 == 0:
        games //= 10
    return games in ROUND


def expected_games(pairing: Pairing, scheduled: int) -> int:
    """Return the expected number of games of a run, of which `scheduled` are planned by now."""
    budget = pairing.games if pairing.kind.spends else None
    return max(scheduled, budget or 0)


def grows(pairing: Pairing) -> bool:
    """Return whether the number of games depends on results."""
    return not pairing.kind.fixed or pairing.ends_early


def games_text(
    pairing: Pairing, finished: int, scheduled: int, *, is_all: bool, verb: str = "", given_up: int = 0
) -> str:
    """Return `30 of 44 games`, or while more may be planned `30 games, 44 planned so far, at most 60`.

    With `is_all` no more games will be planned; the `verb` comes after the games. The total is always that of the plan,
    with the games `given_up`, which are named beside it: `30 of 44 games, 6 given up`.
    """
    left_out = f", {given_up} given up" if given_up else ""
    scheduled += given_up
    most = pairing.games if pairing.kind.budgeted else None
    if is_all or not grows(pairing) or (most is not None and scheduled >= most - most % 2):
        return f"{finished} of {counted(scheduled, 'game')}{verb}{left_out}"
    limit = f", at most {most}" if most is not None else ""
    return f"{counted(finished, 'game')}{verb}, {scheduled} planned so far{limit}{left_out}"


def progress_text(pairing: Pairing, state: str, counts: Counts, *, is_all: bool) -> str:
    """Return the state of a run with its games: `running: 30 of 44 games finished`, `finished: 44 of 44 games`."""
    verb = "" if state == "finished" else " finished"
    games = games_text(pairing, counts.finished, counts.scheduled, is_all=is_all, verb=verb, given_up=counts.given_up)
    return f"{state}: {games}{void_text(counts)}"


def void_text(counts: Counts) -> str:
    """Return `, 3 attempts void and played again`: of games without a fault of the players; empty if there is none.

    Games that were given up since then are not played again: `, 3 attempts void, 1 of them not played again`.
    """
    if not counts.void:
        return ""
    text, left = f", {counted(counts.void, 'attempt')} void", counts.void_given_up
    if not left:
        return f"{text} and played again"
    return f"{text}, {'not' if left == counts.void else f'{left} of them not'} played again"


def time_left(pairing: Pairing, left: int, seconds: float) -> str:
    """Return the time of the games left, as text, with a note if fewer may be enough, or more may follow."""
    kind = pairing.kind
    if not left or ((kind.fixed or kind.spends) and not pairing.ends_early):
        note = ""
    else:
        note = " at most" if kind.spends else " for the games planned so far"
    return f"about {duration(seconds)} left{note}"


def waiting_text(names: Sequence[str]) -> str:
    """Return the text in place of the time left while all games wait for these players."""
    return f"waiting for {listed(names)}"


def first_players(players: Sequence[PlayerRating], most: int = SHOWN_PLAYERS) -> str:
    """Return a ranking as text: its first `most` players."""
    from fiedler.tournament.ratings import table_of

    more = f"\n     … and {len(players) - most} more" if len(players) > most else ""
    return f"{table_of(players[:most])}{more}"


def look(schedule: Schedule, games: Sequence[tuple[str, str, str]], state: RunState, remark: str) -> str:
    """Return the ranking after these games (first, second, result), its answer, and a sequential test's `remark`."""
    from fiedler.tournament.ratings import Results, rate_as  # slow to import, and many commands need none
    from fiedler.tournament.run.conclusion import conclude

    results = Results.from_games(games)
    rating = rate_as(schedule.rating, results)
    answer = conclude(schedule, state, rating, results).text
    return "\n".join(filter(None, (first_players(rating.players), answer, remark)))
