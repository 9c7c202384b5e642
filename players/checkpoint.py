"""The player checkpoint: PUCT over an ONNX policy-value network, with batches shared by all searches."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from games import Game
from native import EvaluationError, Limits, Position, Puct, RootMove, SearchInfo, StopFlag
from players.model import DEVICES, Model, load
from players.network import Network
from players.option import setting
from players.player import Evaluations, Factory, OnInfo, Player
from players.tree import TreePlayer, TreeSettings
from support.errors import UsageError, WorkError


@dataclass(slots=True)
class CheckpointSettings(TreeSettings):
    """The settings of checkpoint."""

    model: str = setting("", "file of the network (ONNX)", at_start=True)
    device: str = setting("auto", "device that runs the network", choices=("auto", *DEVICES), at_start=True)
    c_puct: float = setting(1.5, "exploration constant of PUCT, for values from -1 to 1", low=0.0, high=100.0)
    batch: int = setting(8, "leaves that the search sends to the network at a time", low=1, high=128)
    temperature: float = setting(
        0.0, "temperature of the choice by visits; 0 = the most visited move", low=0.0, high=100.0
    )
    hash_mb: int = setting(256, "most memory for the tree, in MiB; a full tree stops growing", low=1, high=1024)


class CheckpointPlayer(TreePlayer[Puct]):
    """PUCT led by a network; proven results are backed up, the tree is kept between moves."""

    name = "checkpoint"
    description = "PUCT over an ONNX policy-value network, the leaves of all sessions evaluated in shared batches"
    settings_type = CheckpointSettings
    settings: CheckpointSettings

    def __init__(self, game: Game, settings: CheckpointSettings, network: Network) -> None:
        super().__init__(game, settings)
        self._network = network

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return what makes players that share one network; raises UsageError for a missing or unfit model."""
        return CheckpointFactory(game, values)

    @property
    def title(self) -> str:
        """The name with that of the network."""
        return f"{self.name} {self._network.model.name}"

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Simulate until a limit ends it or the root is proven; see Player."""
        try:
            return super().search(position, limits, stop, on_info)
        except EvaluationError as error:
            raise WorkError(f"player {self.name}: {error}") from None

    def root_moves(self) -> list[RootMove]:
        """Return what the last search knows of the moves at its root, most visited first."""
        return self.tree.root_moves()

    def make_tree(self, seed: int) -> Puct:
        """Return a new tree by the settings."""
        own = self.settings
        return Puct(
            self.game.id,
            self._network.batcher,
            c_puct=own.c_puct,
            batch=own.batch,
            temperature=own.temperature,
            hash_mb=own.hash_mb,
            seed=seed,
        )


class CheckpointFactory(Factory):
    """Makes the players of one network."""

    settings: CheckpointSettings

    def __init__(self, game: Game, values: Mapping[str, str], model: Model | None = None) -> None:
        """`model` stands in for the file named in `values`; raises UsageError for an unfit file or option."""
        super().__init__(CheckpointPlayer, game, values)
        if model is None:
            if not self.settings.model:
                raise UsageError("player checkpoint: expected a network file as option 'model' (--model F.onnx)")
            model = load(Path(self.settings.model), game, CheckpointPlayer.name, self.settings.device)
        self.network = Network(game, model)

    def player(self) -> Player:
        """Return a new player over the shared network."""
        return CheckpointPlayer(self.game, copy.copy(self.settings), self.network)

    def evaluations(self) -> Evaluations | None:
        """Return how much the network has worked."""
        return self.network.stats()

    def close(self) -> None:
        """End the network's thread."""
        self.network.close()
