"""The report of a search on an `info` line."""

import math
from dataclasses import dataclass

from protocol.words import number

MAX_CP = 9999
"""Largest score in centipawns that we print: beyond it an expected score differs from 1 by less than a float shows."""


@dataclass(frozen=True, slots=True)
class Info:
    """The state of a search. None = not said. Scores are from the side to move: positive is good for the mover."""

    depth: int | None = None
    """Plies."""
    nodes: int | None = None
    nps: int | None = None
    """Nodes per second."""
    time_ms: int | None = None
    """Milliseconds since `go`."""
    score_cp: int | None = None
    """400·log10(s/(1−s)) for an expected score s in 0..1 (see `centipawns`); 0 for a proven draw."""
    mate: int | None = None
    """Own moves to the forced win; negative: the opponent's, to the forced loss."""
    pv: tuple[str, ...] = ()
    """The principal variation, the move to play first."""


_NUMBERS = {"depth": "depth", "nodes": "nodes", "nps": "nps", "time": "time_ms"}
_SCORES = {"cp": "score_cp", "mate": "mate"}


def read_info(words: list[str]) -> Info:
    """Read the words of an `info` line (`info` itself first); `pv` or `string` takes the rest of it.

    Words that are unknown, and numbers that are none, are skipped: an info line is never a reason to fail a player.
    """
    values: dict[str, int] = {}
    pv: tuple[str, ...] = ()
    for at in range(1, len(words)):
        word = words[at]
        if word in {"pv", "string"}:
            pv = tuple(words[at + 1 :]) if word == "pv" else ()
            break
        # `score` itself says nothing; cp and mate do, right behind it
        field = _SCORES.get(word) if words[at - 1] == "score" else _NUMBERS.get(word)
        value = number(words[at + 1]) if field and at + 1 < len(words) else None
        if field and value is not None and (value >= 0 or word in _SCORES):
            values[field] = value
    return Info(**values, pv=pv)


def info_line(info: Info) -> str:
    """Return the `info` line of `info`. A mate score says more than a number: with one, `cp` is left out."""
    words = ["info"]
    for word, field in _NUMBERS.items():
        value = getattr(info, field)
        if value is not None:
            words += (word, str(value))
    if info.mate is not None:
        words += ("score", "mate", str(info.mate))
    elif info.score_cp is not None:
        words += ("score", "cp", str(info.score_cp))
    if info.pv:
        words += ("pv", *info.pv)
    return " ".join(words)


def centipawns(score: float) -> int:
    """Return the `cp` of an expected score in 0..1: 400·log10(s/(1−s)), rounded, within ±MAX_CP."""
    if not 0.0 <= score <= 1.0:
        raise ValueError(f"expected a score from 0 to 1, got {score}")
    if score in {0.0, 1.0}:
        return MAX_CP if score else -MAX_CP
    return max(-MAX_CP, min(MAX_CP, round(400.0 * math.log10(score / (1.0 - score)))))


def expected_score(cp: int) -> float:
    """Return the expected score 1/(1+10^(−cp/400)), in 0..1, that `cp` stands for; the inverse of `centipawns`."""
    return float(1.0 / (1.0 + 10.0 ** (-max(-MAX_CP, min(MAX_CP, cp)) / 400.0)))
