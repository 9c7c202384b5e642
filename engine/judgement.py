"""The value of a position to one side, and its proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from native import SearchInfo
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
    """Own moves to the forced win, negative when losing; None if unproven or drawn, or if only the result is proven."""
    proven: Proof | None

    @property
    def worth(self) -> tuple[int, float, float]:
        """A key that grows with the worth: quick wins above slow ones, late losses above early ones.

        The centipawns lead: near a sure win they still differ where the score is rounded to 1.
        """
        if self.mate is not None:
            return self.cp, self.score, 1.0 / self.mate
        return self.cp, self.score, -1.0 if self.proven == "loss" else 0.0


WIN = Judgement(1.0, centipawns(1.0), 1, "win")
DRAW = Judgement(0.5, 0, None, "draw")
LOSS = Judgement(0.0, centipawns(0.0), None, "loss")


def judgement_of(found: SearchInfo) -> Judgement:
    """Return what a search says, from the side to move."""
    proven: Proof | None = "draw" if found.proven_draw else None
    if found.mate is not None:
        proven = "win" if found.mate > 0 else "loss"
    return Judgement(found.score, centipawns(found.score), found.mate, proven)


def before_the_move(theirs: Judgement) -> Judgement:
    """Return what the opponent's judgement of the position after our move means for us."""
    mate = None
    if theirs.mate is not None:
        mate = -theirs.mate if theirs.mate > 0 else 1 - theirs.mate
    swapped: dict[Proof | None, Proof] = {"win": "loss", "loss": "win", "draw": "draw"}
    return Judgement(1.0 - theirs.score, -theirs.cp, mate, swapped.get(theirs.proven))


def at_most(move: Judgement, position: Judgement) -> Judgement:
    """Return the judgement of an unproven move of a position of which a deeper search says `position`."""
    if position.proven == "loss":
        return LOSS
    better = (move.cp, move.score) > (position.cp, position.score)
    return Judgement(position.score, position.cp, None, None) if better else move


def words(judgement: Judgement | None) -> str:
    """Return the judgement for people; None of what has not been searched."""
    if judgement is None:
        return "not searched"
    if judgement.mate is not None:
        return f"wins in {judgement.mate}" if judgement.mate > 0 else f"loses in {-judgement.mate}"
    if judgement.proven is not None:
        return "loses" if judgement.proven == "loss" else judgement.proven
    return f"{judgement.cp:+5d}  expected score {judgement.score:.3f}"
