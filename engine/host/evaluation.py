"""The value of a position to one side, and its proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fiedler.native import SearchInfo
from fiedler.protocol import centipawns

Proof = Literal["win", "draw", "loss"]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The value of a position for one side."""

    score: float
    """Expected score, 0 to 1."""
    cp: int
    """The score in the centipawns of UGI."""
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


WIN = Evaluation(1.0, centipawns(1.0), 1, "win")
DRAW = Evaluation(0.5, 0, None, "draw")
LOSS = Evaluation(0.0, centipawns(0.0), None, "loss")


def evaluation_of(found: SearchInfo) -> Evaluation:
    """Return the evaluation of a search, from the side to move."""
    proven: Proof | None = "draw" if found.proven_draw else None
    if found.mate is not None:
        proven = "win" if found.mate > 0 else "loss"
    return Evaluation(found.score, centipawns(found.score), found.mate, proven)


def before_the_move(theirs: Evaluation) -> Evaluation:
    """Return our evaluation of a move from the opponent's evaluation of the position after it."""
    mate = None
    if theirs.mate is not None:
        mate = -theirs.mate if theirs.mate > 0 else 1 - theirs.mate
    swapped: dict[Proof | None, Proof] = {"win": "loss", "loss": "win", "draw": "draw"}
    return Evaluation(1.0 - theirs.score, -theirs.cp, mate, swapped.get(theirs.proven))


def at_most(move: Evaluation, position: Evaluation) -> Evaluation:
    """Return the evaluation of an unproven move, bounded by that of a deeper search of the position."""
    if position.proven == "loss":
        return LOSS
    better = (move.cp, move.score) > (position.cp, position.score)
    return Evaluation(position.score, position.cp, None, None) if better else move


def words(evaluation: Evaluation | None) -> str:
    """Return the evaluation in words; None means not searched."""
    if evaluation is None:
        return "not searched"
    if evaluation.mate is not None:
        return f"wins in {evaluation.mate}" if evaluation.mate > 0 else f"loses in {-evaluation.mate}"
    if evaluation.proven is not None:
        return "loses" if evaluation.proven == "loss" else evaluation.proven
    return f"{100 * evaluation.score:5.1f} %  {evaluation.cp:+5d} cp"
