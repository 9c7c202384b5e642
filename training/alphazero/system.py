"""Self-play and learning in turn: AlphaZero's loop (Silver et al. 2017)."""

from __future__ import annotations

import copy
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fiedler.native import Samples, SelfPlay
from fiedler.players.checkpoint import CheckpointPlayer
from fiedler.players.model import Model, load_bytes
from fiedler.players.network import Batches, Network
from fiedler.training.alphazero.entry import AlphaZeroEntry
from fiedler.training.alphazero.recipe import AlphaZeroRecipe, GateTable
from fiedler.training.alphazero.tactics import tactics
from fiedler.training.judge.gate import Gate
from fiedler.training.judge.sides import model_player
from fiedler.training.model.selfplay import SelfPlayed
from fiedler.training.nets.learner import Losses
from fiedler.training.nets.system import NetSystem
from fiedler.training.recipe.system import OnProgress, Stamp

CHUNK = 500
"""Samples between two looks at progress and interruptions."""


@dataclass
class PlayedGames(SelfPlayed):
    """The games of an iteration, and the simulations of their searches."""

    simulations: int = 0
    first_wins: int = 0
    draws: int = 0


class AlphaZero(NetSystem[AlphaZeroRecipe]):
    """Unfinished games continue in the next iteration; a restored system begins new ones."""

    def __init__(self, recipe: AlphaZeroRecipe) -> None:
        super().__init__(recipe)
        self._gate = Gate(recipe, recipe.gate) if recipe.gate else None
        self._network: Network | None = None
        self._selfplay: SelfPlay | None = None

    @property
    def memory(self) -> Samples:
        """The newest samples of self-play."""
        return self.samples

    def iterate(self, iteration: int, on_progress: OnProgress) -> AlphaZeroEntry:
        """Play with the present network, then learn from the newest samples; see System."""
        network = self._current_network()
        evaluated, began = network.stats().evaluations, time.monotonic()
        played = self._play(network, iteration, on_progress)
        ended = time.monotonic()
        losses, gate_score, accepted = self._learn(played.samples, iteration)
        return AlphaZeroEntry(
            **vars(played),
            evaluations=network.stats().evaluations - evaluated,
            selfplay_seconds=round(ended - began, 3),
            learning_seconds=round(time.monotonic() - ended, 3),
            policy_loss=round(losses.policy, 5),
            value_loss=round(losses.value, 5),
            steps=losses.steps,
            rate=losses.rate,
            gate_score=gate_score,
            accepted=accepted,
        )

    def _learn(self, new: int, iteration: int) -> tuple[Losses, float | None, bool]:
        """Learn from the samples, and return to the network before if the gate keeps the new one out."""
        steps, table = self.recipe.learning.steps(new), self.recipe.gate
        if self._gate is None or table is None:
            return self.learner.learn(self.samples, steps, iteration), None, True
        best, before = self.export(Stamp()), copy.deepcopy(self.learner.state())
        losses = self.learner.learn(self.samples, steps, iteration)
        found = self._gate_score(self._gate, table, (self.export(Stamp()), best), iteration)
        accepted = found > table.score
        if not accepted:
            self.learner.restore(before)
        return losses, round(found, 4), accepted

    def _gate_score(self, gate: Gate, table: GateTable, models: tuple[bytes, bytes], iteration: int) -> float:
        """Return the score of the new model, the first one, against the best one, 0 to 1.

        Raises:
            UsageError: A model cannot be loaded.
        """
        with tempfile.TemporaryDirectory() as folder:
            paths = Path(folder) / "new.onnx", Path(folder) / "best.onnx"
            for path, data in zip(paths, models, strict=True):
                path.write_bytes(data)
            options = {name: str(value).lower() for name, value in tactics(table.threats).items()}
            device = self.recipe.device
            new, best = (partial(model_player, path, self.game, table.simulations, options, device) for path in paths)
            with closing(new()) as ours, closing(best()) as theirs:
                return gate.score(ours, theirs, self.recipe.seed + iteration)

    def close(self) -> None:
        """End the network of self-play."""
        if self._network is not None:
            self._network.close()

    def _model(self) -> Model:
        purpose = CheckpointPlayer.purpose(self.game)
        return load_bytes(self.export(Stamp()), purpose, device=self.recipe.device, name=self.recipe.name)

    def _current_network(self) -> Network:
        """Return the network with the present weights."""
        settings = self.recipe.selfplay
        if self._network is None:
            batches = Batches(rows=settings.games, enough=settings.games, side_by_side=settings.workers)
            self._network = Network(self.game, self._model(), batches)
            for _ in range(settings.workers):
                self._network.admit()
        else:
            self._network.replace(self._model())
        return self._network

    def _play(self, network: Network, iteration: int, on_progress: OnProgress) -> PlayedGames:
        if self._selfplay is None:
            seed = self.recipe.seed + 1_000_003 * iteration
            self._selfplay = SelfPlay(self.game.id, network.batcher, seed=seed, **self.recipe.selfplay.settings())
        played, play = PlayedGames(), self._selfplay
        wanted = self.recipe.learning.samples
        played.collect(lambda count: play.play(count, self.samples), wanted, CHUNK, on_progress)
        return played
