"""The 960 starts of Chess960 by their numbers (Reinhard Scharnagl): 518 is the start of chess."""

from __future__ import annotations

from itertools import combinations

STARTS = 960
_KNIGHTS = tuple(combinations(range(5), 2))
"""The places of two knights among five squares, in the order of the numbers."""


def numbered_start(number: int) -> str:
    """Return the start of a number from 0 to 959 as a FEN in one word."""
    rank = back_rank(number)
    return f"{rank.lower()}/pppppppp/8/8/8/8/PPPPPPPP/{rank}_w_KQkq_-_0_1"


def back_rank(number: int) -> str:
    """Return White's pieces of the first rank, from the file a on.

    The number gives the bishop of the light squares, that of the dark ones, the queen among the squares left, and the
    knights; the king stands between the rooks on the last three.
    """
    assert 0 <= number < STARTS, f"a number of a start, got {number}"
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    rank = [""] * 8
    rank[2 * light + 1] = rank[2 * dark] = "B"
    rank[_free(rank)[queen]] = "Q"
    for place in [_free(rank)[knight] for knight in _KNIGHTS[knights]]:
        rank[place] = "N"
    for place, piece in zip(_free(rank), "RKR", strict=True):
        rank[place] = piece
    return "".join(rank)


def _free(rank: list[str]) -> list[int]:
    return [place for place, piece in enumerate(rank) if not piece]
