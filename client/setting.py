"""The value of an option, in Python and in the spelling of the protocols."""

from __future__ import annotations

from collections.abc import Mapping

from protocol import Option, RemoteProtocolError
from support.errors import UsageError, nearest
from support.option import spelled

Setting = str | int | float | bool
"""The value of an option."""
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
    texts: dict[str, str | None] = {}
    of: dict[str, str] = {}
    for name, value in settings.items():
        own = spelled(name, offers)
        if own in of:
            raise UsageError(f"option {own!r}: expected one value, got it as {of[own]!r} and as {name!r}")
        of[own], texts[own] = name, _text(own, value, offers, engine, takes_any=takes_any)
    return texts


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
