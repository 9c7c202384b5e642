"""A player of ours as a table `[[players]]` of a file: the keys that are the same in every such file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self

from msgspec import Struct

from fiedler.support.complaints import Complaint
from fiedler.support.player_spec import MODEL, OptionValue, PlayerSpec, make_spec, option_texts, toml_value

FILES = {"model", "models"}
"""The keys of model files, which `player` may stand beside."""


class PlayerTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The keys of a player; further ones belong to the kinds of files."""

    name: str = ""
    """Unique in the file."""
    player: str | None = None
    """A player of `engine players`; beside `model`: the kind that plays with the model."""
    model: str | None = None
    """A model file; alone it names its player."""
    options: dict[str, OptionValue] = {}
    """Settings of the player; `model` among them is the same as the key `model`."""

    @classmethod
    def of(cls, name: str, spec: PlayerSpec) -> Self:
        """Return the table of a player."""
        return cls(name=name, player=spec.kind, model=spec.model, options=dict(spec.options))

    @property
    def spec(self) -> PlayerSpec:
        """The player of a table that `wrong_ways` does not complain about."""
        return make_spec(self.player, self.model, option_texts(self.options))

    @property
    def toml(self) -> str:
        """Its lines in a file."""
        keys = {"name": self.name, "player": self.player, "model": self.model}
        lines = [f"{key} = {toml_value(value)}" for key, value in keys.items() if value is not None]
        options = ", ".join(f"{toml_value(key)} = {toml_value(value)}" for key, value in self.options.items())
        return "\n".join(["[[players]]", *lines, *([f"options = {{ {options} }}"] if options else [])])


def wrong_ways(table: PlayerTable, key: str, ways: Sequence[str]) -> Iterator[Complaint]:
    """Yield complaints about a table at `key` that does not name its player in exactly one of the `ways`, its keys.

    A kind beside a model file is one way.
    """
    given = [way for way in ways if getattr(table, way) not in (None, False)]
    files = FILES.intersection(given)
    if len(given) - bool(files and "player" in given) != 1:
        known = f"{', '.join(ways)}, or player with {' or '.join(way for way in ways if way in FILES)}"
        yield key, f"expected exactly one of {known}, got {' and '.join(given) or 'none'}"
    if files and MODEL in table.options:
        yield f"{key}.options.{MODEL}", f"expected none beside {files.pop()}, got {table.options[MODEL]!r}"
