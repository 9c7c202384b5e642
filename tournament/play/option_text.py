"""The options of a schedule's players in the protocol's spelling."""

from __future__ import annotations

from collections.abc import Mapping

from tournament.schedule.schedule import OptionValue


def option_texts(options: Mapping[str, OptionValue]) -> dict[str, str]:
    """Return option values in the protocol's spelling: `true` and `false`, no `1.0` for whole numbers."""
    return {name: _option_text(value) for name, value in options.items()}


def _option_text(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
