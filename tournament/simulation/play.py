"""Games without engines: results are drawn from the model that rates them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from fiedler.games.openings import Opening
from fiedler.games.result import Result
from fiedler.tournament.game import PlannedGame
from fiedler.tournament.pairing import Planner, Step
from fiedler.tournament.pairing.plan import History, Played, plan
from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.likelihood import NATURAL, Point
from fiedler.tournament.ratings.model import MODELS
from fiedler.tournament.ratings.pairs import Pairs
from fiedler.tournament.schedule.pairs import Pair
from fiedler.tournament.simulation.population import Floats

OUTCOMES = tuple(Result)
"""Results in the order of their probabilities: first wins, draw, second wins."""


@dataclass(frozen=True)
class SimulatedPlayers:
    """Players of known strength, the model of their games, and the random generator.

    `elo`, shape (players,), is raw Elo in the order of `names`. `style`, shape (players, players), is antisymmetric:
    additional Elo of the row's player against the column's.
    """

    names: tuple[str, ...]
    elo: Floats
    style: Floats
    advantage: float
    draw_elo: float
    random: np.random.Generator
    model: str = "bayeselo"
    """`bayeselo` or `davidson`."""

    def chances(self, first: Sequence[int], second: Sequence[int]) -> Floats:
        """Return the probabilities of the first player's win, a draw and its loss, shape (games, 3)."""
        ahead = self.elo[first] - self.elo[second] + self.style[first, second]
        return np.exp(MODELS[self.model].log_outcomes(ahead, self.advantage, self.draw_elo)).T

    def information(self, pairs: Pairs) -> Floats:
        """Return the Fisher information of these games in Elo^-2, shape (pairs,), independent of their results.

        It is the curvature of the likelihood at the expected results.
        """
        ahead = self.elo[pairs.low] - self.elo[pairs.high]
        sides = zip((ahead, -ahead), pairs.counts.reshape(2, 3, -1).sum(axis=1), strict=True)
        logs = [(MODELS[self.model].log_outcomes(side, self.advantage, self.draw_elo), games) for side, games in sides]
        expected = replace(pairs, counts=np.concatenate([games * np.exp(log) for log, games in logs]))
        point = Point(self.elo, self.advantage, self.draw_elo)
        return NATURAL**2 * MODELS[self.model](expected).slopes(point).curvature

    def play_counts(self, meetings: Mapping[Pair, int]) -> Results:
        """Return the results of these meetings, two games each, from one multinomial draw per ordered pair."""
        place = {name: index for index, name in enumerate(self.names)}
        ordered = [(place[a], place[b], number) for a, b in meetings for number in [meetings[a, b]] if number]
        ordered += [(b, a, number) for a, b, number in ordered]
        first, second, numbers = (list(column) for column in zip(*ordered, strict=True))
        counts = self.random.multinomial(numbers, self.chances(first, second)).tolist()
        rows = ((i, j, *count) for i, j, count in zip(first, second, counts, strict=True))
        return Results(self.names, tuple(rows))

    def play_games(self, games: Sequence[PlannedGame]) -> list[Played]:
        """Return the results of games drawn one by one, in their order."""
        place = {name: index for index, name in enumerate(self.names)}
        chances = self.chances([place[game.first] for game in games], [place[game.second] for game in games])
        drawn = self.random.random(len(games))
        outcomes = (drawn[:, None] > np.cumsum(chances, axis=1)[:, :2]).sum(axis=1).tolist()
        return [
            Played(game.first, game.second, OUTCOMES[outcome], game.step, game.turn)
            for game, outcome in zip(games, outcomes, strict=True)
        ]


def play_steps(planner: Planner, field: SimulatedPlayers, *, plays_on: bool = False) -> History:
    """Return the history of a run with one game at a time and without failures, up to its end or a wait.

    With `plays_on` its decision does not end it: what would have been known later can be seen.
    """
    history = History()
    while (plays_on or history.decision is None) and isinstance(step := planner.next_step(history), Step):
        history.choose(step.pairs)
        seed = planner.schedule.tournament.seed
        games = list(plan(step.meetings, lambda _: Opening(), seed, history, history.steps + 1))
        history.plan(games)
        for game in field.play_games(games):
            history.finish(game)
            history.decision = history.decision or planner.decide(history)
            if history.decision is not None and not plays_on:
                break
    return history


def counted_results(names: tuple[str, ...], games: Sequence[Played]) -> Results:
    """Return games counted by ordered pair; players are numbered as in `names`."""
    place = {name: index for index, name in enumerate(names)}
    counts = Counter((place[game.first], place[game.second], game.result) for game in games)
    ordered = dict.fromkeys((first, second) for first, second, _ in counts)
    rows = ((i, j, *(counts[i, j, outcome] for outcome in OUTCOMES)) for i, j in ordered)
    return Results(names, tuple((i, j, win, draw, loss) for i, j, win, draw, loss in rows))
