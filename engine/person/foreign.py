"""An engine behind a port or on the pipes of a program, in place of a player of this process."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fiedler.client import open_engine
from fiedler.client.command import command_words
from fiedler.engine.host.evaluation import Evaluation, words
from fiedler.engine.port.port_access import PortAccess
from fiedler.games import Game
from fiedler.native import Position
from fiedler.protocol import DEFAULT, MAX_CP, RESIGN, Info, Limit, expected_score
from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError


@dataclass(frozen=True, slots=True)
class ForeignEngine:
    """An engine that the command line names."""

    option: str
    """The option that names it, for messages."""
    place: Sequence[str] | str
    """The words of a command, or HOST:PORT."""
    dialect: str
    access: PortAccess
    """The token and TLS of an address."""


def foreign_engine(
    address: str | None, command: str | None, dialect: str | None, access: PortAccess
) -> ForeignEngine | None:
    """Return the engine of --address or --command, which speaks --protocol; None: there is neither.

    Raises:
        UsageError: There are both, --protocol is alone, a token or TLS is without an address, or one of them is wrong.
    """
    if address is None and access != PortAccess():
        raise UsageError("--token-file, --tls, --ca: expected --address, which they belong to")
    if address is not None and command is not None:
        raise UsageError("--command: expected one engine, got --address as well")
    if command is not None:
        return ForeignEngine("--command", command_words(command), dialect or DEFAULT, access)
    if address is not None:
        access.warn_in_clear(parse_address(address))
        return ForeignEngine("--address", address, dialect or DEFAULT, access)
    if dialect is not None:
        raise UsageError("--protocol: expected --command or --address, which it belongs to")
    return None


@dataclass(frozen=True, slots=True)
class ForeignAnalysis:
    """The answer of an engine to a position, from the side to move."""

    game: str
    player: str
    position: str
    side_to_move: str
    move: str
    """RESIGN if it resigns."""
    info: Info
    """Its last report; empty if its dialect has none."""
    seconds: float


def analyze_elsewhere(
    game: Game, engine: ForeignEngine, position: Position, text: str, limit: Limit
) -> ForeignAnalysis:
    """Let an engine search a running position, which `text` spells as for --position.

    Raises:
        UsageError: The dialect cannot express the position or the limit, or the engine plays another game.
        WorkError: The engine fails.
    """
    with open_engine(engine.place, game.id, protocol=engine.dialect, **asdict(engine.access)) as opened:
        started = time.monotonic()
        found = opened.play(text, limit)
        seconds = time.monotonic() - started
        return ForeignAnalysis(
            *(game.id, opened.name, str(position), game.sides[position.side_to_move]),
            *(found.move or RESIGN, found.info, seconds),
        )


def foreign_document(analysis: ForeignAnalysis) -> dict[str, Any]:
    """Return the analysis for JSON, with the keys of `engine analyze`; null where the engine reports nothing."""
    evaluation, info = _evaluation(analysis.info), analysis.info
    entries = dict.fromkeys(("score", "cp", "mate", "proven")) if evaluation is None else asdict(evaluation)
    pv = info.pv or (analysis.move,)
    return {
        **{name: getattr(analysis, name) for name in ("game", "player", "position", "side_to_move")},
        **entries,
        "pv": pv,
        "depth": info.depth,
        "nodes": info.nodes,
        "seconds": analysis.seconds,
        "moves": [{"move": analysis.move, **entries, "pv": pv}],
    }


def foreign_table(analysis: ForeignAnalysis) -> str:
    """Return the analysis as readable lines, without those of which the engine reports nothing."""
    evaluation, info = _evaluation(analysis.info), analysis.info
    figures = [f"depth {info.depth}"] * (info.depth is not None) + [f"{info.nodes} nodes"] * (info.nodes is not None)
    lines = [
        f"{analysis.game} {analysis.position}",
        f"{analysis.side_to_move} to move: {analysis.move}" + (f"  {words(evaluation)}" if evaluation else ""),
        f"{analysis.player}: {', '.join([*figures, f'{analysis.seconds:.2f} s'])}",
    ]
    return "\n".join([*lines, *([f"best line: {' '.join(info.pv)}"] if info.pv else [])])


def _evaluation(info: Info) -> Evaluation | None:
    """Return the engine's evaluation. A forced result is its claim, not a proof of ours."""
    if info.mate is not None:
        won = info.mate > 0
        return Evaluation(float(won), MAX_CP if won else -MAX_CP, info.mate, None)
    return None if info.score_cp is None else Evaluation(expected_score(info.score_cp), info.score_cp, None, None)
