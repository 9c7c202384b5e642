"""Our own rules: the planners of `tournament run`, asked step by step as in a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec.structs import replace

from benchmarks.pairing.rows import Meetings, Rows, meetings_of
from benchmarks.pairing.rules.posterior import PosteriorRule
from benchmarks.pairing.rules.rule import PairingRule, RuleCase
from fiedler.games.openings import Opening
from fiedler.tournament.game import PlannedGame
from fiedler.tournament.pairing import Step, planner
from fiedler.tournament.pairing.plan import History, Played, plan
from fiedler.tournament.schedule.schedule import Pairing, Schedule
from fiedler.tournament.simulation.play import OUTCOMES
from fiedler.tournament.simulation.population import nameless


class PlannedRule(PairingRule):
    """A planner with a history of the games so far. A wait does not occur: all games of a step are played."""

    ours = True
    pairing: ClassVar[dict[str, Any]]
    """Keys of `[pairing]` beside `games`."""

    def __init__(self, case: RuleCase) -> None:
        super().__init__(case)
        self.planner = planner(self._schedule())
        self.history = History()
        self.waiting: Sequence[PlannedGame] = ()
        """The games of the last step."""

    def batch(self, rows: Rows) -> Meetings:
        """Return the meetings of the next step."""
        self._finish(rows)
        step = self.planner.next_step(self.history)
        assert isinstance(step, Step), step
        self.history.choose(step.pairs)
        seed = self.planner.schedule.tournament.seed
        self.waiting = list(plan(step.meetings, lambda _: Opening(), seed, self.history, self.history.steps + 1))
        self.history.plan(self.waiting)
        place = {name: number for number, name in enumerate(self.case.names)}
        return meetings_of([(place[a], place[b]) for a, b in step.meetings])

    def _finish(self, rows: Rows) -> None:
        """Record the results of the last step."""
        last = rows[len(rows) - len(self.waiting) :]
        for game, result in zip(self.waiting, last[:, 2].tolist(), strict=True):
            self.history.finish(Played(game.first, game.second, OUTCOMES[result], game.step, game.turn))
        decision = self.planner.decide(self.history) if self.stopped is None else None
        self.stopped = decision.games if decision is not None else self.stopped

    def _schedule(self) -> Schedule:
        """Return a schedule whose players are in random order, without strengths."""
        case = self.case
        made = nameless(case.players, case.games)
        order = case.random.permutation(case.players).tolist()
        players = tuple(replace(made.players[0], name=case.names[place]) for place in order)
        tournament = replace(made.tournament, games_per_pair=2, seed=int(case.random.integers(2**31)))
        pairing = Pairing(method="adaptive", games=case.games, **self.pairing)
        return replace(made, tournament=tournament, players=players, pairing=pairing, rating=case.section)


class Adaptive(PlannedRule):
    """The most precise ratings of all players, planned on the table."""

    label = "adaptive, plan ml"
    knows_total = True
    pairing: ClassVar[dict[str, Any]] = {"plan": "ml"}


class PosteriorAdaptive(PosteriorRule, PlannedRule):
    """The most precise ratings of all players, planned on the posterior and rated by it."""

    label = "adaptive, plan posterior"
    knows_total = True
    pairing: ClassVar[dict[str, Any]] = {"plan": "posterior"}


class GoalBest(PosteriorRule, PlannedRule):
    """The largest expected improvement of the choice, with the stop of `goal = "best"`."""

    label = "adaptive, goal best"
    pairing: ClassVar[dict[str, Any]] = {"goal": "best"}
    style_sd = "fit"
