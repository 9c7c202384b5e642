"""The answers to `query`; players' options and findings as UGI lines."""

from __future__ import annotations

from collections.abc import Callable

import protocol
from native import Position, SearchInfo
from players import Option

EXTENSIONS = ("legalmoves", "position", "board", "capabilities", "infinite", "stop")
"""What `query capabilities` tells: ours beyond the published page."""
_RESULTS = {None: "none", 1: "p1win", -1: "p2win", 0: "draw"}
_TRUTH = ("false", "true")

ANSWERS: dict[str, Callable[[Position], str]] = {
    "gameover": lambda position: _TRUTH[position.result is not None],
    "p1turn": lambda position: _TRUTH[position.side_to_move == 0],
    "result": lambda position: _RESULTS[position.result],
    "legalmoves": lambda position: " ".join(sorted(map(position.move_text, position.legal_moves()))),
    "position": str,
    "capabilities": lambda _: " ".join(EXTENSIONS),
}
"""Query -> the text of its response; `board` is not among them, since its rows come before the response."""


def info_of(position: Position, found: SearchInfo, waited: float = 0.0) -> protocol.Info:
    """Return what a search of `position` found, as an `info` line says it; it began `waited` seconds after `go`."""
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
    """Return the move to play, as `bestmove` says it."""
    return None if found.best is None else position.move_text(found.best)


def declared(option: Option) -> protocol.Option:
    """Return the option as the `option` line declares it: only whole numbers have a range there."""
    spin = option.type == "spin"
    return protocol.Option(
        name=option.name,
        type=option.type,
        default=option.default_text,
        min=int(option.low) if spin and option.low is not None else None,
        max=int(option.high) if spin and option.high is not None else None,
        choices=option.choices,
    )
