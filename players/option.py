"""The options of a player: a dataclass of settings, each field declared once with its range and its help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from fiedler.support.errors import UsageError, nearest, quoted_input
from fiedler.support.option import Option, own_name

T = TypeVar("T")


def setting(
    default: T,
    help: str,  # noqa: A002 - the usual word
    *,
    low: float | None = None,
    high: float | None = None,
    above_zero: float | None = None,
    choices: tuple[str, ...] = (),
    at_start: bool = False,
) -> T:
    """Declare a field of a settings dataclass; the kind of the option is that of its default."""
    about: Mapping[str, Any] = {
        "kind": type(default),
        "help": help,
        "low": low,
        "high": high,
        "above_zero": above_zero,
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
    """Return the option of this name, in any case, or of its name in UCI. `owner` is the player.

    Raises:
        UsageError: The name is unknown; the text gives the nearest known one.
    """
    by_name = {option.name: option for option in options}
    own = own_name(name, by_name)
    if own not in by_name:
        known = ", ".join(by_name) or "none"
        raise UsageError(
            f"unknown option {quoted_input(name)} of player {owner}{nearest(name, by_name)} (known: {known})"
        )
    return by_name[own]
