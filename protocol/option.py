"""The options of an engine."""

from dataclasses import dataclass
from typing import Literal

from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.words import excerpt, number, quoted

MAX_OPTION_NAME = 128
"""Longest option name, in characters."""
MAX_OPTION_VALUE = 4096
"""Longest option value, in characters."""

OptionType = Literal["spin", "check", "string", "combo", "button"]
_CHECK = ("true", "false")


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of an engine.

    The types: spin a whole number, check true or false, string a text, combo one of `choices`, button an action
    without a value.
    """

    name: str
    """One or more words, none of them `type` or `value`."""
    type: OptionType
    default: str | None = None
    """As on the line; None = not given, which other programs may refuse: see `lacks`."""
    min: int | None = None
    max: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def lacks(self) -> tuple[str, ...]:
        """The parts that the declaration leaves out and that programs rely on: UCI clients refuse a spin without them.

        A button has none, and the default of a string is then the empty one.
        """
        parts = {"default": self.default, "min": self.min, "max": self.max}
        needed = {"spin": ("default", "min", "max"), "check": ("default",), "combo": ("default",)}
        return tuple(part for part in needed.get(self.type, ()) if parts[part] is None)

    @property
    def contradiction(self) -> str:
        """The reason why the option itself would refuse its default; empty if it would not, or without a default."""
        if self.default is None or self._takes(self.default):
            return ""
        return f"default of option {quoted(self.name)}: expected {self._wants()}, got {quoted(self.default)}"

    def read(self, text: str | None) -> int | bool | str | None:
        """Return the value of `text`, as `setoption` gives it.

        An int for spin, a bool for check, a string for string and combo, None for button.

        Raises:
            RemoteProtocolError: The text is not a value of this option.
        """
        if not self._takes(text):
            got = "no value" if text is None else quoted(text)
            raise RemoteProtocolError(f"option {quoted(self.name)}: expected {self._wants()}, got {got}")
        if self.type == "spin":
            return int(text or "")
        return text == "true" if self.type == "check" else text

    def _takes(self, text: str | None) -> bool:
        if text is None or self.type == "button":
            return text is None and self.type == "button"
        if self.type == "spin":
            value = number(text)
            return value is not None and not self._outside(value)
        return self.type == "string" or text in (_CHECK if self.type == "check" else self.choices)

    def _outside(self, value: int) -> bool:
        return (self.min is not None and value < self.min) or (self.max is not None and value > self.max)

    def _wants(self) -> str:
        if self.type == "spin":
            low = "" if self.min is None else f" from {self.min}"
            return f"a whole number{low}" + ("" if self.max is None else f" to {self.max}")
        return {
            "check": "true or false",
            "string": "a text",
            "combo": "one of " + excerpt(", ".join(map(quoted, self.choices))),
            "button": "no value",
        }[self.type]
