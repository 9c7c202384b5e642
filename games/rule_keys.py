"""The rules that a tournament may choose for its game, and their words in a position.

A game has its keys as data (`AnyGame.rule_keys`). Rules other than the default ones are a part of the position, whose
word ends in `;komi=6.5`. So a game by such rules begins at another start, and its record needs nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fiedler.support.complaints import Complaint
from fiedler.support.errors import UsageError, nearest, quoted_value

RuleValue = bool | int | float | str
"""The value of a key as files have it; a text is never right."""
GivenRules = Mapping[str, RuleValue]
"""Values by the names of their keys; a key that is missing has its default."""
NO_RULES: GivenRules = {}
"""The default rules."""
SIGN = "="
"""The sign of a rule in the word of a position."""


@dataclass(frozen=True, slots=True)
class RuleKey:
    """One rule of a game: a number if `high` is above `low`, else true or false."""

    name: str
    default: bool | float
    meaning: str
    """A phrase for pages, such as `the points that White gets`."""
    low: float = 0
    high: float = 0
    step: float = 1
    """Numbers are multiples of it."""

    def wrong(self, value: object) -> str:
        """Return what is wrong with a value, `expected …, got …`; empty for a right one."""
        if not self.is_number:
            return "" if isinstance(value, bool) else f"expected true or false, got {_shown(value)}"
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if self.low <= number <= self.high and number % self.step == 0:
            return ""
        unit = "a whole number" if self.step == 1 else f"a multiple of {self.step:g}"
        return f"expected {unit} from {self.low:g} to {self.high:g}, got {_shown(value)}"

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers."""
        return self.high > self.low

    def text(self, value: RuleValue) -> str:
        """Return the word of a right value, such as `komi=6.5`."""
        shown = f"{value:g}" if self.is_number and isinstance(value, int | float) else _shown(value)
        return f"{self.name}={shown}"

    def read(self, text: str) -> RuleValue:
        """Return the value that a text spells, which may be wrong; a text that spells none stays one."""
        if not self.is_number:
            return {"true": True, "false": False}.get(text, text)
        try:
            return float(text)
        except ValueError:
            return text


def wrong_rules(keys: Sequence[RuleKey], rules: GivenRules) -> Iterator[Complaint]:
    """Yield the names that are none of the keys, and those with a wrong value."""
    known = {key.name: key for key in keys}
    for name, value in rules.items():
        if name not in known:
            others = f"known: {', '.join(known)}" if known else "the game has no rules to choose"
            yield name, f"unknown key{nearest(name, known) or f'; {others}'}"
        elif wrong := known[name].wrong(value):
            yield name, wrong


def chosen(keys: Sequence[RuleKey], rules: GivenRules) -> dict[str, RuleValue]:
    """Return the rules, all right, that are not the default ones, in the order of the keys; numbers are floats."""
    given = {key.name: rules.get(key.name, key.default) for key in keys}
    changed = {key.name: given[key.name] for key in keys if given[key.name] != key.default}
    return {name: value if isinstance(value, bool | str) else float(value) for name, value in changed.items()}


def parsed_rules(keys: Sequence[RuleKey], words: Sequence[str]) -> dict[str, RuleValue]:
    """Return the rules of words such as `komi=6.5` that are not the default ones.

    Raises:
        UsageError: A name is unknown, or a value is wrong: `komi: expected …`.
    """
    known, rules = {key.name: key for key in keys}, dict[str, RuleValue]()
    for word in words:
        name, _, text = word.partition(SIGN)
        rules[name] = known[name].read(text) if name in known else text
    for name, wrong in wrong_rules(keys, rules):
        raise UsageError(f"{name}: {wrong}")
    return chosen(keys, rules)


def rule_words(keys: Sequence[RuleKey], rules: GivenRules) -> list[str]:
    """Return the words, such as `komi=6.5`, of the rules that are not the default ones."""
    changed = chosen(keys, rules)
    return [key.text(changed[key.name]) for key in keys if key.name in changed]


def split_rules(word: str) -> tuple[str, list[str]]:
    """Return the word of a position without its rules, and their words; of a game that has keys."""
    parts = word.split(";")
    return ";".join(part for part in parts if SIGN not in part), [part for part in parts if SIGN in part]


def _shown(value: object) -> str:
    """Return a value as TOML has it, shortened."""
    return str(value).lower() if isinstance(value, bool) else quoted_value(value)
