"""The value of an option, in Python and in the spelling of the protocols."""

from __future__ import annotations

from collections.abc import Mapping

from protocol import Option, RemoteProtocolError
from support.errors import UsageError, nearest

Setting = str | int | float | bool
"""The value of an option."""


def setting_texts(
    settings: Mapping[str, Setting | None], offers: Mapping[str, Option], engine: str, *, takes_any: bool
) -> dict[str, str | None]:
    """Return values of the options that an `engine` offers in the spelling of the protocols; None presses a button.

    Raises:
        UsageError: A value is wrong, or its option is not offered; with `takes_any` every option is.
    """
    return {name: _text(name, value, offers, engine, takes_any=takes_any) for name, value in settings.items()}


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
