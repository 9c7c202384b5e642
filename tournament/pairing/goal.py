"""The goal of an adaptive tournament: its games decide which player is the best, and end once that is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fiedler.support.errors import printable
from fiedler.support.text import listed
from fiedler.tournament.elo import LEAST_PLAYERS
from fiedler.tournament.pairing.adaptive import AdaptivePlanner
from fiedler.tournament.pairing.beliefs import PlayerBeliefs, player_beliefs
from fiedler.tournament.pairing.plan import History, Played
from fiedler.tournament.pairing.standings import Strengths
from fiedler.tournament.schedule.schedule import GoalRule

if TYPE_CHECKING:
    from fiedler.tournament.ratings.pairs import Floats

FIRST_EACH = 2
"""Meetings of the first batch, relative to the number of players: each of them has twice as many."""
SHARE = 0.15
"""Games of a later batch relative to those so far."""
LEAST_MEETINGS = 100
"""Meetings of a later batch, unless fewer are left."""
HALVINGS = 20
"""Halvings of the range in which the number of missing games lies."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The chosen player, who has the highest posterior mean, and what is known about it; Elo is scaled."""

    name: str
    chance: float
    """Probability to be within `best` of the best player; 0 without that key."""
    loss: float
    """Expected distance from the best player."""

    @classmethod
    def of(cls, names: Sequence[str], elo: Floats, covariance: Floats, rule: GoalRule) -> Standing:
        """Return the standing by jointly normal ratings, shape (players,), with a fixed seed."""
        from fiedler.tournament.ratings.best import losses  # slow to import, like all ratings

        lacking = losses(elo, covariance)  # drawn once for both numbers
        chance = 0.0 if rule.best is None else float((lacking <= rule.best).mean())
        return cls(names[int(elo.argmax())], chance, float(lacking.mean()))

    def meets(self, rule: GoalRule) -> bool:
        """Return whether a condition of the rule is met."""
        is_near = rule.best is not None and self.chance >= rule.confidence
        return is_near or (rule.loss is not None and self.loss <= rule.loss)

    def text(self, rule: GoalRule, after: str = "") -> str:
        """Return the standing as words; `after` comes behind its first number."""
        name = printable(self.name)
        if rule.best is None:
            return f"{name} has an expected loss of {self.loss:.1f} Elo to the best{after}"
        near = f"{name} is within {rule.best:g} Elo of the best with {_percent(self.chance)}"
        return f"{near}{after} (expected loss {self.loss:.1f} Elo)"


