"""The common part of the players over a network: one network for all sessions."""

from __future__ import annotations

import copy
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from fiedler.games import Game
from fiedler.native import EvaluationError
from fiedler.players.model import Floats, Model, load_bytes, probe
from fiedler.players.model_file import Heads, Purpose, read_model
from fiedler.players.network import Network
from fiedler.players.option import Settings, setting
from fiedler.players.player import Evaluations, Factory, Player
from fiedler.players.runtime import DEVICES, NetworkRunError
from fiedler.support.errors import UsageError, WorkError


class NetworkSettings(Protocol):
    """The settings that each of these players needs; the functions below declare them."""

    model: str
    device: str


def model_setting() -> str:
    """Declare the field `model`."""
    return setting("", "file of the network (ONNX)", at_start=True)


def device_setting() -> str:
    """Declare the field `device`."""
    return setting("auto", "device that runs the network", choices=("auto", *DEVICES), at_start=True)


def needed_model(kind: type[Player], settings: NetworkSettings) -> Path:
    """Return the file of the network.

    Raises:
        UsageError: None is named.
    """
    if not settings.model:
        raise UsageError(f"player {kind.name}: expected a network file as option 'model' (--model F.onnx)")
    return Path(settings.model)


class NetworkPlayer(Player):
    """A player over a network. Its settings satisfy NetworkSettings."""

    def __init__(self, game: Game, settings: Settings, network: Network) -> None:
        super().__init__(game, settings)
        self.network = network
        network.admit()

    @classmethod
    @abstractmethod
    def heads(cls, game: Game) -> Heads:
        """Return the needed heads, in the order of the batcher's answers."""

    @classmethod
    def purpose(cls, game: Game) -> Purpose:
        """Return the purpose that a model file must have for this player."""
        return Purpose(game, cls.name, cls.heads(game))

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return the factory of players that share one network.

        Raises:
            UsageError: The model is missing or unfit, or an option is wrong.
        """
        return NetworkFactory(cls, game, values)

    @property
    def title(self) -> str:
        """The name with that of the network."""
        return f"{self.name} {self.network.model.name}"

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Turn a failure of the network into a WorkError that names the player."""
        try:
            yield
        except EvaluationError as error:
            raise WorkError(f"player {self.name}: {error}") from None


class NetworkFactory(Factory):
    """The factory of players that share one network."""

    game: Game

    def __init__(self, kind: type[NetworkPlayer], game: Game, values: Mapping[str, str]) -> None:
        """Load the network.

        Raises:
            UsageError: The model is missing or unfit, or an option is wrong.
        """
        super().__init__(kind, game, values)
        self._kind = kind
        own = cast("NetworkSettings", self.settings)
        path = needed_model(kind, own)
        data = read_model(path)
        model = load_bytes(data, kind.purpose(game), own.device, str(path))
        self.take(data, str(path))
        self.network = Network(game, model)

    def take(self, data: bytes, name: str) -> None:
        """Take more from the content of the file, whose network is checked; `name` is its name in messages.

        Raises:
            UsageError: It is damaged.
        """

    def player(self) -> Player:
        """Return a new player over the shared network."""
        return self._kind(self.game, copy.copy(self.settings), self.network)

    def evaluations(self) -> Evaluations | None:
        """Return the work of the network so far."""
        return self.network.stats()

    def network_rate(self, rows: int, seconds: float) -> float:
        """Return the positions a second of the network alone; see Factory."""
        try:
            return _rate(self.network.model, probe(self.game), rows, seconds)
        except NetworkRunError as error:
            raise WorkError(f"player {self.kind.name}: the network failed: {error}") from None

    def close(self) -> None:
        """End the network."""
        self.network.close()


def _rate(model: Model, known: Floats, rows: int, seconds: float) -> float:
    """Return the positions a second of a network in batches of `rows` of the `known` planes."""
    evaluate = model.bind(np.concatenate([known] * (1 + rows // len(known)))[:rows], model.answers(rows))
    evaluate()
    began, calls = time.perf_counter(), 0
    while (spent := time.perf_counter() - began) < seconds:
        evaluate()
        calls += 1
    return rows * calls / spent
