"""The common part of players with a search tree: made on demand, kept between moves, and seeded."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from fiedler.games import Game
from fiedler.native import Limits, Position, RootMove, SearchInfo, StopFlag
from fiedler.players.bots import Seeded
from fiedler.players.limits import tighter
from fiedler.players.option import setting
from fiedler.players.player import OnInfo, Player


@dataclass(slots=True)
class TreeSettings(Seeded):
    """The common settings of these players."""

    simulations: int = setting(0, "most simulations a move; 0 = as many as the limit allows", low=0, high=2**63 - 1)


class Tree(Protocol):
    """A search of the native core."""

    @property
    def bytes_per_node(self) -> int:
        """Memory of one node, in bytes."""

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Simulate until a limit ends it or the root is proven."""

    def root_moves(self) -> list[RootMove]:
        """Return the moves of the last position searched, most visited first."""

    def seed(self, seed: int) -> None:
        """Use other random numbers from the next `clear` on."""

    def clear(self) -> None:
        """Forget the tree."""


AnyTree = TypeVar("AnyTree", bound=Tree)


class TreePlayer(Player, Generic[AnyTree]):
    """A player that searches a tree; proven results are backed up, the tree is kept between moves."""

    settings: TreeSettings
    budget = "simulations"

    def __init__(self, game: Game, settings: TreeSettings) -> None:
        super().__init__(game, settings)
        self._seeds = settings.seeds()
        self._tree: AnyTree | None = None  # made on demand: an unused tree needs no memory

    @abstractmethod
    def make_tree(self, seed: int) -> AnyTree:
        """Return a new tree by the settings."""

    @property
    def tree(self) -> AnyTree:
        """The tree, made at its first use."""
        if self._tree is None:
            self._tree = self.make_tree(self._seeds.next())
        return self._tree

    @property
    def bounded(self) -> bool:
        """Whether a number of simulations is set."""
        return self.settings.simulations > 0

    @property
    def bytes_per_node(self) -> int | None:
        """Memory of one node of the tree, in bytes."""
        return self.tree.bytes_per_node

    def changed(self, name: str) -> None:
        """Drop the tree, made by another setting; only a new number of simulations keeps it."""
        if name == "simulations":
            return
        if name == "seed":
            self._seeds = self.settings.seeds()
        self._tree = None

    @property
    def prepared(self) -> bool:
        """Whether the tree exists."""
        return self._tree is not None

    def prepare(self) -> None:
        """Allocate the tree."""
        assert self.tree is not None

    def new_game(self) -> None:
        """Forget the tree, and continue with other random numbers, so that a series does not repeat one game."""
        if self._tree is not None:
            self._tree.seed(self._seeds.next())
            self._tree.clear()

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Simulate until a limit ends it or the root is proven; see Player."""
        return self.tree.search(position, tighter(limits, nodes=self.settings.simulations), stop, on_info)

    def root_moves(self) -> list[RootMove]:
        """Return the statistics of the moves at the root of the last search, most visited first."""
        return self.tree.root_moves()

    def close(self) -> None:
        """Free the tree."""
        self._tree = None
