"""Sequential probability ratio test: two players meet until one of two hypotheses is rejected."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from fiedler.support.text import counted
from fiedler.tournament.pairing.plan import Decision, History, Played
from fiedler.tournament.pairing.planner import Over, Planner, Step
from fiedler.tournament.pairing.sprt_verdict import meetings_text, no_verdict, unit, verdict
from fiedler.tournament.schedule.schedule import Schedule, Sprt

if TYPE_CHECKING:
    from fiedler.tournament.ratings import Results

MEETINGS_AT_A_TIME = 4
"""Meetings of one step."""
NORMALISED = 800 / math.log(10)
"""Normalised Elo of a player whose mean score is one standard deviation of a game above one half."""
ABSENT = 1e-3
"""Least count of an outcome, so that every outcome stays possible."""

Floats = NDArray[np.float64]


class SprtTally:
    """The counts of finished games from the view of the player `name`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.games = 0
        self.trinomial = [0, 0, 0]
        """Lost, drawn and won games."""
        self.pentanomial = [0] * 5
        """Complete meetings, one game with each colour, with 0, ½, 1, 1½ and 2 points."""
        self._halves: dict[tuple[frozenset[str], int], int] = {}
        """Half points of the first finished game of incomplete meetings."""

    def add(self, game: Played) -> None:
        """Count one game."""
        halves = round(2 * game.result.points[0 if game.first == self.name else 1])
        self.games += 1
        self.trinomial[halves] += 1
        meeting = (frozenset((game.first, game.second)), game.turn)
        if meeting in self._halves:
            self.pentanomial[halves + self._halves.pop(meeting)] += 1
        else:
            self._halves[meeting] = halves

    def ratio(self, test: Sprt) -> float:
        """Return the log-likelihood ratio of a test."""
        return log_likelihood_ratio(self.pentanomial if test.pentanomial else self.trinomial, test)

    def accepted(self, test: Sprt) -> Literal["H0", "H1", ""]:
        """Return the accepted hypothesis; empty if the ratio is within its bounds."""
        ratio, (low, high) = self.ratio(test), bounds(test)
        return "H1" if ratio >= high else "H0" if ratio <= low else ""


class SprtPlanner(Planner):
    """Meetings until the log-likelihood ratio leaves its bounds, or no games remain."""

    overlaps = True
    open_end = True

    def __init__(self, schedule: Schedule) -> None:
        super().__init__(schedule)
        self._test = schedule.pairing.test
        self._tally = SprtTally(schedule.names[0])
        self._decision: Decision | None = None

    def following(self, history: History) -> Step | Over:
        """Return a few more meetings."""
        a, b = self.schedule.names
        met = history.meetings[frozenset((a, b))]
        following = min(MEETINGS_AT_A_TIME, self._most() - met)
        if following <= 0:
            return self.end("no games are left", history)
        return Step([(a, b)] * following, pairs={(a, b): met + following})

    def decide(self, history: History) -> Decision | None:
        """Return the decision at the first game, in the order of the plan, at which the ratio leaves its bounds."""
        evaluated = history.settled_steps[history.undecided - 1] if history.undecided else 0
        while self._decision is None and self._tally.games < len(history.settled):
            self._tally.add(history.settled[self._tally.games])
            if self._tally.games > evaluated:
                self._decision = self._decided(history)
        if self._decision is None:
            history.undecided = len(history.settled_steps)
        return self._decision

    def _decided(self, history: History) -> Decision | None:
        games = self._tally.games
        if accepted := self._tally.accepted(self._test):
            return Decision(verdict(self.schedule, accepted, self._results(history)), games, self._line())
        return None

    def _results(self, history: History) -> Results:
        """Return the results that the test counts, by pair."""
        from fiedler.tournament.ratings import Results  # slow to import

        counted_games = history.settled[: self._tally.games]
        return Results.from_games((game.first, game.second, game.result) for game in counted_games)

    def accepted(self, history: History) -> Literal["H0", "H1", ""]:
        """Return the accepted hypothesis; empty if there is none yet."""
        return self._tally.accepted(self._test) if self.decide(history) else ""

    def remark(self, history: History) -> str:
        """Return the line `SPRT: llr …` with the counts of the games that `decide` uses."""
        decision = self.decide(history)
        later = 0 if decision else len(history.finished) - self._tally.games
        return self._line(later)

    def _end(self, why: str, history: History) -> Over:
        """Return the inconclusive end of the tournament with the reason."""
        self.decide(history)
        return Over(f"inconclusive: {why}; {no_verdict(self.schedule, self._results(history))}")

    def _line(self, later: int = 0) -> str:
        """Return the state of the test in words; `later` games have finished before an earlier one of the plan."""
        test, tally = self._test, self._tally
        low, high = bounds(test)
        limits = f"{low:.2f} accepts H0: {test.elo0:g} {unit(test)}, {high:.2f} accepts H1: {test.elo1:g} {unit(test)}"
        losses, draws, wins = tally.trinomial
        games = counted(tally.games, "game")
        after = f"{tally.games} of {tally.games + later} finished games, in the order of the plan" if later else games
        return (
            f"SPRT: llr {tally.ratio(test):.2f} ({limits}) after {after}: "
            f"{wins} won, {draws} drawn, {losses} lost; {meetings_text(tally.pentanomial)}"
        )

    def _most(self) -> int:
        games = self.schedule.pairing.games
        return 10**9 if games is None else games // 2