class GoalPlanner(AdaptivePlanner):
    """Batches that lower the expected loss of the chosen player, planned on the joint posterior.

    The pairs of the first batch are as well connected as possible; later ones are few and near the top.
    """

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401 - those of a planner
        super().__init__(*args, **more)
        assert self.schedule.pairing.aim is not None
        self.rule = self.schedule.pairing.aim
        self._latest: tuple[Sequence[Played], Sequence[str], PlayerBeliefs | None] = ((), (), None)
        """The games, the players and the beliefs that were asked for last: a decision and the next batch share them."""

    def beliefs(self, games: Sequence[Played], present: Sequence[str]) -> PlayerBeliefs | None:
        """Return the posterior of these games with pair effects; None if fewer than 10 players have games."""
        if self._latest[:2] != (games, present):
            style_sd = self.schedule.pairing.style_sd
            found = player_beliefs(self.schedule, games, present, "fit" if style_sd is None else style_sd, "curve")
            self._latest = (games, present, found)
        return self._latest[2]

    def standing(self, games: Sequence[Played], benched: Set[str] = frozenset()) -> Standing | None:
        """Return the standing after these games, in any order; None if fewer than 10 players have some."""
        found = self._believed(games, benched)
        return None if found is None else Standing.of(*_scaled(found), self.rule)

    def verdict(self, games: Sequence[Played], benched: Set[str]) -> str:
        """Return the decision of these games as a sentence; empty if the goal is not met."""
        if self._lack(games, benched):
            return ""
        found = self.standing(games, benched)
        if found is None or not found.meets(self.rule):
            return ""
        return found.text(self.rule, f" after {len(games):,} games")

    def missed(self, games: Sequence[Played], benched: Set[str]) -> str:
        """Return what the goal lacks after these games; empty if it is met."""
        if lack := self._lack(games, benched):
            return f"goal not met: {lack}"
        found = self._believed(games, benched)
        if found is None:
            return f"goal not met: fewer than {LEAST_PLAYERS} players have games"
        names, elo, covariance = _scaled(found)
        standing = Standing.of(names, elo, covariance, self.rule)
        if standing.meets(self.rule):
            return ""
        missing = missing_games(
            len(games), lambda share: Standing.of(names, elo, share * covariance, self.rule).meets(self.rule)
        )
        return f"goal not met: {standing.text(self.rule)}, wanted {_wanted(self.rule)}, {missing}"

    def _believed(self, games: Sequence[Played], benched: Set[str]) -> PlayerBeliefs | None:
        return self.beliefs(sorted(games), self._left(benched))

    def _lack(self, games: Sequence[Played], benched: Set[str]) -> str:
        """Return the players without games, which nothing is known about; empty if there are none."""
        met = {name for game in games for name in (game.first, game.second)}
        idle = [name for name in self._left(benched) if name not in met]
        return f"no games of {listed(idle)}, wanted games of every player" if idle else ""

    def _left(self, benched: Set[str]) -> tuple[str, ...]:
        return tuple(name for name in self.schedule.names if name not in benched)

    def _strengths(self, games: Sequence[Played]) -> Strengths:  # noqa: ARG002
        """Return nothing: an expected strength in the choice of pairs would have to be in the posterior."""
        return Strengths({}, {})

    def _known(self, beliefs: PlayerBeliefs | None, strengths: Strengths, present: Sequence[str]) -> Mapping[str, Any]:
        known = super()._known(beliefs, strengths, present)
        return {**known, "goal": "best"} if known else known

    def _remark_on(self, beliefs: PlayerBeliefs | None) -> str:
        """Return the estimated pair effects with their evidence."""
        if beliefs is None or self.schedule.pairing.style_sd is not None or beliefs.style_evidence <= 0:
            return ""
        elo = beliefs.scale * beliefs.style_sd
        return f", pairs differ from the ratings by {elo:.0f} Elo (evidence {beliefs.style_evidence:+.1f} nats)"

    def _size(self, history: History, players: int) -> int:
        """Return the number of meetings of the next batch."""
        more = max(LEAST_MEETINGS, round(SHARE * len(history.finished) / 2))
        return min(self._remaining(history), more if history.steps else FIRST_EACH * players)


def _scaled(beliefs: PlayerBeliefs) -> tuple[Sequence[str], Floats, Floats]:
    """Return names, ratings and covariance in scaled Elo, the unit of rules and tables."""
    return beliefs.names, beliefs.scale * beliefs.elo, beliefs.scale**2 * beliefs.covariance


def missing_games(games: int, is_met: Callable[[float], bool]) -> str:
    """Return the number of games that a goal lacks, in words.

    `is_met(share)` says whether it is met with this share of all variances. Ratings are assumed to stay, and more games
    to divide the variances as `answer` assumes it.
    """
    from fiedler.tournament.ratings.answer import TOO_MANY, two_digits  # slow to import, like all ratings

    low, high = 1.0, (games + TOO_MANY) / games
    if not is_met(1 / high):
        return "more than a million more games"
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if is_met(1 / middle) else (middle, high)
    more = two_digits(games * (high - 1))
    return f"about {more:,} more game{'s' * (more != 1)}"


def _wanted(rule: GoalRule) -> str:
    """Return the conditions of a rule in words."""
    near = [] if rule.best is None else [_percent(rule.confidence)]
    return " or ".join([*near, *([] if rule.loss is None else [f"a loss of at most {rule.loss:g} Elo"])])


def _percent(probability: float) -> str:
    """Return a probability in per cent, rounded down to a tenth."""
    return f"{math.floor(1000 * probability + 1e-9) / 10:.1f} %"
