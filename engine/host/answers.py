"""Players' options and findings in the words of the protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fiedler import protocol
from fiedler.engine.roster.roster import CHOICE
from fiedler.games.position import Position
from fiedler.native import SearchInfo
from fiedler.players import Option, Value
from fiedler.support.errors import UsageError, nearest, quoted_input
from fiedler.support.text import counted

MOST_LISTED = 16
"""The most names in an error."""
MOST = 2**63 - 1
"""The bound of a whole number that has none of its own."""
MOST_CHOICES = 32768
"""The most characters of names that are listed for a choice: a line has at most 65,536 bytes."""


def info_of(position: Position, found: SearchInfo, waited: float = 0.0) -> protocol.Info:
    """Return the report of a search of `position` that began `waited` seconds after its request."""
    return protocol.Info(
        depth=found.depth,
        nodes=found.nodes,
        nps=round(found.nps),
        time_ms=int(1000 * (waited + found.seconds)),
        score_cp=0 if found.proven_draw else protocol.centipawns(found.score),
        mate=found.mate,
        pv=tuple(map(position.move_text, found.pv)),
    )


def best_of(position: Position, found: SearchInfo) -> str | None:
    """Return the move to play."""
    return None if found.best is None else position.move_text(found.best)


def declared(option: Option, default: Value) -> protocol.Option:
    """Return the option in the form of the protocol: only whole numbers have a range there.

    `default` is its value in a session that does not set it.
    """
    spin, option = option.type == "spin", replace(option, default=default)
    return protocol.Option(
        name=option.name,
        type=option.type,
        default=option.default_text,
        min=_bound(option.low, -MOST) if spin else None,
        max=_bound(option.high, MOST) if spin else None,
        choices=option.choices,
    )


def _bound(own: float | None, otherwise: int) -> int:
    """Return a bound of an option, which clients expect even where the player has none."""
    return otherwise if own is None else int(own)


def choice_of(names: Sequence[str], chosen: str) -> protocol.Option:
    """Return the option that chooses a player, by default the `chosen` one. Too many names are not listed."""
    if sum(map(len, names)) + len(names) * len(" var ") > MOST_CHOICES:
        return protocol.Option(CHOICE, "string", chosen)
    return protocol.Option(CHOICE, "combo", chosen, choices=tuple(names))


def not_among(names: Sequence[str], got: str) -> str:
    """Return the error of a name that is not among those of the players."""
    near = nearest(got, names)
    known = "" if near else f" (known: {', '.join(names)})" if len(names) <= MOST_LISTED else ""
    return f"expected one of {counted(len(names), 'player')}, got {quoted_input(got)}{near}{known}"


def without_file(error: UsageError, player: str, model: str) -> str:
    """Return the error of a player whose model, the file `model`, is not loaded: it names the player, not the file."""
    why = str(error).replace(f"model {Path(model)}", "its model") if model else str(error)
    named = f"player {player}: "
    return why if why.startswith(named) else named + why
