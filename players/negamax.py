"""The player negamax: alpha-beta of the native core."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fiedler.games import Game
from fiedler.native import Limits, Negamax, Position, SearchInfo, StopFlag
from fiedler.players.limits import tighter
from fiedler.players.option import Settings, setting
from fiedler.players.player import Factory, OnInfo, Player

if TYPE_CHECKING:
    from fiedler.players.incremental import IncrementalNet


@dataclass(slots=True)
class NegamaxSettings(Settings):
    """The settings of negamax."""

    model: str = setting(
        "", "file of an incremental network that evaluates in place of the game's evaluation", at_start=True
    )
    nodes: int = setting(0, "most nodes a move; 0 = as the limit allows", low=0, high=2**63 - 1)
    depth: int = setting(0, "deepest search, in plies; 0 = as deep as the limit allows", low=0, high=1000)
    hash_mb: int = setting(64, "size of the transposition tables, in MiB", low=1, high=1024)
    threads: int = setting(1, "threads that search together; only one gives the same tree every time", low=1, high=256)


class NegamaxPlayer(Player):
    """Alpha-beta with iterative deepening, exact at the end of the game."""

    name = "negamax"
    description = "alpha-beta, iterative deepening, transposition table; exact at the end"
    settings_type = NegamaxSettings
    deepens = True
    budget = "nodes"
    settings: NegamaxSettings

    def __init__(self, game: Game, settings: NegamaxSettings, net: IncrementalNet | None = None) -> None:
        super().__init__(game, settings)
        self._net = net
        self._search: Negamax | None = None  # made on demand: an unused table needs no memory

    @classmethod
    def takes(cls, made_for: str) -> bool:
        """Return whether it takes model files of a player: its own, those of descent, and joined ones of policy."""
        return made_for in (cls.name, "descent", "policy")

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return the factory of players that share one network, if any.

        Raises:
            UsageError: The model is missing or unfit, or an option is wrong.
        """
        return NegamaxFactory(game, values)

    @property
    def title(self) -> str:
        """The name with that of the network."""
        return f"{self.name} {self._net.name}" if self._net else self.name

    @property
    def bounded(self) -> bool:
        """Whether a depth or a number of nodes is set."""
        return self.settings.depth > 0 or self.settings.nodes > 0

    def changed(self, name: str) -> None:
        """Drop a table of the wrong size, or the wrong number of threads."""
        if name in ("hash_mb", "threads"):
            self._search = None

    @property
    def prepared(self) -> bool:
        """Whether the table exists."""
        return self._search is not None

    def prepare(self) -> None:
        """Allocate the table."""
        self._made()

    def new_game(self) -> None:
        """Forget the table and the statistics of the move order."""
        if self._search is not None:
            self._search.clear()

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Deepen until a limit ends it or the result is proven; see Player."""
        return self._made().search(
            position, tighter(limits, nodes=self.settings.nodes, depth=self.settings.depth), stop, on_info
        )

    def close(self) -> None:
        """Free the table."""
        self._search = None

    def _made(self) -> Negamax:
        if self._search is None:
            net = self._net.net if self._net else None
            self._search = Negamax(self.game.id, self.settings.hash_mb, self.settings.threads, net)
        return self._search


class NegamaxFactory(Factory):
    """The factory of players that share one network, if any."""

    game: Game
    settings: NegamaxSettings

    def __init__(self, game: Game, values: Mapping[str, str]) -> None:
        """Load the network of the option `model`, if it is set.

        Raises:
            UsageError: The model is missing or unfit, or an option is wrong.
        """
        super().__init__(NegamaxPlayer, game, values)
        self._net: IncrementalNet | None = None
        if self.settings.model:
            from fiedler.players.incremental import read_incremental

            self._net = read_incremental(game, Path(self.settings.model))

    def player(self) -> NegamaxPlayer:
        """Return a new player over the shared network."""
        return NegamaxPlayer(self.game, copy.copy(self.settings), self._net)
