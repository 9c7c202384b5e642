"""An option of a player: its range, and the values that fit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from fiedler.support.errors import UsageError, quoted_input

Value = int | float | bool | str
OF_UCI = {"hash": "hash_mb"}
"""Options in the words of UCI, in small letters, and in ours: MiB both."""


def spelled(name: str, known: Iterable[str]) -> str:
    """Return the known name that is `name` but for its case, as UCI compares names; `name` itself without one."""
    names = list(known)
    if name in names:
        return name
    folded = name.casefold()
    return next((one for one in names if one.casefold() == folded), name)


def own_name(name: str, known: Iterable[str]) -> str:
    """Return the known option of one of our players that `name` means, in any case or in the word of UCI.

    `name` itself without one.
    """
    found = spelled(name, known)
    return OF_UCI.get(name.casefold(), found) if found == name else found


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
    above_zero: float | None = None
    """With `low` 0: the least value of a number but for 0, which means none; None: any."""
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
        if wrong := self.wrong(text):
            raise UsageError(f"option {self.name!r}: {wrong}")
        value = self._parsed(text.strip())
        assert value is not None, "it fits"
        return value

    def wrong(self, text: str) -> str:
        """Return the expectation and the text if it is not a value of this option; else nothing."""
        value = self._parsed(text.strip())
        fits = value is not None and self._fits(value)
        return "" if fits else f"expected {self._wants()}, got {quoted_input(text)}"

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
        if self.above_zero is not None and 0 < value < self.above_zero:
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def _wants(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        what = {int: "a whole number", float: "a number", bool: "true or false"}.get(self.kind, "a text")
        low = self.low if self.above_zero is None else self.above_zero
        zero = "" if self.above_zero is None else "0, or "
        return f"{zero}{what}{'' if low is None else f' from {low}'}{'' if self.high is None else f' to {self.high}'}"
