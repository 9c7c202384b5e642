"""The player mcts: UCT with rollouts of the native core."""

from __future__ import annotations

from dataclasses import dataclass

from fiedler.native import Mcts
from fiedler.players.option import setting
from fiedler.players.tree import TreePlayer, TreeSettings


@dataclass(slots=True)
class MctsSettings(TreeSettings):
    """The settings of mcts."""

    c: float = setting(1.0, "exploration constant of UCB1, for results from -1 to 1", low=0.0, high=100.0)
    rollout: str = setting("random", "the policy of the rollouts", choices=("random", "heuristic"))
    hash_mb: int = setting(64, "most memory for the trees, in MiB; a full tree stops growing", low=1, high=1024)
    threads: int = setting(1, "threads, with a tree each; with more than one, searches differ", low=1, high=256)
    fpu: float = setting(100.0, "upper bound of untried moves; 100 tries every move once first", low=-100.0, high=100.0)
    leaf_rollouts: int = setting(1, "rollouts of a simulation, whose mean is backed up", low=1, high=16)
    solver: bool = setting(True, "prove results and back them up; false: rollouts and the rules decide alone")


class MctsPlayer(TreePlayer[Mcts]):
    """UCT with rollouts."""

    name = "mcts"
    description = "UCT with rollouts, proven wins and losses backed up, the tree kept between moves"
    settings_type = MctsSettings
    settings: MctsSettings

    def make_tree(self, seed: int) -> Mcts:
        """Return a new tree by the settings."""
        own = self.settings
        return Mcts(
            self.game.id,
            own.c,
            own.rollout,
            own.hash_mb,
            seed,
            own.threads,
            own.fpu,
            own.leaf_rollouts,
            own.solver,
        )
