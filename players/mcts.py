"""The player mcts: UCT with rollouts of the native core."""

from __future__ import annotations

from dataclasses import dataclass

from games import Game
from native import Limits, Mcts, Position, SearchInfo, StopFlag
from players.bots import Seeded
from players.limits import tighter
from players.option import setting
from players.player import OnInfo, Player
from players.seeds import Seeds


@dataclass(slots=True)
class MctsSettings(Seeded):
    """The settings of mcts."""

    simulations: int = setting(0, "most simulations a move; 0 = as many as the limit allows", low=0, high=2**63 - 1)
    c: float = setting(1.0, "exploration constant of UCB1, for results from -1 to 1", low=0.0, high=100.0)
    rollout: str = setting("random", "how a simulation plays to the end", choices=("random", "heuristic"))
    hash_mb: int = setting(64, "most memory for the tree, in MiB; a full tree stops growing", low=1, high=1024)


class MctsPlayer(Player):
    """UCT with rollouts; proven results are backed up, the tree is kept between moves."""

    name = "mcts"
    description = "UCT with rollouts, proven wins and losses backed up, the tree kept between moves"
    settings_type = MctsSettings
    settings: MctsSettings

    def __init__(self, game: Game, settings: MctsSettings) -> None:
        super().__init__(game, settings)
        self._seeds = Seeds(settings.seed)
        self._search: Mcts | None = None  # a tree that nobody needs costs nothing

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
        """Forget the tree, and go on with other random numbers: a series of games is not one game again and again."""
        if self._search is not None:
            self._search.seed(self._seeds.next())
            self._search.clear()

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Simulate until a limit ends it or the root is proven; see Player."""
        return self._made().search(position, tighter(limits, nodes=self.settings.simulations), stop, on_info)

    def close(self) -> None:
        """Give the tree back."""
        self._search = None

    def _made(self) -> Mcts:
        if self._search is None:
            own = self.settings
            self._search = Mcts(self.game.id, own.c, own.rollout, own.hash_mb, self._seeds.next())
        return self._search
