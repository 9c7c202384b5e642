"""The verdict of a sequential test as a sentence: the decision, and the difference that was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from fiedler.support.text import counted
from fiedler.tournament.schedule.schedule import Schedule, Sprt

if TYPE_CHECKING:
    from fiedler.tournament.ratings import Results


def verdict(schedule: Schedule, accepted: str, results: Results) -> str:
    """Return the decision of a test that accepted `H0` or `H1` after these results, with the measured difference.

    A test rejects a hypothesis and so shows a bound of the difference, not its size: the size is measured.
    """
    test, name = schedule.pairing.test, schedule.names[0]
    shown = _more_than(test.elo0) if accepted == "H1" else _less_than(test.elo1)
    one, other = (_h1(test), f"H0 ({test.elo0:g})") if accepted == "H1" else (_h0(test), f"H1 ({test.elo1:g})")
    after = counted(results.games, "game")
    return f"{name} is {shown}: {one} accepted against {other} after {after}; {_ahead(schedule, results)}"


def no_verdict(schedule: Schedule, results: Results) -> str:
    """Return the state of a test that has accepted no hypothesis after these results."""
    test, after = schedule.pairing.test, counted(results.games, "game")
    neither = f"neither {_h1(test)} nor H0 ({test.elo0:g}) accepted after {after}"
    return f"{neither}; {schedule.names[0]} is {_ahead(schedule, results)}" if results.games else neither


def meetings_text(counts: Sequence[int]) -> str:
    """Return the counts of meetings with 0, ½, 1, 1½ and 2 points as words."""
    points = ("0 points", "½", "1", "1½", "2")
    each = ", ".join(f"{count} with {one}" for count, one in zip(counts, points, strict=True))
    return f"{counted(sum(counts), 'meeting')} of two games: {each}"


def unit(test: Sprt) -> str:
    """Return the unit of the hypotheses."""
    return "normalised Elo" if test.model == "normalised" else "Elo"


def _h1(test: Sprt) -> str:
    return f"H1 ({test.elo1:g} {unit(test)})"


def _h0(test: Sprt) -> str:
    return f"H0 ({test.elo0:g} {unit(test)})"


def _more_than(elo: float) -> str:
    """Return what is shown of a player if an advantage of `elo` is rejected from above."""
    if elo < 0:
        return f"not weaker by {-elo:g}"
    return f"stronger by more than {elo:g}" if elo else "stronger"


def _less_than(elo: float) -> str:
    """Return what is shown of a player if an advantage of `elo` is rejected from below."""
    if elo > 0:
        return f"not stronger by {elo:g}"
    return f"weaker by more than {-elo:g}" if elo else "weaker"


def _ahead(schedule: Schedule, results: Results) -> str:
    """Return the rating of the first player minus that of the second, with the 95 % interval."""
    from fiedler.tournament.ratings import rate_as, relative_to  # slow to import

    name, other = schedule.names
    free = replace(schedule.rating, anchor={})  # two players that are held have no measured difference
    found = relative_to(rate_as(free, results), other)
    player = next(player for player in found.players if player.name == name)
    if not math.isfinite(player.elo + player.plus):
        return "ahead or behind by an unknown number of Elo"
    return f"{abs(player.elo):.0f} ± {player.plus:.0f} Elo {'behind' if round(player.elo) < 0 else 'ahead'}"
