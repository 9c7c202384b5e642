"""What a player thinks about a position, and about each move in it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from engine.thinking import think
from native import Limits, Position, SearchInfo
from players import Factory, Player
from protocol import centipawns

Proof = Literal["win", "draw", "loss"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a position is worth to one side."""

    score: float
    """Expected score, 0 to 1."""
    cp: int
    """The same as UGI says it."""
    mate: int | None
    """Own moves to the forced win, negative when losing; None if unproven or drawn."""
    proven: Proof | None


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move, and what it is worth to the side that plays it."""

    move: str
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found, from the side to move."""

    game: str
    player: str
    position: str
    side_to_move: str
    judgement: Judgement
    pv: tuple[str, ...]
    depth: int
    nodes: int
    seconds: float
    moves: tuple[JudgedMove, ...]
    """Every legal move, the best first."""


def analyze_position(factory: Factory, position: Position, limits: Limits) -> Analysis:
    """Search a running position within `limits`, then its moves, which share as much again."""
    player, judge = factory.player(), factory.player()
    try:
        found = think(player, position, limits)
        moves = _judged_moves(judge, position, limits)
    finally:
        player.close()
        judge.close()
    return Analysis(
        game=factory.game.id,
        player=player.title,
        position=str(position),
        side_to_move=factory.game.sides[position.side_to_move],
        judgement=_judgement(found),
        pv=tuple(map(position.move_text, found.pv)),
        depth=found.depth,
        nodes=found.nodes,
        seconds=found.seconds,
        moves=moves,
    )


def _judged_moves(judge: Player, position: Position, limits: Limits) -> tuple[JudgedMove, ...]:
    legal = position.legal_moves()
    depth = max(limits.depth - 1, 1) if limits.depth else 0  # the move itself is one ply
    share = Limits(depth, -(-limits.nodes // len(legal)), limits.seconds / len(legal))
    judged = [JudgedMove(position.move_text(move), _judged(judge, position, move, share)) for move in legal]
    return tuple(sorted(judged, key=lambda one: _rank(one.judgement), reverse=True))


def _judged(judge: Player, position: Position, move: int, limits: Limits) -> Judgement:
    after = position.copy()
    after.play(move)
    if after.result is None:
        return _other_side(_judgement(think(judge, after, limits)))
    return Judgement(0.5, 0, None, "draw") if after.result == 0 else Judgement(1.0, centipawns(1.0), 1, "win")


def _judgement(found: SearchInfo) -> Judgement:
    proven: Proof | None = "draw" if found.proven_draw else None
    if found.mate is not None:
        proven = "win" if found.mate > 0 else "loss"
    return Judgement(found.score, centipawns(found.score), found.mate, proven)


def _other_side(theirs: Judgement) -> Judgement:
    """Return what the opponent's judgement of the position after our move means for us."""
    mate = None
    if theirs.mate is not None:
        mate = -theirs.mate if theirs.mate > 0 else 1 - theirs.mate
    swapped: dict[Proof | None, Proof] = {"win": "loss", "loss": "win", "draw": "draw"}
    return Judgement(1.0 - theirs.score, -theirs.cp, mate, swapped.get(theirs.proven))


def _rank(judgement: Judgement) -> tuple[float, float]:
    """Return a key that grows with the worth: quick wins first, late losses before early ones."""
    return judgement.score, 1.0 / judgement.mate if judgement.mate else 0.0


def analysis_document(analysis: Analysis) -> dict[str, Any]:
    """Return the analysis for JSON: a judgement's entries stand beside what it judges."""
    document = asdict(analysis)
    document |= document.pop("judgement")
    document["moves"] = [{"move": one.move, **asdict(one.judgement)} for one in analysis.moves]
    return document


def analysis_table(analysis: Analysis) -> str:
    """Return the analysis as lines for people."""
    lines = [
        f"{analysis.game} {analysis.position}",
        f"{analysis.side_to_move} to move: {_words(analysis.judgement)}",
        f"{analysis.player}: depth {analysis.depth}, {analysis.nodes} nodes, {analysis.seconds:.2f} s",
        f"best line: {' '.join(analysis.pv)}",
        *(f"{one.move:>6}  {_words(one.judgement)}" for one in analysis.moves),
    ]
    return "\n".join(lines)


def _words(judgement: Judgement) -> str:
    if judgement.mate is not None:
        return f"wins in {judgement.mate}" if judgement.mate > 0 else f"loses in {-judgement.mate}"
    if judgement.proven == "draw":
        return "draw"
    return f"{judgement.cp:+5d}  expected score {judgement.score:.3f}"
