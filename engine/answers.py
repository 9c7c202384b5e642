"""Players' options and findings in the words of the protocol."""

from __future__ import annotations

import protocol
from native import Position, SearchInfo
from players import Option


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


def declared(option: Option) -> protocol.Option:
    """Return the option in the form of the protocol: only whole numbers have a range there."""
    spin = option.type == "spin"
    return protocol.Option(
        name=option.name,
        type=option.type,
        default=option.default_text,
        min=int(option.low) if spin and option.low is not None else None,
        max=int(option.high) if spin and option.high is not None else None,
        choices=option.choices,
    )
