"""A player of ours as people write it: in a table `[[players]]`, in the options of a command, in words.

A player has a kind, a model, or both, and options. A model alone names its kind. `player_table` reads and writes the
first of the three forms:

    player = "mcts", model = "net.onnx", options = { simulations = 50 }
    --player mcts --model net.onnx --set simulations=50
    mcts model=net.onnx simulations=50
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from fiedler.support.errors import UsageError

OptionValue = str | int | float | bool
MODEL = "model"
"""The option of a player that names its model file."""


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player; None as its kind and its model: the strongest player of the game."""

    kind: str | None = None
    """A player of `engine players`; None: the one that the model names."""
    model: str | None = None
    """A model file; None: the kind's own one, if it has one."""
    options: Mapping[str, str] = field(default_factory=dict)
    """The other options, in the protocol's spelling."""

    @property
    def settings(self) -> dict[str, str]:
        """All options, the model among them."""
        return {**self.options, **({} if self.model is None else {MODEL: self.model})}

    @property
    def arguments(self) -> tuple[str, ...]:
        """The options of a command."""
        named = (("--player", self.kind), ("--model", self.model))
        chosen = [word for option, value in named if value is not None for word in (option, value)]
        return (*chosen, *(word for key, value in self.options.items() for word in ("--set", f"{key}={value}")))

    def within(self, folder: Path) -> PlayerSpec:
        """Return the player whose model file is relative to a folder."""
        return self if self.model is None else replace(self, model=str(folder / self.model))


def make_spec(kind: str | None, model: str | None, options: Mapping[str, str]) -> PlayerSpec:
    """Return a player; a model among the options is its model.

    Raises:
        UsageError: There are two models.
    """
    if not options.get(MODEL):
        return PlayerSpec(kind, model, options)
    if model is not None:
        raise UsageError(f"expected one model, got {model!r} and {MODEL}={options[MODEL]}")
    return PlayerSpec(kind, options[MODEL], {key: value for key, value in options.items() if key != MODEL})


def read_player(text: str) -> PlayerSpec:
    """Read `NAME KEY=VALUE …`: NAME is a player of `engine players`, or a model file, which has an ending.

    Raises:
        UsageError: There is no name, or a word is not KEY=VALUE.
    """
    name, *words = text.split() or [""]
    is_file = bool(Path(name).suffix)
    if not is_file and (not name or "=" in name):
        raise UsageError(f"expected a player or a model file, then its options as KEY=VALUE, got {text!r}")
    return make_spec(None if is_file else name, name if is_file else None, read_options(words))


def read_options(words: Iterable[str]) -> dict[str, str]:
    """Read words KEY=VALUE; the last one of a key counts.

    Raises:
        UsageError: A word is not KEY=VALUE.
    """
    found = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key.strip():
            raise UsageError(f"expected KEY=VALUE, got {word!r}")
        found[key.strip()] = value
    return found


def option_texts(options: Mapping[str, OptionValue]) -> dict[str, str]:
    """Return option values in the protocol's spelling: `true` and `false`, no `1.0` for whole numbers."""
    return {name: _option_text(value) for name, value in options.items()}


def toml_value(value: object) -> str:
    """Return a text, a number or an array of them as TOML, whose escapes are those of JSON."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _option_text(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
