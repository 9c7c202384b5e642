"""Q-learning in batches of games: play, then learn for several epochs with fresh targets."""

from __future__ import annotations

import copy
import time
from functools import partial
from typing import Any

import numpy as np
import torch
from msgspec.structs import replace

from fiedler.training.dqn.boards import Bitboards, Moves
from fiedler.training.dqn.entry import DqnEntry
from fiedler.training.dqn.export import to_onnx
from fiedler.training.dqn.games import Chooser, Ends, Random, Seating, explore, opened, osp_moves, play, random_moves
from fiedler.training.dqn.learner import DqnLearner
from fiedler.training.dqn.net import QNet, fresh
from fiedler.training.dqn.recipe import DqnRecipe
from fiedler.training.dqn.samples import Record, SampleMemory, Samples
from fiedler.training.dqn.values import best_moves, q_values
from fiedler.training.model.torch_system import TorchSystem
from fiedler.training.recipe.system import OnProgress, Stamp


class Dqn(TorchSystem[DqnRecipe]):
    """Each iteration plays whole games, so a run that was interrupted resumes as if it was not."""

    def __init__(self, recipe: DqnRecipe) -> None:
        super().__init__(recipe)
        torch.set_num_threads(1)
        self.learner = DqnLearner(fresh(recipe), recipe)
        self.older: list[QNet] = []
        self._memory = SampleMemory(recipe.learning.capacity)

    @property
    def memory(self) -> SampleMemory:
        """The newest positions."""
        return self._memory

    def iterate(self, iteration: int, on_progress: OnProgress) -> DqnEntry:
        """Play a batch of games, then learn from them and from kept positions; see System."""
        random = np.random.default_rng([self.recipe.seed, iteration])
        began = time.monotonic()
        new, ends = self._play(iteration, random)
        ended = time.monotonic()
        lesson = self.learner.learn(self._lesson(new, random), iteration, random)
        self._memory.add(new)
        learnt = time.monotonic()
        on_progress(len(new), len(new))
        if iteration % self.recipe.games.older_every == 0:
            self.older = [*self.older, copy.deepcopy(self.learner.average)][-self.recipe.games.older :]
        entry = DqnEntry(
            games=self.recipe.games.count,
            samples=len(new),
            mean_length=round(float(ends.lengths.mean()), 2),
            epsilon=round(self.recipe.epsilon(iteration), 4),
            playing_seconds=round(ended - began, 3),
            learning_seconds=round(learnt - ended, 3),
            q_loss=round(lesson.loss, 5),
            steps=lesson.steps,
            rate=lesson.rate,
        )
        return self._measured(entry) if self._measures(iteration) else entry

    def export(self, stamp: Stamp) -> bytes:
        """Return the moving average of the network as an ONNX file."""
        return to_onnx(self.learner.average, self.recipe, stamp)

    def _parts(self) -> dict[str, Any]:
        return self.learner.state() | {"older": [net.state_dict() for net in self.older]}

    def _restore_parts(self, parts: dict[str, Any]) -> None:
        self.learner.restore(parts)
        self.older = [copy.deepcopy(self.learner.average) for _ in parts["older"]]
        for net, weights in zip(self.older, parts["older"], strict=True):
            net.load_state_dict(weights)

    def _lesson(self, new: Samples, random: Random) -> Samples:
        """Return the samples of an iteration: the new ones and some of the kept ones."""
        kept = self._memory.samples
        count = min(round(len(new) * self.recipe.learning.replay), len(kept))
        return np.concatenate([new, kept[random.choice(len(kept), count, replace=False)]])

    def _best(self, net: QNet, boards: Bitboards) -> Moves:
        return best_moves(q_values(net, boards, bf16=self.recipe.learning.bf16))

    def _explorer(self, net: QNet, epsilon: float) -> Chooser:
        """Return the player of an older network."""
        return lambda boards, random: explore(self._best(net, boards), boards, epsilon, random)

    def _play(self, iteration: int, random: Random) -> tuple[Samples, Ends]:
        """Return the samples and the ends of the games of an iteration."""
        g, epsilon, record = self.recipe.games, self.recipe.epsilon(iteration), Record()
        starts = opened(g.count, g.opening_share, g.opening_plies, random)
        older = [self._explorer(net, epsilon) for net in self.older]
        shares = [g.osp_share, g.random_share, *[g.older_share / len(older) for _ in older]]
        seats = seated(g.count, shares, random)
        seating = Seating(partial(self._best, self.learner.average), epsilon, [osp_moves, random_moves, *older], seats)
        ends = play(starts, seating, random, record.add)
        return record.samples(ends.results, self.recipe.learning.plies), ends

    def _measures(self, iteration: int) -> bool:
        return (iteration + 1) % self.recipe.measurements.every == 0 or iteration + 1 == self.recipe.iterations

    def _measured(self, entry: DqnEntry) -> DqnEntry:
        against_random, length = self._score(random_moves)
        against_osp, _ = self._score(osp_moves)
        return replace(entry, random_score=against_random, random_length=length, osp_score=against_osp)

    def _score(self, opponent: Chooser) -> tuple[float, float]:
        """Return score and mean length of games from the empty board, half of them as the first player."""
        count = self.recipe.measurements.games
        random = np.random.default_rng(self.recipe.seed)
        ours = np.arange(count) % 2
        seating = Seating(
            partial(self._best, self.learner.average), 0.0, [opponent], np.stack([ours, 1 - ours], axis=1)
        )
        ends = play(Bitboards.empty(count), seating, random)
        results = ends.results * (1 - 2 * ours)
        return round(float((1 + results.mean()) / 2), 4), round(float(ends.lengths.mean()), 2)


def seated(count: int, shares: list[float], random: Random) -> Moves:
    """Return the seats of games of the learner against the `shares` of others, else against itself, as either side."""
    parts = np.array([max(0.0, 1 - sum(shares)), *shares])  # the rest may be a rounding error below 0
    opponents = random.choice(len(parts), count, p=parts / parts.sum())
    first = random.random(count) < 0.5
    return np.stack([np.where(first, 0, opponents), np.where(first, opponents, 0)], axis=1)
