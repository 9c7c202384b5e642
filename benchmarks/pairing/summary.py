"""The numbers of a rule over its repetitions, and the games of two rules at equal loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.pairing.pool import Duels
from benchmarks.pairing.rules import RULES
from benchmarks.pairing.setting import Duel
from benchmarks.pairing.trial import RuleTrial

RIGHT = 10.0
"""Largest loss of a right choice, in Elo."""


@dataclass(frozen=True)
class Mean:
    """A mean over the repetitions, and its standard error, nan after one."""

    value: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        """Return the mean."""
        several = len(values) > 1
        error = float(np.std(values, ddof=1)) / math.sqrt(len(values)) if several else math.nan
        return cls(float(np.mean(values)), error)


@dataclass(frozen=True)
class MarkMeans:
    """The means after the games of a mark."""

    games: int
    loss: Mean
    rms: Mean
    coverage: Mean


@dataclass(frozen=True)
class RuleSummary:
    """All repetitions of a rule."""

    name: str
    setting: Duel
    trials: tuple[RuleTrial, ...]

    @property
    def label(self) -> str:
        """The rule in words."""
        return RULES[self.name].label

    @property
    def ours(self) -> bool:
        """Whether the rule is one of ours."""
        return RULES[self.name].ours

    @property
    def marks(self) -> tuple[MarkMeans, ...]:
        """The means at the marks."""
        columns = zip(*(trial.marks for trial in self.trials), strict=True)
        return tuple(
            MarkMeans(
                column[0].games,
                Mean.of([one.loss for one in column]),
                Mean.of([one.rms for one in column]),
                Mean.of([one.coverage for one in column]),
            )
            for column in columns
        )

    @property
    def line(self) -> list[tuple[int, float]]:
        """Games and mean loss at each look; of a rule that knows its total, at the marks."""
        if RULES[self.name].knows_total:
            return [(mark.games, mark.loss.value) for mark in self.marks]
        means = np.mean([trial.losses for trial in self.trials], axis=0)
        return list(zip(self.setting.looks, means.tolist(), strict=True))

    def right(self, share: float) -> float:
        """Return the games after which this share of the repetitions has a right choice for good, inf if never."""
        needed = sorted(self._right(trial) for trial in self.trials)
        return needed[math.ceil(share * len(needed)) - 1]

    def _right(self, trial: RuleTrial) -> float:
        """Return the games from which on the choice is right, up to the rule's own stop or to the end."""
        if trial.stopped is None or trial.stop_loss is None:
            return settled(trial.losses, self.setting.looks)
        looks = [look for look in self.setting.looks if look < trial.stopped]
        losses = [*trial.losses[: len(looks)], trial.stop_loss]
        return settled(losses, [*looks, trial.stopped])

    @property
    def stops(self) -> list[tuple[int, bool]]:
        """Games at each own stop, and whether the choice was right."""
        ends = [(trial.stopped, trial.stop_loss) for trial in self.trials]
        return [(games, loss <= RIGHT) for games, loss in ends if games is not None and loss is not None]

    @property
    def planning_us(self) -> float:
        """Processor time of a planned game, in microseconds."""
        return 1e6 * sum(trial.planning_s for trial in self.trials) / sum(trial.planned for trial in self.trials)

    def games_for(self, loss: float) -> float:
        """Return the first games from which on the mean loss is at most this, inf if there are none."""
        games, losses = zip(*self.line, strict=True)
        return settled(losses, games, loss)


def settled(losses: Sequence[float], games: Sequence[int], most: float = RIGHT) -> float:
    """Return the first games from which on no loss is above `most`, inf if the last one is."""
    above = [place for place, loss in enumerate(losses) if loss > most]
    first = above[-1] + 1 if above else 0
    return games[first] if first < len(games) else math.inf


def summaries(duels: Duels) -> list[RuleSummary]:
    """Return the summaries in the order of the rules."""
    by_rule = {name: tuple(trial for trial in duels.trials if trial.rule == name) for name in RULES}
    return [RuleSummary(name, duels.setting, trials) for name, trials in by_rule.items() if trials]
