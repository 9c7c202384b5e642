"""The player policy: a network's likeliest moves, judged by rollouts, by the network, or by a network of cells."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from fiedler.games import Game
from fiedler.native import CellNet
from fiedler.players.checkpoint import CheckpointPlayer, CheckpointSettings, LeafSettings
from fiedler.players.incremental import joined_cells
from fiedler.players.network import Network
from fiedler.players.network_player import NetworkFactory
from fiedler.players.option import Settings, setting
from fiedler.players.player import Factory


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
    ask_from: int = setting(
        64,
        "visits of a node whose moves the network judges, if its file has a network of cells",
        low=1,
        high=2**31 - 1,
    )


class PolicyPlayer(CheckpointPlayer):
    """PUCT over the moves of a network; proven results are backed up as in checkpoint.

    New nodes have the likeliest moves and a value from rollouts and the network. If the file has a network of cells
    beside it (`train join`), that one values them at once: then they have up to 16 moves and no rollouts, and the
    network judges the moves of nodes with many visits.
    """

    name = "policy"
    description = "PUCT over the likeliest moves of an ONNX network, with heuristic rollouts"
    settings_type = PolicySettings
    settings: PolicySettings

    def __init__(self, game: Game, settings: Settings, network: Network, cells: CellNet | None = None) -> None:
        super().__init__(game, settings, network)
        self._cells = cells

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return the factory of players that share the networks of one file.

        Raises:
            UsageError: The model is missing or unfit, or an option is wrong.
        """
        return PolicyFactory(game, values)

    def leaf_settings(self) -> LeafSettings:
        """Return how new nodes get their moves and values."""
        own = self.settings
        return {
            "width": own.width,
            "rollouts": own.rollouts,
            "rollout_share": own.rollout_share,
            "cells": self._cells,
            "ask_from": own.ask_from,
        }


class PolicyFactory(NetworkFactory):
    """The factory of players that share the networks of one file."""

    settings: PolicySettings

    def __init__(self, game: Game, values: Mapping[str, str]) -> None:
        """Load the network, and the one of cells if the file has one.

        Raises:
            UsageError: The model is missing or unfit, or an option is wrong.
        """
        self._cells: CellNet | None = None
        super().__init__(PolicyPlayer, game, values)

    def take(self, data: bytes, name: str) -> None:
        """Take the network of cells.

        Raises:
            UsageError: It is damaged, or of another game.
        """
        self._cells = joined_cells(self.game, data, name)

    def player(self) -> PolicyPlayer:
        """Return a new player over the shared networks."""
        return PolicyPlayer(self.game, copy.copy(self.settings), self.network, self._cells)
