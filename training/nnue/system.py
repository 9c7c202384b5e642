"""Self-play and learning in turn: searches give positions their values, and the network learns them (Nasu 2018)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from fiedler.games import Game, game
from fiedler.native import LabelPlay, LabelPlayStats, Samples
from fiedler.support.errors import UsageError
from fiedler.training.model.selfplay import SelfPlayed
from fiedler.training.model.state_learner import StateLearner
from fiedler.training.model.torch_system import TorchSystem
from fiedler.training.nnue.entry import NnueEntry
from fiedler.training.nnue.export import to_onnx
from fiedler.training.nnue.net import CellValueNet, fresh
from fiedler.training.nnue.recipe import NnueRecipe
from fiedler.training.recipe.system import OnProgress, Stamp

CHUNK = 2000
"""Samples between two looks at progress and interruptions."""


@dataclass
class Labelled(SelfPlayed):
    """The games of an iteration, and the nodes of all searches."""

    nodes: int = 0


class Nnue(TorchSystem[NnueRecipe]):
    """The searches of self-play evaluate as the game does, then by the network itself."""

    def __init__(self, recipe: NnueRecipe) -> None:
        super().__init__(recipe)
        self.game: Game = game(recipe.game)
        self.samples = Samples(recipe.game, recipe.learning.capacity, "value")
        net = fresh(recipe, self.samples.places)
        self.learner: StateLearner[CellValueNet] = StateLearner(net, recipe, recipe.learning)

    @property
    def memory(self) -> Samples:
        """The newest positions."""
        return self.samples

    def iterate(self, iteration: int, on_progress: OnProgress) -> NnueEntry:
        """Play, then learn from the newest positions; see System."""
        began = time.monotonic()
        played = self._play(iteration, on_progress)
        ended = time.monotonic()
        learned = self.learner.learn(self.samples, played.samples, iteration)
        return NnueEntry(
            **vars(played),
            selfplay_seconds=round(ended - began, 3),
            learning_seconds=round(time.monotonic() - ended, 3),
            value_loss=round(learned.loss, 5),
            steps=learned.steps,
            rate=learned.rate,
        )

    def _play(self, iteration: int, on_progress: OnProgress) -> Labelled:
        s = self.recipe.selfplay
        play = LabelPlay(
            self.game.id,
            nodes=s.nodes,
            label_nodes=s.label_nodes,
            neighbours=s.neighbours,
            steps=s.steps,
            random_share=s.random_share,
            opening_plies=s.opening_plies,
            opening_square=s.opening_square,
            balance=s.balance,
            seed=self.recipe.seed + 1_000_003 * iteration,
        )
        if iteration >= s.own_evaluation:
            play.use(self.learner.net.native(self.game.id))
        played, wanted = Labelled(), self.recipe.learning.samples

        def more(count: int) -> LabelPlayStats:
            try:
                return play.play(count, self.samples)
            except RuntimeError as error:
                raise UsageError(f"selfplay.balance: {error}") from None

        played.collect(more, wanted, CHUNK, on_progress)
        return played

    def export(self, stamp: Stamp) -> bytes:
        """Return the network as an ONNX file."""
        return to_onnx(self.learner.net, self.recipe, stamp)

    def _parts(self) -> dict[str, Any]:
        return self.learner.state()

    def _restore_parts(self, parts: dict[str, Any]) -> None:
        self.learner.restore(parts)
