"""The evaluation that a player reported with a move, and the time of the move; those of a game are one line of text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from fiedler.protocol import Info
from fiedler.protocol.info import expected_score
from fiedler.tournament.game import GameRecord

_WORD = re.compile(r"(?:(-?\d+)|#(-?\d+))?/(\d*)/(\d+)")


class MoveEvaluation(Struct, frozen=True):
    """A move's evaluation, from the view of its player. None: not reported."""

    time_ms: int
    """The time of the move as its clock counted it, in milliseconds."""
    score_cp: int | None = None
    """Centipawns; see `protocol.info.centipawns`."""
    mate: int | None = None
    """Own moves to the forced win; negative: the opponent's, to the forced loss."""
    depth: int | None = None
    """Plies."""

    def __str__(self) -> str:
        """Return it as a word: `31/9/500`, `#-3/9/500` for a forced loss, `//500` without a report."""
        score = "" if self.score_cp is None else str(self.score_cp)
        if self.mate is not None:
            score = f"#{self.mate}"
        return f"{score}/{'' if self.depth is None else self.depth}/{self.time_ms}"

    @property
    def expected(self) -> float | None:
        """The expected score of the player, 0 to 1; None without a score."""
        if self.mate is not None:
            return float(self.mate > 0)
        return None if self.score_cp is None else expected_score(self.score_cp)

    @property
    def is_unsearched(self) -> bool:
        """Whether it may be that of a player that does not search: an even score after one ply."""
        return self.mate is None and (self.score_cp, self.depth) == (0, 1)

    @property
    def comment(self) -> str:
        """The comment of a move in PGN, as cutechess writes it: `+0.31/9 0.50s`, `-M3/9 0.50s`, `0.50s`."""
        seconds = f"{self.time_ms / 1000:.3f}".rstrip("0").rstrip(".") + "s"
        score = "" if self.score_cp is None else f"{self.score_cp / 100:+.2f}" if self.score_cp else "0.00"
        if self.mate is not None:
            score = f"{'+' if self.mate > 0 else '-'}M{abs(self.mate)}"
        return f"{score}/{self.depth or 0} {seconds}" if score else seconds


def evaluation(info: Info | None, seconds: float) -> MoveEvaluation:
    """Return the evaluation of a move, from the last report of its search and its time."""
    time_ms = round(seconds * 1000)
    return MoveEvaluation(time_ms) if info is None else MoveEvaluation(time_ms, info.score_cp, info.mate, info.depth)


def to_text(evaluations: Iterable[MoveEvaluation]) -> str:
    """Return the evaluations of a game as one line, a word for each move after the opening."""
    return " ".join(map(str, evaluations))


def from_text(text: str) -> list[MoveEvaluation]:
    """Return the evaluations of a line; the inverse of `to_text`.

    Raises:
        ValueError: A word has another form.

    """
    return [_read(word) for word in text.split()]


def scores(game: GameRecord) -> list[tuple[int, int, float]]:
    """Return ply from 1, side 0 or 1 that moved, and the expected score of the first player as that side saw it.

    Moves without a score are left out, and so is a side whose scores are all those of a player that does not search.
    """
    plies = list(enumerate(from_text(game.evaluations), start=len(game.opening) + 1))
    searched = {game.side(ply - 1) for ply, one in plies if one.expected is not None and not one.is_unsearched}
    found = []
    for ply, one in plies:
        side = game.side(ply - 1)
        if one.expected is not None and side in searched:
            found.append((ply, side, 1.0 - one.expected if side else one.expected))
    return found


def _read(word: str) -> MoveEvaluation:
    found = _WORD.fullmatch(word)
    if found is None:
        raise ValueError(f"expected SCORE/DEPTH/MS, got {word!r}")
    score, mate, depth, time_ms = (int(one) if one else None for one in found.groups())
    assert time_ms is not None
    return MoveEvaluation(time_ms, score, mate, depth)
