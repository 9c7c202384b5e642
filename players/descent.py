"""The player descent: best-first minimax over a value network, in the native core or behind onnxruntime."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass

from fiedler.games import Game
from fiedler.native import BestFirst, EvaluationError, Limits, PatternNet, Position, RootMove, SearchInfo, StopFlag
from fiedler.players.incremental import IncrementalNet, is_incremental, load_incremental, value_purpose
from fiedler.players.limits import tighter
from fiedler.players.model import load_bytes
from fiedler.players.model_file import Purpose, checked_metadata, read_model
from fiedler.players.network import Network
from fiedler.players.network_player import device_setting, model_setting, needed_model
from fiedler.players.option import Settings, setting
from fiedler.players.player import Evaluations, Factory, OnInfo, Player
from fiedler.support.errors import WorkError


@dataclass(slots=True)
class DescentSettings(Settings):
    """The settings of descent."""

    model: str = model_setting()
    device: str = device_setting()
    evaluations: int = setting(
        0, "most positions a move whose replies are all evaluated; 0 = as the limit allows", low=0, high=2**63 - 1
    )
    mean_share: float = setting(
        0.8,
        "share of the mean of the values below a move in its choice; the rest is its minimax value",
        low=0.0,
        high=1.0,
    )
    exploration: float = setting(
        0.3, "weight of few visits in that choice, for values from -1 to 1", low=0.0, high=10.0
    )
    hash_mb: int = setting(256, "most memory for the tree, in MiB; a full tree ends the search", low=1, high=1024)
    threads: int = setting(
        1, "threads that search one tree together; only one gives the same tree every time", low=1, high=256
    )


class DescentPlayer(Player):
    """Best-first minimax; proven results are backed up, the tree is kept between moves."""

    name = "descent"
    description = "best-first minimax over an ONNX value network"
    settings_type = DescentSettings
    budget = "evaluations"
    settings: DescentSettings

    def __init__(self, game: Game, settings: DescentSettings, source: IncrementalNet | Network) -> None:
        super().__init__(game, settings)
        self._source = source
        self._admitted = 0  # threads for which the network has room
        self._tree: BestFirst | None = None  # made on demand: an unused tree needs no memory

    @classmethod
    def purpose(cls, game: Game) -> Purpose:
        """Return the purpose that a model file must have for this player."""
        return value_purpose(game)

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return the factory of players that share one network.

        Raises:
            UsageError: The model is missing or unfit, or an option is wrong.
        """
        return DescentFactory(game, values)

    @property
    def title(self) -> str:
        """The name with that of the network."""
        return f"{self.name} {_name(self._source)}"

    @property
    def bounded(self) -> bool:
        """Whether a number of evaluations is set."""
        return self.settings.evaluations > 0

    @property
    def bytes_per_node(self) -> int:
        """Memory of one node of the tree, in bytes."""
        return self._made().bytes_per_node

    @property
    def prepared(self) -> bool:
        """Whether the tree exists."""
        return self._tree is not None

    def prepare(self) -> None:
        """Allocate the tree."""
        self._made()

    def changed(self, name: str) -> None:
        """Drop the tree, made by another setting; only a new number of evaluations keeps it."""
        if name != self.budget:
            self._tree = None

    def new_game(self) -> None:
        """Forget the tree."""
        if self._tree is not None:
            self._tree.clear()

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        """Search until a limit ends it, the root is proven or the tree is full; see Player."""
        try:
            return self._made().search(position, tighter(limits, nodes=self.settings.evaluations), stop, on_info)
        except EvaluationError as error:
            raise WorkError(f"player {self.name}: {error}") from None

    def root_moves(self) -> list[RootMove]:
        """Return the statistics of the moves at the root of the last search, most visited first."""
        return self._made().root_moves()

    def close(self) -> None:
        """Free the tree."""
        self._tree = None

    def _made(self) -> BestFirst:
        if self._tree is None:
            own, source = self.settings, self._source
            if isinstance(source, Network):
                for _ in range(self._admitted, own.threads):
                    source.admit()
                self._admitted = max(self._admitted, own.threads)
            self._tree = BestFirst(
                self.game.id,
                source.batcher if isinstance(source, Network) else _patterns(source),
                mean_share=own.mean_share,
                exploration=own.exploration,
                hash_mb=own.hash_mb,
                threads=own.threads,
            )
        return self._tree


def _patterns(source: IncrementalNet) -> PatternNet:
    assert isinstance(source.net, PatternNet)  # by the purpose of its file
    return source.net


def _name(source: IncrementalNet | Network) -> str:
    return source.model.name if isinstance(source, Network) else source.name


class DescentFactory(Factory):
    """The factory of players that share one network."""

    game: Game
    settings: DescentSettings

    def __init__(self, game: Game, values: Mapping[str, str], net: IncrementalNet | None = None) -> None:
        """Take a network, or load that of the option `model`.

        Raises:
            UsageError: The model is missing or unfit, or an option is wrong.
        """
        super().__init__(DescentPlayer, game, values)
        self.source = net or self._loaded()

    def _loaded(self) -> IncrementalNet | Network:
        path = needed_model(DescentPlayer, self.settings)
        data, purpose = read_model(path), DescentPlayer.purpose(self.game)
        about = checked_metadata(data, purpose, str(path))
        if is_incremental(about):
            return load_incremental(data, about, purpose, str(path))
        return Network(self.game, load_bytes(data, purpose, self.settings.device, str(path)))

    def player(self) -> DescentPlayer:
        """Return a new player over the shared network."""
        return DescentPlayer(self.game, copy.copy(self.settings), self.source)

    def evaluations(self) -> Evaluations | None:
        """Return the work of the network so far; None if the native core evaluates it."""
        return self.source.stats() if isinstance(self.source, Network) else None

    def close(self) -> None:
        """End the network."""
        if isinstance(self.source, Network):
            self.source.close()
