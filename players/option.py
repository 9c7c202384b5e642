"""The options of a player: a dataclass of settings, each field declared once with its range and its help."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar

from support.errors import UsageError, nearest, quoted_input

Value = int | float | bool | str
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a player; its value is always given as text."""

    name: str
    kind: type
    """The type int, float, bool or str."""
    default: Value
    """Never missing: a protocol declares it, and a client may set it back."""
    help: str
    """Its effect, with the unit; half a line."""
    low: float | None = None
    """The least value of a number."""
    high: float | None = None
    choices: tuple[str, ...] = ()
    """The accepted texts; empty = any."""
    at_start: bool = False
    """Only the command line sets it, not a client (it names a file, or is shared by all sessions)."""

    @property
    def type(self) -> Literal["spin", "check", "combo", "string"]:
        """The type in UGI: "spin" a whole number, "check" true or false, "combo" a choice, else "string"."""
        if self.choices:
            return "combo"
        if self.kind is bool:
            return "check"
        return "spin" if self.kind is int else "string"

    @property
    def default_text(self) -> str:
        """The default as a text for `set_option`."""
        if isinstance(self.default, bool):
            return str(self.default).lower()
        if isinstance(self.default, float):
            return str(self.default).removesuffix(".0")
        return str(self.default)

    def read(self, text: str) -> Value:
        """Return the value of `text`.

        Raises:
            UsageError: The text is not a value of this option.
        """
        value = self._parsed(text.strip())
        if value is None or not self._fits(value):
            raise UsageError(f"option {self.name!r}: expected {self._wants()}, got {quoted_input(text)}")
        return value

    def _parsed(self, text: str) -> Value | None:
        if self.kind is bool:
            return {"true": True, "false": False}.get(text)
        if self.kind is str:
            return text
        try:  # int() and float() also accept 1_000 and the digits of other scripts
            return self.kind(text) if text.isascii() and "_" not in text else None
        except ValueError:
            return None

    def _fits(self, value: Value) -> bool:
        if isinstance(value, str):
            return not self.choices or value in self.choices
        if isinstance(value, float) and not math.isfinite(value):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def _wants(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        what = {int: "a whole number", float: "a number", bool: "true or false"}.get(self.kind, "a text")
        return (
            what + ("" if self.low is None else f" from {self.low}") + ("" if self.high is None else f" to {self.high}")
        )


def setting(
    default: T,
    help: str,  # noqa: A002 - the usual word
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    at_start: bool = False,
) -> T:
    """Declare a field of a settings dataclass; the kind of the option is that of its default."""
    about: Mapping[str, Any] = {
        "kind": type(default),
        "help": help,
        "low": low,
        "high": high,
        "choices": choices,
        "at_start": at_start,
    }
    return field(default=default, metadata=about)


@dataclass(slots=True)
class Settings:
    """The root of all settings: those of a player without any. Declare fields with `setting`."""


def options_of(settings: type[Settings]) -> tuple[Option, ...]:
    """Return the options of a settings dataclass, in the order of its fields."""
    fresh = settings()
    return tuple(Option(name=one.name, default=getattr(fresh, one.name), **one.metadata) for one in fields(settings))


def find(options: Iterable[Option], name: str, owner: str) -> Option:
    """Return the option of this name. `owner` is the player.

    Raises:
        UsageError: The name is unknown; the text gives the nearest known one.
    """
    by_name = {option.name: option for option in options}
    if name not in by_name:
        known = ", ".join(by_name) or "none"
        raise UsageError(
            f"unknown option {quoted_input(name)} of player {owner}{nearest(name, by_name)} (known: {known})"
        )
    return by_name[name]
