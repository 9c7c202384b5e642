"""The chosen player of a goal after some games, and what is known about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from fiedler.support.errors import printable
from fiedler.tournament.schedule.schedule import GoalRule

if TYPE_CHECKING:
    from fiedler.tournament.ratings.pairs import Floats


class Standing(Struct, frozen=True):
    """The chosen player, who has the highest posterior mean, and what is known about it; Elo is scaled."""

    player: str
    loss: float
    """Expected distance from the best player."""
    within: float | None = None
    """The `best` of the goal; None without that key."""
    chance: float | None = None
    """Probability that the distance from the best player is at most that."""
    games: int = 0
    """Number of games that it is based on, in the order of the plan."""

    @classmethod
    def of(cls, names: Sequence[str], elo: Floats, covariance: Floats, rule: GoalRule, games: int = 0) -> Standing:
        """Return the standing by jointly normal ratings, shape (players,), with a fixed seed."""
        from fiedler.tournament.ratings.best import losses  # slow to import, like all ratings

        lacking = losses(elo, covariance)  # drawn once for both numbers
        chance = None if rule.best is None else float((lacking <= rule.best).mean())
        return cls(names[int(elo.argmax())], float(lacking.mean()), rule.best, chance, games)

    def meets(self, rule: GoalRule) -> bool:
        """Return whether a condition of the rule is met."""
        is_near = rule.best is not None and self.chance is not None and self.chance >= rule.confidence
        return is_near or (rule.loss is not None and self.loss <= rule.loss)

    @property
    def text(self) -> str:
        """The standing in words, with its number of games if that is known."""
        name, after = printable(self.player), f" after {self.games:,} game{'s' * (self.games != 1)}" * bool(self.games)
        if self.within is None or self.chance is None:
            return f"{name} has an expected loss of {self.loss:.1f} Elo to the best{after}"
        near = f"{name} is within {self.within:g} Elo of the best with {_percent(self.chance)}"
        return f"{near}{after} (expected loss {self.loss:.1f} Elo)"


def wanted(rule: GoalRule) -> str:
    """Return the conditions of a rule in words."""
    near = [] if rule.best is None else [_percent(rule.confidence)]
    return " or ".join([*near, *([] if rule.loss is None else [f"a loss of at most {rule.loss:g} Elo"])])


def _percent(probability: float) -> str:
    """Return a probability in per cent, rounded down to a tenth."""
    return f"{math.floor(1000 * probability + 1e-9) / 10:.1f} %"
