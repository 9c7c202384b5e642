"""The player checkpoint: PUCT over an ONNX policy-value network, its leaves evaluated together with everybody's."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from games import Game, UsageError, WorkError
from native import EvaluationError, Limits, Position, Puct, RootMove, SearchInfo, StopFlag
from players.bots import Seeded
from players.limits import tighter
from players.model import DEVICES, Model, load
from players.network import Network
from players.option import setting
from players.player import Evaluations, Factory, OnInfo, Player
from players.seeds import Seeds


@dataclass(slots=True)
class CheckpointSettings(Seeded):
    """The settings of checkpoint."""

    model: str = setting("", "file of the network (ONNX)", at_start=True)
    device: str = setting("auto", "what runs the network", choices=("auto", *DEVICES), at_start=True)
    simulations: int = setting(0, "most simulations a move; 0 = as many as the limit allows", low=0, high=2**63 - 1)
    c_puct: float = setting(1.5, "exploration constant of PUCT, for values from -1 to 1", low=0.0, high=100.0)
    batch: int = setting(8, "leaves that the search hands to the network at a time", low=1, high=128)
    temperature: float = setting(0.0, "of the choice among visits; 0 = the most visited move", low=0.0, high=100.0)
    hash_mb: int = setting(256, "most memory for the tree, in MiB; a full tree stops growing", low=1, high=1024)


class CheckpointPlayer(Player):
    """PUCT led by a network; proven results are backed up, the tree is kept between moves."""

    name = "checkpoint"
    description = "PUCT over an ONNX policy-value network, the leaves of all sessions evaluated in shared batches"
    settings_type = CheckpointSettings
    settings: CheckpointSettings

    def __init__(self, game: Game, settings: CheckpointSettings, network: Network) -> None:
        super().__init__(game, settings)
        self._network = network
        self._seeds = Seeds(settings.seed)
        self._search: Puct | None = None  # made at the first search

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return what makes players that share one network; raises UsageError for a missing or unfit model."""
        return CheckpointFactory(game, values)

    @property
    def title(self) -> str:
        """The name with that of the network."""
        return f"{self.name} {self._network.model.name}"

    @property
    def bounded(self) -> bool:
        """Tell whether a number of simulations is set."""
        return self.settings.simulations > 0

    @property
    def bytes_per_node(self) -> int | None:
        """Memory of one node of the tree, in bytes."""
        return self._made().bytes_per_node

    def changed(self, name: str) -> None:
        """Drop the tree, which another setting made; only the number of simulations leaves it as it is."""
        if name == "simulations":
            return
        if name == "seed":
            self._seeds = Seeds(self.settings.seed)
        self._search = None

    def prepare(self) -> None:
        """Allocate the tree."""
        self._made()

    def new_game(self) -> None:
        """Forget the tree, and go on with other random numbers."""
        if self._search is not None:
            self._search.seed(self._seeds.next())
            self._search.clear()

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Simulate until a limit ends it or the root is proven; see Player."""
        try:
            return self._made().search(position, tighter(limits, nodes=self.settings.simulations), stop, on_info)
        except EvaluationError as error:
            raise WorkError(f"player {self.name}: {error}") from None

    def root_moves(self) -> list[RootMove]:
        """Return what the last search knows of the moves at its root, most visited first."""
        return self._made().root_moves()

    def close(self) -> None:
        """Give the tree back."""
        self._search = None

    def _made(self) -> Puct:
        if self._search is None:
            own = self.settings
            self._search = Puct(
                self.game.id,
                self._network.batcher,
                c_puct=own.c_puct,
                batch=own.batch,
                temperature=own.temperature,
                hash_mb=own.hash_mb,
                seed=self._seeds.next(),
            )
        return self._search


class CheckpointFactory(Factory):
    """Makes the players of one network."""

    settings: CheckpointSettings

    def __init__(self, game: Game, values: Mapping[str, str], model: Model | None = None) -> None:
        """`model` stands in for the file named in `values`; raises UsageError for an unfit file or option."""
        super().__init__(CheckpointPlayer, game, values)
        if model is None:
            if not self.settings.model:
                raise UsageError("player checkpoint: expected a network file as option 'model'")
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
