"""The player td-net: one ply ahead by a value network, learned by temporal differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fiedler.games import Game
from fiedler.native import Limits, Position, SearchInfo, StopFlag
from fiedler.players.afterstates import greedy_move
from fiedler.players.model_file import Heads
from fiedler.players.network_player import NetworkPlayer, device_setting, model_setting
from fiedler.players.option import Settings
from fiedler.players.player import OnInfo

VALUE = "value"
"""The head: the expected result for the side to move, -1 to 1."""


@dataclass(slots=True)
class TdNetSettings(Settings):
    """The settings of td-net."""

    model: str = model_setting()
    device: str = device_setting()


class TdNetPlayer(NetworkPlayer):
    """The move to the position of the lowest value for the opponent."""

    name = "td-net"
    description = "one ply ahead by an ONNX value network"
    settings_type = TdNetSettings
    settings: TdNetSettings

    @classmethod
    def heads(cls, game: Game) -> Heads:  # noqa: ARG003 - the same for every game
        """Return the value."""
        return {VALUE: 1}

    @property
    def bounded(self) -> bool:
        """True: it evaluates one batch."""
        return True

    def search(
        self,
        position: Position,
        limits: Limits,  # noqa: ARG002 - one batch takes less than any limit
        stop: StopFlag,  # noqa: ARG002
        on_info: OnInfo | None = None,  # noqa: ARG002
    ) -> SearchInfo:
        """Return its choice; see Player."""
        with self.asking():
            return SearchInfo(greedy_move(position, self._values))

    def _values(self, after: Sequence[Position]) -> Sequence[float]:
        (values,) = self.network.batcher.evaluate(np.stack([one.planes() for one in after]))
        return [-float(value) for value in values]