def bounds(test: Sprt) -> tuple[float, float]:
    """Return the ratios at which H0 and H1 are accepted (Wald 1945)."""
    return math.log(test.beta / (1 - test.alpha)), math.log((1 - test.beta) / test.alpha)


def log_likelihood_ratio(counts: Sequence[int], test: Sprt) -> float:
    """Return log P(counts | H1) / P(counts | H0), each at its most likely distribution of outcomes.

    `counts` are those of the equally spaced scores 0 … 1 of a trial: lost, drawn and won games, or the pentanomial of
    meetings. Hi fixes the mean score of a trial, or for `model = "normalised"` its distance from ½ in standard
    deviations, to the value of an advantage of `elo_i` (Van den Bergh, "The generalized SPRT").
    """
    if not sum(counts):
        return 0.0
    observed = np.maximum(np.asarray(counts, dtype=float), ABSENT)
    score = np.linspace(0, 1, len(counts))
    games_of_trial = (len(counts) - 1) / 2
    under = []
    for elo in (test.elo0, test.elo1):
        if test.model == "normalised":
            under.append(_most_likely_at_distance(observed, score, elo / NORMALISED * math.sqrt(games_of_trial)))
        else:
            under.append(_most_likely_with_mean(observed, score - 1 / (1 + 10 ** (-elo / 400))))
    return float(observed @ (np.log(under[1]) - np.log(under[0])))


def _most_likely_with_mean(observed: Floats, value: Floats) -> Floats:
    """Return the distribution of greatest likelihood with a mean of 0 for `value`.

    It is share / (1 + x value) with the Lagrange multiplier x of a mean of 0 (Owen, Empirical Likelihood).
    """
    from scipy.optimize import brentq  # slow to import, and few runs need it

    share = observed / observed.sum()
    low, high = -1 / value.max(), -1 / value.min()
    margin = 1e-9 * (high - low)
    multiplier = brentq(lambda x: float((share * value / (1 + x * value)).sum()), low + margin, high - margin)
    return np.asarray(share / (1 + multiplier * value))


def _most_likely_at_distance(observed: Floats, score: Floats, distance: float) -> Floats:
    """Return the distribution of greatest likelihood with a mean `distance` standard deviations above ½.

    The constraint is linearised repeatedly at the latest solution.
    """
    share = np.full(len(score), 1 / len(score))
    for _ in range(50):
        mean = float(share @ score)
        deviation = math.sqrt(float(share @ (score - mean) ** 2))
        linear = score - 0.5 - distance * deviation * (1 + ((score - mean) / deviation) ** 2) / 2
        following = _most_likely_with_mean(observed, linear)
        settled = float(np.abs(following - share).max()) < 1e-9
        share = following
        if settled:
            break
    return share
