"""Recipes: everything that defines a model. The keys of all systems; each system adds its own."""

from __future__ import annotations

import re
from abc import ABCMeta, abstractmethod
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from games import game
from support.errors import UsageError
from support.toml import Refuse
from training.entry import Entry
from training.system import System

MANY = 65536
Count = Annotated[int, Meta(ge=1, le=MANY)]
Large = Annotated[int, Meta(ge=1, le=10**9)]
Share = Annotated[float, Meta(ge=0, le=1)]
OBSERVING = frozenset({"device", "evaluation", "checkpoints", "rating"})
"""The keys of a recipe that do not change the model: a run may resume with others."""
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


class RecipeTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of a recipe."""


class References(RecipeTable, frozen=True, kw_only=True):
    """The table `[evaluation]`: matches of the model against fixed references, as the run goes."""

    every: Annotated[int, Meta(ge=1, le=10**6)]
    """Iterations between two evaluations; one more follows the last iteration."""
    games: Annotated[int, Meta(ge=2, le=10**6, multiple_of=2)]
    """Games against each reference: every opening twice, with colours reversed."""
    against: Annotated[list[str], Meta(min_length=1)]
    """The references: a player's name or a model file, then its options as KEY=VALUE."""
    simulations: Annotated[int, Meta(ge=1, le=10**6)] = 100
    """Of a model, a move, where its player searches."""
    plies: Annotated[int, Meta(ge=0, le=1000)] = 4
    """Random plies of an opening."""
    options: dict[str, str] = {}
    """Options of the model's player."""


class Checkpoints(RecipeTable, frozen=True, kw_only=True):
    """The table `[checkpoints]`: models that a run keeps, log-spaced."""

    keep: Annotated[int, Meta(ge=1, le=10**4)]
    """The number of kept models, that of the last iteration included."""


class LadderTable(RecipeTable, frozen=True, kw_only=True):
    """The table `[rating]`: a tournament of the checkpoints of a run, as it goes."""

    every: Annotated[int, Meta(ge=1, le=10**6)]
    """Iterations between two checkpoints that are rated; the last one is, too."""
    games: Annotated[int, Meta(ge=2, le=10**4, multiple_of=2)]
    """Games between a checkpoint and each of its opponents, up to eight earlier players."""
    against: Annotated[list[str], Meta(min_length=1)] = msgspec.field(default_factory=lambda: ["random"])
    """References at the foot of the ladder, as in `[evaluation]`."""
    simulations: Annotated[int, Meta(ge=1, le=10**6)] = 100
    """Of a checkpoint, a move, if its player searches."""
    plies: Annotated[int, Meta(ge=0, le=1000)] = 4
    """Random plies of an opening."""
    options: dict[str, str] = {}
    """Options of the checkpoints' player."""


class _RecipeMeta(msgspec.StructMeta, ABCMeta):
    """Lets a struct have abstract methods."""


class Recipe(RecipeTable, frozen=True, kw_only=True, tag_field="system", metaclass=_RecipeMeta):
    """One training run; the key `system` of the file selects the subclass."""

    entry: ClassVar[type[Entry]]
    """The log lines of its runs."""
    player: ClassVar[str]
    """The kind of player of its model."""
    model: ClassVar[str] = "net.onnx"
    """The name of its model in the folder of a run; the ending is the kind of file."""
    needs: ClassVar[tuple[str, ...]] = ()
    """The libraries of its system."""
    has_device: ClassVar[bool] = False
    """Whether its system can use a GPU."""

    name: str
    """The name of the run and of the model: letters, digits, `-`, `_` and `.`."""
    game: str
    iterations: Annotated[int, Meta(ge=1, le=10**6)]
    """Rounds of playing and learning."""
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the network learns and plays; auto takes CUDA where torch and onnxruntime have it."""
    evaluation: References | None = None
    checkpoints: Checkpoints | None = None
    rating: LadderTable | None = None

    @abstractmethod
    def begin(self) -> System:
        """Return the system of this recipe with an untrained model."""

    def check(self, refuse: Refuse) -> None:
        """Refuse wrong values that the types allow: names, and combinations.

        Raises:
            UsageError: By `refuse`, for a wrong value.
        """
        try:
            game(self.game)
        except UsageError as error:
            refuse("game", str(error))
        if self.device == "cuda" and not self.has_device:
            refuse("device", f"expected auto or cpu: system {self.system!r} uses no GPU, got 'cuda'")
        if not NAME.fullmatch(self.name):
            refuse("name", f"expected letters, digits, '-', '_' and '.', got {self.name!r}")

    @property
    def system(self) -> str:
        """The name of its system."""
        return str(self.__struct_config__.tag)

    def json(self) -> str:
        """Return the whole recipe as one line of JSON, for `registry.from_json`."""
        return msgspec.json.encode(self).decode()

    def differences(self, other: Recipe) -> list[str]:
        """Return the keys, such as `learning.rate`, in which two recipes differ and which change the model."""
        mine, theirs = _flat(msgspec.to_builtins(self)), _flat(msgspec.to_builtins(other))
        keys = sorted(key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key))
        return [key for key in keys if key.partition(".")[0] not in OBSERVING]


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in data.items():
        flat.update(_flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value})
    return flat
