"""The goal of an adaptive tournament: its games decide which player is the best, and end once that is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from fiedler.support.text import listed
from fiedler.tournament.pairing.adaptive import AdaptivePlanner
from fiedler.tournament.pairing.beliefs import PlayerBeliefs, player_beliefs
from fiedler.tournament.pairing.chosen_player import Standing, wanted
from fiedler.tournament.pairing.plan import Decision, History, Played
from fiedler.tournament.pairing.standings import Strengths
from fiedler.tournament.schedule.goal_keys import GOAL_PLAYERS

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
        """Return the posterior of these games with pair effects; None if fewer than 3 players have games."""
        if self._latest[:2] != (games, present):
            style_sd = self.schedule.pairing.style_sd
            found = player_beliefs(
                self.schedule, games, present, "fit" if style_sd is None else style_sd, "curve", GOAL_PLAYERS
            )
            self._latest = (games, present, found)
        return self._latest[2]

    def standing(self, games: Sequence[Played], benched: Set[str] = frozenset()) -> Standing | None:
        """Return the standing after these games, in any order; None if fewer than 3 players have some."""
        found = self._believed(games, benched)
        return None if found is None else Standing.of(*_scaled(found), self.rule, len(games))

    def judged(self, games: Sequence[Played], benched: Set[str]) -> Standing | None:
        """Return the standing that may decide: None while a player without games is present."""
        return None if self._lack(games, benched) else self.standing(games, benched)

    def _decided_after(self, step: int, history: History) -> Decision | None:
        found = self.judged(history.settled[: history.settled_steps[step - 1]], history.benched)
        if found is None:
            return None
        history.standing = found
        if not found.meets(self.rule):
            return None
        return Decision(found.text, found.games, standing=found)

    def remark(self, history: History) -> str:
        """Return the standing after the last step that was judged."""
        return "" if history.standing is None else f"goal: {history.standing.text}"

    def missed(self, games: Sequence[Played], benched: Set[str]) -> str:
        """Return what the goal lacks after these games; empty if it is met."""
        if lack := self._lack(games, benched):
            return f"goal not met: {lack}"
        found = self._believed(games, benched)
        if found is None:
            return f"goal not met: fewer than {GOAL_PLAYERS} players have games"
        names, elo, covariance = _scaled(found)
        standing = Standing.of(names, elo, covariance, self.rule)  # without the games, which the reason of the end has
        if standing.meets(self.rule):
            return ""
        missing = missing_games(
            len(games), lambda share: Standing.of(names, elo, share * covariance, self.rule).meets(self.rule)
        )
        return f"goal not met: {standing.text}, wanted {wanted(self.rule)}, {missing}"

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
