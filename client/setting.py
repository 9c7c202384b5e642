"""The value of an option, in Python and in the spelling of the protocols."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from fiedler.protocol import Option, RemoteProtocolError
from fiedler.support.errors import UsageError, nearest
from fiedler.support.option import spelled

Setting = str | int | float | bool
"""The value of an option."""
Value = TypeVar("Value")
NEVER = {"Ponder": "false"}
"""The option of UCI for thinking in the opponent's time, which no game here allows."""


def needed_texts(needed: Mapping[str, str], offers: Mapping[str, Option]) -> dict[str, str]:
    """Return the options that a game needs of its engines, in the spelling of an engine that offers some of them.

    A value that the engine would refuse is left out. `Ponder` is off.
    """
    wanted = {spelled(name, offers): value for name, value in {**NEVER, **needed}.items()}
    return {name: value for name, value in wanted.items() if name in offers and _takes(offers[name], value)}


def _takes(option: Option, value: str) -> bool:
    try:
        option.read(value)
    except RemoteProtocolError:
        return False
    return True


def setting_texts(
    settings: Mapping[str, Setting | None], offers: Mapping[str, Option], engine: str, *, takes_any: bool
) -> dict[str, str | None]:
    """Return values of the options that an `engine` offers in the spelling of the protocols; None presses a button.

    Raises:
        UsageError: A value is wrong, or its option is not offered; with `takes_any` every option is. Or an option has
            two values, by names in different case.
    """
    own = spelled_settings(settings, offers)
    return {name: _text(name, value, offers, engine, takes_any=takes_any) for name, value in own.items()}


def spelled_settings(settings: Mapping[str, Value], offers: Mapping[str, Option]) -> dict[str, Value]:
    """Return values with the names of their options as an engine spells them; a name that is not offered stays.

    Raises:
        UsageError: An option has two values, by names in different case.
    """
    given: dict[str, str] = {}
    for name in settings:
        own = spelled(name, offers)
        if own in given:
            raise UsageError(f"option {own!r}: expected one value, got it as {given[own]!r} and as {name!r}")
        given[own] = name
    return {own: settings[name] for own, name in given.items()}


def _text(
    name: str, value: Setting | None, offers: Mapping[str, Option], engine: str, *, takes_any: bool
) -> str | None:
    text = None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    if name not in offers and takes_any:
        return text
    if name not in offers:
        raise UsageError(f"{engine} does not offer the option {name!r}{nearest(name, offers)}")
    try:
        offers[name].read(text)
    except RemoteProtocolError as error:
        raise UsageError(str(error)) from None
    return text
