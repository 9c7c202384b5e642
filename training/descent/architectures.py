"""The search of an architecture that an expert teaches: networks of several sizes learn the same states, then play."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import torch

from fiedler.games import Game, game
from fiedler.native import EvaluationError, Limits, PatternNet, Samples, StopFlag
from fiedler.players.descent import DescentFactory
from fiedler.players.incremental import IncrementalNet, read_patterns
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.provenance import commit
from fiedler.training.descent.comparison import ComparisonFolder, FinishedCandidate
from fiedler.training.descent.export import to_onnx
from fiedler.training.descent.net import IncrementalValueNet, fresh
from fiedler.training.descent.recipe import DescentRecipe, PatternNetTable
from fiedler.training.descent.system import CHUNK, self_play
from fiedler.training.judge.evaluation import DIGITS
from fiedler.training.judge.match import Score, naming, openings, play_match, score
from fiedler.training.model.selfplay import SelfPlayed
from fiedler.training.model.state_learner import StateLearner
from fiedler.training.recipe.rows import OnRow, Row
from fiedler.training.recipe.system import DivergedError, OnStep, Stamp

HELD_OUT = 50_000
"""States of other games, which measure the error."""
TIMED, ROUNDS = 4, 3
"""Positions of a measurement of speed, and the measurements of each network, one network after the other."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A network that has learned."""

    table: PatternNetTable
    net: IncrementalValueNet
    native: PatternNet
    error: float

    def finished(self, speed: float, expansions: int, found: Score | None = None) -> FinishedCandidate:
        """Return its line after its match; the recipe's own network plays none."""
        numbers = dict(zip(("score", "low", "high"), (found.mean, *found.interval), strict=True)) if found else {}
        return FinishedCandidate(
            describe=self.table.describe,
            depth=self.table.depth,
            width=self.table.width,
            weights=sum(parameter.numel() for parameter in self.net.parameters()),
            error=round(self.error, 5),
            expansions_per_second=round(speed),
            expansions=expansions,
            **{name: round(number, DIGITS) for name, number in numbers.items()},
        )


