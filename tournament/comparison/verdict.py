"""The verdict of a strength test, from the games of its run in the order of the plan."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from msgspec import Struct

from fiedler.games.score import interval
from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.pairing.sprt import SprtTally, bounds
from fiedler.tournament.pairing.sprt_verdict import unit
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import Schedule, Sprt
from fiedler.tournament.termination import FAILURES

Outcome = Literal["passed", "failed", "undecided"]
Accepted = Literal["H0", "H1", ""]
EXIT_CODES: Mapping[Outcome, int] = {"passed": 0, "failed": 1, "undecided": 3}
PAIR_POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The scores of a pair of games, in the order of the pentanomial counts."""


class MeasuredElo(Struct, frozen=True):
    """Logistic Elo of the candidate against the base with the 95 % interval of its pairs; null: without a bound."""

    elo: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, pentanomial: Sequence[int]) -> MeasuredElo:
        """Return that of counts of pairs with 0, ½, 1, 1½ and 2 points."""
        pairs = sum(pentanomial)
        total = sum(map(lambda count, points: count * points, pentanomial, PAIR_POINTS))
        squares = sum(map(lambda count, points: count * points**2, pentanomial, PAIR_POINTS))
        low, high = interval(total, squares, pairs)
        return cls(_elo(total / pairs) if pairs else None, _elo(low), _elo(high))

    @property
    def text(self) -> str:
        """The number with its error, as `+24 ± 15 Elo`; one-sided after wins or losses alone."""
        if self.low is not None and self.high is not None and self.elo is not None:
            return f"{round(self.elo):+d} ± {(self.high - self.low) / 2:.0f} Elo"
        if self.low is not None:
            return f"more than {round(self.low):+d} Elo"
        return f"less than {round(self.high):+d} Elo" if self.high is not None else "unknown Elo"


class ComparisonVerdict(Struct, frozen=True):
    """The verdict, and the counts of the games on which it rests."""

    outcome: Outcome
    why: str
    """The accepted hypothesis, or the reason that there is none."""
    accepted: Accepted
    elo: MeasuredElo
    games: int
    """Games up to the decision, in the order of the plan."""
    played: int
    """All finished games; those after the decision do not count."""
    won: int
    """By the candidate, as drawn and lost."""
    drawn: int
    lost: int
    pentanomial: tuple[int, ...]
    """Pairs of games with 0, ½, 1, 1½ and 2 points of the candidate."""
    llr: float
    low: float
    """The log-likelihood ratio at which H0 is accepted."""
    high: float
    """That for H1."""
    test: Sprt
    failures: dict[str, dict[str, int]]
    """Player -> kind of failure -> number of games that it lost by it."""

    @property
    def exit_code(self) -> int:
        """0 passed, 1 failed, 3 undecided."""
        return EXIT_CODES[self.outcome]

    @property
    def line(self) -> str:
        """The verdict as one line."""
        counts = f"{self.won} won, {self.drawn} drawn, {self.lost} lost"
        failed = [f"failures of {name}: {text}" for name in self.failures if (text := self.failures_of(name))]
        return "; ".join([f"{self.outcome}: {self.why}", self.elo.text, counts, *failed])

    def failures_of(self, name: str) -> str:
        """Return the failures of a player as `2 × time, 1 × crash`; empty if there are none."""
        return ", ".join(f"{count} × {kind}" for kind, count in self.failures.get(name, {}).items())


def verdict_of(store: Store) -> ComparisonVerdict:
    """Return the verdict of a run with a sequential test, or of the merged shards of one.

    The first game, in the order of the plan, at which the ratio leaves its bounds decides; later ones do not count.

    Raises:
        UsageError: the run has no sequential test.

    """
    schedule = store.schedule
    if schedule.pairing.sprt is None and not schedule.pairing.kind.is_test:
        raise UsageError(f"{store.folder}: expected a run of `tournament compare`, got {schedule.pairing.method!r}")
    test, settled, benched = schedule.pairing.test, store.history().settled, store.benched
    tally = SprtTally(schedule.names[0])
    accepted: Accepted = ""
    for game in settled:
        tally.add(game)
        if accepted := tally.accepted(test):
            break
    outcome, why = _outcome(schedule, accepted, tally.games, benched, finished=store.state == "finished")
    low, high = bounds(test)
    lost, drawn, won = tally.trinomial
    return ComparisonVerdict(
        outcome=outcome,
        why=why,
        accepted=accepted,
        elo=MeasuredElo.of(tally.pentanomial),
        games=tally.games,
        played=store.counts.finished,
        won=won,
        drawn=drawn,
        lost=lost,
        pentanomial=tuple(tally.pentanomial),
        llr=tally.ratio(test),
        low=low,
        high=high,
        test=test,
        failures=_failures(store, schedule.names),
    )


def _outcome(
    schedule: Schedule, accepted: Accepted, games: int, benched: Mapping[str, str], *, finished: bool
) -> tuple[Outcome, str]:
    """Return the outcome and its reason. A candidate that only fails has failed, however few games it took."""
    test, candidate = schedule.pairing.test, schedule.names[0]
    hypotheses = {"H0": f"H0 ({test.elo0:g} {unit(test)})", "H1": f"H1 ({test.elo1:g} {unit(test)})"}
    after = f"after {counted(games, 'game')}"
    if accepted:
        other = "H1" if accepted == "H0" else "H0"
        outcome: Outcome = "passed" if accepted == "H1" else "failed"
        return outcome, f"{hypotheses[accepted]} accepted against {hypotheses[other]} {after}"
    if candidate in benched:
        return "failed", f"{candidate} is benched {after}: {benched[candidate]}"
    neither = f"neither {hypotheses['H1']} nor {hypotheses['H0']} accepted {after}"
    for name, why in benched.items():
        return "undecided", f"{name} is benched {after}: {why}"
    return "undecided", neither if finished else f"{neither}, the run is not finished"


def _failures(store: Store, names: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the failures of both players in all finished games."""
    found: dict[str, Counter[str]] = {name: Counter() for name in names}
    for game in store.each_game():
        if game.termination in FAILURES and game.loser is not None:
            found[game.loser][game.termination.value] += 1
    return {name: dict(counts) for name, counts in found.items()}


def _elo(score: float) -> float | None:
    return 400 * math.log10(score / (1 - score)) if 0 < score < 1 else None
