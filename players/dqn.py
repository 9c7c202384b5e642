"""The player dqn: the move with the highest Q-value of a network, without a search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fiedler.games import Game
from fiedler.native import Limits, Position, SearchInfo, StopFlag
from fiedler.players.bots import Seeded
from fiedler.players.model import Floats
from fiedler.players.model_file import Heads
from fiedler.players.network import Network
from fiedler.players.network_player import NetworkPlayer, device_setting, model_setting
from fiedler.players.option import setting
from fiedler.players.player import OnInfo
from fiedler.players.seeds import SEED_BITS

Q = "q"
"""The head: the value of every move for the side to move, -1 to 1."""


@dataclass(slots=True)
class DqnSettings(Seeded):
    """The settings of dqn."""

    model: str = model_setting()
    device: str = device_setting()
    epsilon: float = setting(0.0, "share of random moves", low=0.0, high=1.0)


class DqnPlayer(NetworkPlayer):
    """One batch of the network, and its best legal move."""

    name = "dqn"
    description = "the move with the highest Q-value of an ONNX network, without a search"
    settings_type = DqnSettings
    settings: DqnSettings

    def __init__(self, game: Game, settings: DqnSettings, network: Network) -> None:
        super().__init__(game, settings, network)
        self.seeds = settings.seeds()

    @classmethod
    def heads(cls, game: Game) -> Heads:
        """Return the Q-values."""
        return {Q: game.position().num_actions}

    @property
    def bounded(self) -> bool:
        """Every search is one batch."""
        return True

    def changed(self, name: str) -> None:
        """Start the random numbers anew when the seed is set."""
        if name == "seed":
            self.seeds = self.settings.seeds()

    def search(
        self,
        position: Position,
        limits: Limits,  # noqa: ARG002 - one batch is the least
        stop: StopFlag,  # noqa: ARG002
        on_info: OnInfo | None = None,  # noqa: ARG002
    ) -> SearchInfo:
        """Return the legal move with the highest Q-value, or by `epsilon` a random one; see Player."""
        moves = position.legal_moves()
        if self.settings.epsilon and self.seeds.next() < self.settings.epsilon * 2**SEED_BITS:
            return SearchInfo(moves[self.seeds.below(len(moves))])
        return SearchInfo(moves[int(np.argmax(self._values(position, moves)))])

    def _values(self, position: Position, moves: list[int]) -> Floats:
        """Return the values of the moves: the means over the symmetries of the board, which the network has learned."""
        symmetries = range(position.num_symmetries)
        with self.asking():
            (values,) = self.network.batcher.evaluate(np.stack([position.transformed(i).planes() for i in symmetries]))
        turned = [[position.transformed_move(i, move) for move in moves] for i in symmetries]
        means: Floats = np.take_along_axis(values, np.array(turned), axis=1).mean(axis=0)
        return means