class ArchitectureSearch:
    """Candidates learn from the games of one expert against itself, so that they differ in their sizes alone."""

    def __init__(self, recipe: DescentRecipe) -> None:
        """Read the expert of the recipe, which has the table.

        Raises:
            UsageError: Its file is missing or unfit, or the game has too few openings.
        """
        table = recipe.architectures
        assert table is not None
        self._recipe, self._table = recipe, table
        self._folder = ComparisonFolder(recipe, Path(table.expert))
        self._game: Game = game(recipe.game)
        with naming("architectures.expert"):
            self._expert = read_patterns(self._game, Path(table.expert))
        with naming("architectures.games"):
            self._openings = openings(self._game, table.plies, table.games // 2, recipe.seed)

    def run(self, on_step: OnStep, on_row: OnRow) -> list[Row]:
        """Return a row for each candidate, the recipe's own network first, the others by their scores.

        Each one is kept as soon as it has played; those that an earlier call has kept do not learn again.

        Raises:
            UsageError: A size does not fit into the native core. Or the folder of the comparison has another recipe or
                expert, is damaged, or another process works on it.
            WorkError: The weights of a candidate have grown too large for the whole numbers of the native core.
        """
        tables = self._tables()
        if not self._folder.exists:
            self._refuse_unfit(tables)
        with self._folder.locked():
            found = {named(one): one for one in self._folder.begin()}
            missing = [table for table in tables if named(table) not in found]
            if missing:
                found |= {named(one): one for one in self._finish(missing, on_step, on_row)}
        own, *others = (found[named(table)] for table in tables)
        others.sort(key=lambda one: one.score or 0.0, reverse=True)
        return [one.row() for one in (own, *others)]

    def _finish(self, missing: list[PatternNetTable], on_step: OnStep, on_row: OnRow) -> Iterator[FinishedCandidate]:
        """Let the missing candidates learn and play, the recipe's own network first; keep each one."""
        steps = 2 * len(missing) + 1
        on_step("the expert plays", 0, steps)
        seen, held_out = self._states(self._table.samples, 0), self._states(HELD_OUT, 1)
        for i, table in enumerate(missing):
            on_step(f"learning: {named(table)}", 2 * i + 1, steps)
            taught = self._taught(table, seen, held_out)
            on_step(f"playing: {named(table)}", 2 * i + 2, steps)
            one = self._begun(taught) if table == self._recipe.net else self._played(taught)
            self._folder.add(one)
            on_row(one.row())
            yield one
        on_step("", steps, steps)

    def _tables(self) -> list[PatternNetTable]:
        """Return the recipe's own sizes, then all others."""
        own, t = self._recipe.net, self._table
        sizes = itertools.product(t.describe or [own.describe], t.depth or [own.depth], t.width or [own.width])
        tables = [PatternNetTable(describe=one, depth=two, width=three) for one, two, three in sizes]
        return [own, *(table for table in tables if table != own)]

    def _refuse_unfit(self, tables: list[PatternNetTable]) -> None:
        for table in tables:
            try:
                fresh(self._sized(table)).native(self._game.id)
            except (UsageError, EvaluationError, MemoryError, RuntimeError) as error:  # torch has no memory for it
                why = " ".join(str(error).split()) or "not enough memory"
                raise UsageError(f"architectures: {named(table)} does not fit: {why}") from None

    def _sized(self, table: PatternNetTable) -> DescentRecipe:
        """Return the recipe with other sizes, for the rounds of the comparison."""
        return msgspec.structs.replace(self._recipe, net=table, iterations=self._table.rounds)

    def _states(self, wanted: int, stream: int) -> Samples:
        """Return states of the expert's games, with the values of its searches."""
        samples = Samples(self._recipe.game, 2 * wanted, "value")
        seed = self._recipe.seed + 7_000_003 * (stream + 1)
        play = self_play(self._recipe, seed, greedy=self._recipe.selfplay.greedy)
        # in chunks, between which an interrupt ends it
        SelfPlayed().collect(
            lambda count: play.play(self._expert, [], None, count, samples), wanted, CHUNK, lambda *_: None
        )
        return samples

    def _taught(self, table: PatternNetTable, seen: Samples, held_out: Samples) -> Candidate:
        recipe, rounds = self._sized(table), self._table.rounds
        net = fresh(recipe)
        learner = StateLearner(net, recipe, recipe.learning)
        for i in range(rounds):
            learner.learn(seen, max(1, len(seen) // rounds), i)
        try:
            return Candidate(table, net, net.native(self._game.id), self._error(net, held_out))
        except DivergedError as error:
            raise WorkError(f"architecture {named(table)}: {error}; lower learning.rate") from None

    def _error(self, net: IncrementalValueNet, held_out: Samples) -> float:
        patterns, values = held_out.draw_patterns(HELD_OUT, self._recipe.seed)
        with torch.no_grad():
            found = net(torch.from_numpy(patterns.astype(np.int32))).numpy()
        error = float(((found - values) ** 2).mean())
        if not math.isfinite(error):
            raise DivergedError("the error is not finite")
        return error

    def _begun(self, own: Candidate) -> FinishedCandidate:
        """Keep the recipe's own network, against which the others play, and measure its speed."""
        self._folder.keep(to_onnx(own.net, self._recipe, Stamp(commit=commit() or "unknown")))
        (speed,) = self._speeds(own.native)
        return own.finished(speed, self._table.expansions)

    def _played(self, candidate: Candidate) -> FinishedCandidate:
        """Let a network play against the recipe's own one, both with the same time a move."""
        own = read_patterns(self._game, self._folder.own)
        ours, theirs = self._speeds(candidate.native, own)
        expansions = max(1, round(self._table.expansions * (ours / theirs if theirs else 1)))
        players = self._player(candidate.native, expansions), self._player(own, self._table.expansions)
        found = score(play_match(*players, self._openings, seed=self._recipe.seed, threads=1))
        return candidate.finished(ours, expansions, found)

    def _speeds(self, *nets: PatternNet) -> list[float]:
        """Return the expansions a second of each network, the best measurement; they are measured in turn."""
        rounds = [[self._speed(net) for net in nets] for _ in range(ROUNDS)]
        return [max(speeds) for speeds in zip(*rounds, strict=True)]

    def _speed(self, net: PatternNet) -> float:
        positions = [self._game.position(moves=line.moves) for line in self._openings[:TIMED]]
        with closing(self._player(net, 20 * self._table.expansions).player()) as player:
            searches = [player.search(position, Limits(), StopFlag()) for position in positions]
        return sum(search.nodes for search in searches) / max(sum(search.seconds for search in searches), 1e-9)

    def _player(self, net: PatternNet, expansions: int) -> DescentFactory:
        return DescentFactory(self._game, {"evaluations": str(expansions)}, IncrementalNet(net, self._recipe.name, {}))


def named(sizes: PatternNetTable | FinishedCandidate) -> str:
    """Return the sizes of a network as one word."""
    return f"{sizes.describe}-{sizes.depth}-{sizes.width}"
