"""Recipes: everything that defines a model, as data. The keys of all systems; each system adds its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from fiedler.games import FILLED, game
from fiedler.players import player_kind
from fiedler.support.errors import UsageError
from fiedler.support.toml import Refuse
from fiedler.training.recipe.entry import Entry

MANY = 65536
Count = Annotated[int, Meta(ge=1, le=MANY)]
Large = Annotated[int, Meta(ge=1, le=10**9)]
Share = Annotated[float, Meta(ge=0, le=1)]
Level = Annotated[int, Meta(ge=1, le=10**9)]
OBSERVING = frozenset({"architectures", "device", "evaluation", "checkpoints", "opponent", "rating", "wandb"})
"""The keys of a recipe that do not change the model: a run may resume with others."""
NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


class RecipeTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of a recipe."""


class Matches(RecipeTable, frozen=True, kw_only=True):
    """The common part of the tables that let the model of a run play, as the run goes."""

    every: Annotated[int, Meta(ge=1, le=10**6)]
    """Iterations between two models that play; the last one does, too."""
    plies: Annotated[int, Meta(ge=0, le=1000)] = 4
    """Random plies of an opening."""
    options: dict[str, str] = {}
    """Options of the model's player."""

    def due(self, iteration: int, last: int) -> bool:
        """Return whether the model of an iteration, counted from 1, plays in a run of `last` iterations."""
        return iteration % self.every == 0 or iteration == last


class References(Matches, frozen=True, kw_only=True):
    """The table `[evaluation]`: matches of the model against fixed references."""

    games: Annotated[int, Meta(ge=2, le=10**6, multiple_of=2)]
    """Games against each reference: every opening twice, with colours reversed."""
    against: Annotated[list[str], Meta(min_length=1)]
    """The references: a player's name or a model file, then its options as KEY=VALUE."""
    simulations: Annotated[int, Meta(ge=1, le=10**6)] = 100
    """Of a model, a move, where its player searches."""


class OpponentTable(Matches, frozen=True, kw_only=True):
    """The table `[opponent]`: matches against a search whose level rises each time the model wins every game."""

    games: Annotated[int, Meta(ge=2, le=10**4, multiple_of=2)] = 10
    """Games of a match: every opening twice, with colours reversed."""
    against: str = "mcts solver=false rollout=random"
    """The opponent: a player's name or a model file, then its options as KEY=VALUE."""
    option: str = "simulations"
    """The option of the opponent that is its level."""
    start: Level = 1000
    """The level of the first match."""
    step: Level = 1000
    """The level rises by this much."""
    most: Level = 100_000
    """The highest level."""
    simulations: Annotated[int, Meta(ge=1, le=10**6)] = 400
    """Of the model, a move."""


class Checkpoints(RecipeTable, frozen=True, kw_only=True):
    """The table `[checkpoints]`: models that a run keeps, log-spaced."""

    keep: Annotated[int, Meta(ge=1, le=10**4)]
    """The number of kept models, that of the last iteration included."""


class LadderTable(Matches, frozen=True, kw_only=True):
    """The table `[rating]`: a tournament of the checkpoints of a run."""

    games: Annotated[int, Meta(ge=2, le=10**4, multiple_of=2)]
    """Games between a checkpoint and each of its opponents, up to eight earlier players."""
    against: Annotated[list[str], Meta(min_length=1)] = msgspec.field(default_factory=lambda: ["random"])
    """References at the foot of the ladder, as in `[evaluation]`."""
    simulations: Annotated[int, Meta(ge=1, le=10**6)] = 100
    """Of a checkpoint, a move, if its player searches."""


class TrackerTable(RecipeTable, frozen=True, kw_only=True):
    """The table `[wandb]`: the numbers of the run at Weights & Biases, too."""

    project: Annotated[str, Meta(min_length=1, max_length=128)] = "fiedler"
    """The project at Weights & Biases."""
    entity: str | None = None
    """The user or the team; default that of the login."""
    mode: Literal["online", "offline"] = "online"
    """offline: into the folder of the run, for `wandb sync`."""


class Recipe(RecipeTable, frozen=True, kw_only=True, tag_field="system"):
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
    """A game of `engine games` whose moves fill cells."""
    iterations: Annotated[int, Meta(ge=1, le=10**6)]
    """Rounds of playing and learning."""
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    """Seed of everything random."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where the network learns and plays; auto takes CUDA where torch and onnxruntime have it."""
    evaluation: References | None = None
    opponent: OpponentTable | None = None
    checkpoints: Checkpoints | None = None
    rating: LadderTable | None = None
    wandb: TrackerTable | None = None

    @property
    def has_comparison(self) -> bool:
        """Whether it names architectures to compare."""
        return False

    def check(self, refuse: Refuse) -> None:
        """Refuse wrong values that the types allow: names, and combinations.

        Raises:
            UsageError: By `refuse`, for a wrong value.
        """
        try:
            found = game(self.game)
        except UsageError as error:
            refuse("game", str(error))
        if found.id not in FILLED:
            refuse("game", f"expected one of {', '.join(FILLED)}, got {self.game!r}, which no system learns")
        if self.device == "cuda" and not self.has_device:
            refuse("device", f"expected auto or cpu: system {self.system!r} uses no GPU, got 'cuda'")
        if not NAME.fullmatch(self.name):
            refuse("name", f"expected letters, digits, '-', '_' and '.', got {self.name!r}")
        for key, table in (("evaluation", self.evaluation), ("rating", self.rating)):
            if table and (twice := [text for text, count in Counter(table.against).items() if count > 1]):
                refuse(f"{key}.against", f"expected each reference once, got {twice[0]!r} twice")
        if self.opponent is not None:
            self._check_opponent(self.opponent, refuse)

    def _check_opponent(self, table: OpponentTable, refuse: Refuse) -> None:
        if not player_kind(self.player).budget:
            refuse("opponent", f"expected no such table: the models of system {self.system!r} do not search")
        if table.start > table.most:
            refuse("opponent.start", f"expected at most {table.most} (most), got {table.start}")

    @property
    def system(self) -> str:
        """The name of its system."""
        return str(self.__struct_config__.tag)

    def json(self) -> str:
        """Return the whole recipe as one line of JSON, for `registry.from_json`."""
        return msgspec.json.encode(self).decode()

    def differences(self, other: Recipe, ignored: Collection[str] = OBSERVING) -> list[str]:
        """Return the keys, such as `learning.rate`, in which two recipes differ, without those that are `ignored`.

        By default these are the ones that do not change the model.
        """
        mine, theirs = _flat(msgspec.to_builtins(self)), _flat(msgspec.to_builtins(other))
        keys = sorted(key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key))
        return [key for key in keys if key.partition(".")[0] not in ignored]


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in data.items():
        flat.update(_flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value})
    return flat
