"""The player checkpoint: PUCT over an ONNX policy-value network, with batches shared by all searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

from fiedler.games import Game
from fiedler.native import CellNet, Limits, Position, Puct, SearchInfo, StopFlag
from fiedler.players.model_file import Heads
from fiedler.players.network_player import NetworkPlayer, device_setting, model_setting
from fiedler.players.option import setting
from fiedler.players.player import OnInfo
from fiedler.players.tree import TreePlayer, TreeSettings

POLICY, VALUE = "policy", "value"
"""The heads of PUCT: logits of all actions, and the expected result for the side to move, -1 to 1."""


class LeafSettings(TypedDict, total=False):
    """The settings of native.Puct for new nodes."""

    width: int
    rollouts: int
    rollout_share: float
    cells: CellNet | None
    ask_from: int


@dataclass(slots=True)
class CheckpointSettings(TreeSettings):
    """The settings of checkpoint."""

    model: str = model_setting()
    device: str = device_setting()
    c_puct: float = setting(1.5, "exploration constant of PUCT, for values from -1 to 1", low=0.0, high=100.0)
    batch: int = setting(8, "leaves that the search sends to the network at a time", low=1, high=128)
    temperature: float = setting(
        0.0, "temperature of the choice by visits; 0 = the most visited move", low=0.0, high=100.0
    )
    threats: int = setting(
        900,
        "positions of the search by threats at every new node, in games that have one; 0 = none",
        low=0,
        high=10**6,
    )
    solve: int = setting(
        900,
        "positions of the search to the end of the game at later new nodes, in games that have one; 0 = none",
        low=0,
        high=10**6,
    )
    candidates: bool = setting(
        True, "a node has only the moves among which one is best by the game's knowledge; false: all"
    )
    hash_mb: int = setting(256, "most memory for the tree, in MiB; a full tree stops growing", low=1, high=1024)


class CheckpointPlayer(NetworkPlayer, TreePlayer[Puct]):
    """PUCT guided by a network; proven results are backed up, the tree is kept between moves."""

    name = "checkpoint"
    description = "PUCT over an ONNX policy-value network, which all sessions share"
    settings_type = CheckpointSettings
    settings: CheckpointSettings

    @classmethod
    def heads(cls, game: Game) -> Heads:
        """Return the policy and the value."""
        return {POLICY: game.position().num_actions, VALUE: 1}

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Simulate until a limit ends it or the root is proven; see Player."""
        with self.asking():
            return super().search(position, limits, stop, on_info)

    def make_tree(self, seed: int) -> Puct:
        """Return a new tree by the settings."""
        own = self.settings
        return Puct(
            self.game.id,
            self.network.batcher,
            c_puct=own.c_puct,
            batch=own.batch,
            temperature=own.temperature,
            hash_mb=own.hash_mb,
            seed=seed,
            threats=own.threats,
            solve=own.solve,
            candidates=own.candidates,
            **self.leaf_settings(),
        )

    def leaf_settings(self) -> LeafSettings:
        """Return how new nodes get their moves and values: all moves and the network's values."""
        return {}
