"""The opponent of a run whose level rises: each time the model wins every game of a match, its search gets longer."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from fiedler.games import game
from fiedler.games.openings import Opening
from fiedler.players import Factory
from fiedler.players.option import find
from fiedler.support.errors import UsageError
from fiedler.training.judge.evaluation import DIGITS
from fiedler.training.judge.match import Score, naming, openings, play_match, score
from fiedler.training.judge.sides import check_options, kind_of, model_player, read_reference, reference
from fiedler.training.recipe.entry import Entry, OpponentMatch
from fiedler.training.recipe.recipe import OpponentTable, Recipe


class RisingOpponent:
    """Plays the matches of the table `[opponent]`: each one with openings and seeds of its own."""

    def __init__(self, recipe: Recipe) -> None:
        """Check the table.

        Raises:
            UsageError: The game has too few openings, or an option or the opponent is wrong; the text names the key.
        """
        self._recipe = recipe
        self._game = game(recipe.game)
        if table := recipe.opponent:
            with naming("opponent.options"):
                check_options(recipe.player, table.options)
            with naming("opponent.games"):
                self.lines(iteration=1)
            self._check_opponent(table)

    def _check_opponent(self, table: OpponentTable) -> None:
        with naming("opponent.against"):
            spec = read_reference(table.against)
            kind = kind_of(spec)
        with naming("opponent.option"):
            option = find(kind.options(), table.option, kind.name)
            if option.type != "spin":
                raise UsageError(f"expected a whole number among the options of {kind.name}, got {option.name!r}")
        for key in ("start", "most"):
            with naming(f"opponent.{key}"):
                option.read(str(getattr(table, key)))
        with naming("opponent.against"):
            if table.option in spec.options:
                raise UsageError(f"expected no {table.option}, which is the level, got {table.against!r}")
            self._theirs(table, table.start).close()

    def due(self, iteration: int) -> bool:
        """Return whether the model plays after this iteration, counted from 1; it does after the last one."""
        table = self._recipe.opponent
        return table is not None and table.due(iteration, self._recipe.iterations)

    def play(self, iteration: int, log: Sequence[Entry], model: Path) -> OpponentMatch:
        """Return the match of a model file, at the level that the log of the iterations before it gives.

        Raises:
            WorkError: The model cannot be evaluated.
        """
        table, device = self._recipe.opponent, self._recipe.device
        assert table is not None
        at = level(table, log)
        ours = model_player(model, self._game, table.simulations, table.options, device)
        with closing(ours), closing(self._theirs(table, at)) as theirs:
            match = play_match(ours, theirs, self.lines(iteration), seed=self._seed(iteration))
            return result(table, at, score(match))

    def lines(self, iteration: int) -> list[Opening]:
        """Return the openings of a match: others for each iteration, the same for the same recipe."""
        table = self._recipe.opponent
        assert table is not None
        return openings(self._game, table.plies, table.games // 2, self._seed(iteration))

    def _seed(self, iteration: int) -> int:
        return random.Random(f"opponent {self._recipe.seed} {iteration}").getrandbits(62)

    def _theirs(self, table: OpponentTable, at: int) -> Factory:
        return reference(f"{table.against} {table.option}={at}", self._game, table.simulations)


def level(table: OpponentTable, log: Sequence[Entry]) -> int:
    """Return the level of the match that follows a log: `start` before the first one against this opponent."""
    matches = (entry.opponent for entry in reversed(log) if entry.opponent is not None)
    known = (one.next for one in matches if (one.against, one.option) == (table.against, table.option))
    return min(next(known, table.start), table.most)


def result(table: OpponentTable, at: int, found: Score) -> OpponentMatch:
    """Return the entry of a match: after one without a draw or a loss the level rises by `step`, at most to `most`."""
    following = min(at + table.step, table.most) if found.wins == found.games else at
    mean = round(found.mean, DIGITS)
    return OpponentMatch(table.against, table.option, at, found.wins, found.draws, found.losses, mean, following)
