"""Recipes: everything that defines a checkpoint, as TOML files that become frozen structs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from games import game
from support.errors import UsageError, nearest


class Net(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A small network for CPUs: one convolution, one mixing of its channels, a dense trunk, two heads."""

    kernel: int
    """Rows and columns that the first convolution sees, 1 to the smaller side of the board."""
    stride: int
    """Step of the first convolution; 3 with kernel 3 gives every local board of uttt one shared embedding."""
    channels: int
    """Outputs of the first convolution."""
    mixed: int
    """Channels after a 1x1 convolution; they are what the trunk sees of each place."""
    hidden: list[int]
    """Units of the dense layers of the trunk; a layer as wide as the one before it is residual."""
    value_hidden: int
    """Units of the value head."""


class SelfPlay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the network plays against itself."""

    games: int
    """At once, in each worker; the network's batch has as many rows."""
    full: int
    """Visits of the root in a full search, whose position is recorded."""
    fast: int
    """Visits of the root in a fast one, which only moves the game on."""
    full_share: float
    """Share of the searches that are full, 0 to 1."""
    opening_plies: int
    """A random opening has 0 to this many uniformly random plies."""
    opening_share: float
    """Share of the games that begin with a random opening, 0 to 1."""
    noise_alpha: float = 10.0
    """Dirichlet noise at the root of full searches: sum of the alphas over the legal moves."""
    noise_share: float = 0.25
    """Weight of that noise, 0 to 1."""
    temperature: float = 1.0
    """Moves are drawn from visits^(1 / temperature) up to `temperature_plies`."""
    temperature_plies: int = 20
    """Stones on the board from which `late_temperature` holds."""
    late_temperature: float = 0.3
    """Temperature of the later moves; 0 = the most visited move."""
    c_puct: float = 1.5
    """Exploration, for values in -1 to 1."""
    fpu_reduction: float = 0.2
    """An unvisited move is taken for this much worse than its parent."""
    workers: int = 2
    """Threads that play; each has an evaluator of its own."""


class Learning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the network learns from the games."""

    samples: int
    """New positions before the network learns again (one iteration)."""
    capacity: int
    """Newest positions that are kept and drawn from."""
    passes: float
    """How often a position is drawn for learning, on average."""
    batch: int
    """Positions a step."""
    rate: float
    """Highest learning rate of AdamW, reached after `warmup` iterations."""
    final_rate: float
    """Learning rate of the last iteration; in between it falls along half a cosine."""
    warmup: int = 1
    """Iterations over which the rate rises."""
    weight_decay: float = 1e-4
    """Of AdamW."""
    search_weight: float = 0.4
    """What the value learns: this share of the search's value, the rest of the game's result; 0 to 1."""
    value_weight: float = 1.0
    """Weight of the value's squared error beside the policy's cross entropy."""
    threads: int = 1
    """That learn. Small networks gain little from a second one, and nothing on a busy machine; another number gives
    another network."""


class Recipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One training run."""

    name: str
    """Of the run and of the network: letters, digits, `-`, `_` and `.`."""
    game: str
    iterations: int
    """Rounds of self-play and learning."""
    net: Net
    selfplay: SelfPlay
    learning: Learning
    seed: int = 0

    def json(self) -> str:
        """Return the whole recipe as one line of JSON; `Recipe.from_json` gives it back."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str) -> Recipe:
        """Return the recipe; raises UsageError if it is none."""
        try:
            return msgspec.json.decode(text, type=cls)
        except msgspec.MsgspecError as error:
            raise UsageError(f"recipe: {error}") from None

    def differences(self, other: Recipe) -> list[str]:
        """Return the keys, such as `learning.rate`, in which two recipes differ."""
        mine, theirs = _flat(msgspec.to_builtins(self)), _flat(msgspec.to_builtins(other))
        return sorted(key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key))


def load(path: Path) -> Recipe:
    """Return the recipe of a TOML file; raises UsageError naming the file and the key."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: not a TOML file: {error}") from None
    _refuse_unknown(path, data, Recipe, "")
    try:
        recipe = msgspec.convert(data, Recipe)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        raise UsageError(f"{path}: {where.rstrip('`') + ': ' if where else ''}{what}") from None
    check(recipe, str(path))
    return recipe


def check(recipe: Recipe, where: str) -> None:
    """Raise UsageError for the first key whose value is out of range."""
    game(recipe.game)
    for key, (low, high) in _RANGES.items():
        value = _flat(msgspec.to_builtins(recipe))[key]
        if not low <= value <= high:
            raise UsageError(f"{where}: {key}: expected {low:g} to {high:g}, got {value:g}")
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", recipe.name):
        raise UsageError(f"{where}: name: expected letters, digits, '-', '_' and '.', got {recipe.name!r}")
    if not recipe.net.hidden or not all(1 <= units <= _MANY for units in recipe.net.hidden):
        raise UsageError(f"{where}: net.hidden: expected one layer or more of 1 to {_MANY} units")
    _, rows, columns = game(recipe.game).position().planes_shape
    if recipe.net.kernel > min(rows, columns):
        raise UsageError(f"{where}: net.kernel: expected at most {min(rows, columns)}, got {recipe.net.kernel}")


_MANY = 65536
_RANGES: dict[str, tuple[float, float]] = {
    "iterations": (1, 1e6),
    "seed": (0, 2**63 - 1),
    "net.kernel": (1, 32),
    "net.stride": (1, 32),
    "net.channels": (1, 4096),
    "net.mixed": (1, 4096),
    "net.value_hidden": (1, _MANY),
    "selfplay.games": (1, _MANY),
    "selfplay.full": (2, 1e6),
    "selfplay.fast": (1, 1e6),
    "selfplay.full_share": (0.01, 1),
    "selfplay.opening_plies": (0, 1000),
    "selfplay.opening_share": (0, 1),
    "selfplay.noise_alpha": (1e-3, 1e3),
    "selfplay.noise_share": (0, 1),
    "selfplay.temperature": (0, 100),
    "selfplay.temperature_plies": (0, 1000),
    "selfplay.late_temperature": (0, 100),
    "selfplay.c_puct": (0, 100),
    "selfplay.fpu_reduction": (0, 2),
    "selfplay.workers": (1, 256),
    "learning.samples": (1, 1e9),
    "learning.capacity": (1, 1e9),
    "learning.passes": (0.01, 1000),
    "learning.batch": (1, _MANY),
    "learning.rate": (0, 1),
    "learning.final_rate": (0, 1),
    "learning.warmup": (0, 1e6),
    "learning.weight_decay": (0, 10),
    "learning.search_weight": (0, 1),
    "learning.value_weight": (0, 1000),
    "learning.threads": (1, 1024),
}


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in data.items():
        flat.update(_flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value})
    return flat


def _refuse_unknown(path: Path, data: dict[str, Any], struct: type[msgspec.Struct], prefix: str) -> None:
    known = {field.name: field.type for field in msgspec.structs.fields(struct)}
    for key, value in data.items():
        if key not in known:
            raise UsageError(f"{path}: {prefix}{key}: unknown key{nearest(key, known)} (known: {', '.join(known)})")
        if isinstance(value, dict) and isinstance(known[key], type) and issubclass(known[key], msgspec.Struct):
            _refuse_unknown(path, value, known[key], f"{prefix}{key}.")
