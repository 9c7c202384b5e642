"""The player policy: a network's likeliest moves, judged by rollouts, by the network, or by both."""

from __future__ import annotations

from dataclasses import dataclass

from players.checkpoint import CheckpointPlayer, CheckpointSettings, LeafSettings
from players.option import setting


@dataclass(slots=True)
class PolicySettings(CheckpointSettings):
    """The settings of policy."""

    width: int = setting(5, "moves of a node, the likeliest, where no threat limits them; 0 = all", low=0, high=400)
    rollouts: int = setting(1, "heuristic rollouts from each new node", low=0, high=1024)
    rollout_share: float = setting(
        0.5,
        "weight of the mean result of the rollouts in the value; the network has the rest",
        low=0.0,
        high=1.0,
    )


class PolicyPlayer(CheckpointPlayer):
    """PUCT over the likeliest moves of a network, with rollouts; proven results are backed up as in checkpoint."""

    name = "policy"
    description = "PUCT over the likeliest moves of an ONNX network, with heuristic rollouts"
    settings_type = PolicySettings
    settings: PolicySettings

    def leaf_settings(self) -> LeafSettings:
        """Return how new nodes get their moves and values."""
        own = self.settings
        return {"width": own.width, "rollouts": own.rollouts, "rollout_share": own.rollout_share}
