"""A ranking as text, in the columns of the original program."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.cells import cell_len

from fiedler.support.errors import printable
from fiedler.tournament.ratings.model import PlayerRating, Rating

UNKNOWN = "?"
"""Text of an unknown number."""


def table(rating: Rating) -> str:
    """Return the ranking as text; see `table_of`."""
    return table_of(rating.players)


def table_of(players: Sequence[PlayerRating]) -> str:
    """Return players as a ranking: a header and one line each, in whole Elo and percent, without a final newline.

    Halves are rounded away from zero, as in the original; an unknown number is a question mark. Names are aligned by
    their width in a terminal; control characters are shown as escapes.
    """
    names = [printable(player.name) for player in players]
    width = max([4, *(cell_len(name) for name in names)])
    lines = [f"Rank {_padded('Name', width)}   Elo    +    - games score oppo. draws"]
    for rank, (name, player) in enumerate(zip(names, players, strict=True), start=1):
        lines.append(f"{rank:4d} {_padded(name, width)} {_numbers(player)}")
    return "\n".join(lines)


def rounded(value: float) -> str:
    """Round to a whole number, halves away from zero; nan is a question mark."""
    if not math.isfinite(value):
        return UNKNOWN
    return str(int(math.copysign(math.floor(abs(value) + 0.5), value)))


def percent(share: float) -> str:
    """Return a share of games as `63%`, halves away from zero; nan is a question mark.

    The tiny addend restores halves that the division by the games has lost.
    """
    return rounded(100 * share + 1e-9) + "%" if math.isfinite(share) else UNKNOWN


def _numbers(player: PlayerRating) -> str:
    elo, plus, minus, opponents = (rounded(v) for v in (player.elo, player.plus, player.minus, player.opponents))
    score, draws = percent(player.score), percent(player.draws)
    return f"{elo:>5} {plus:>4} {minus:>4} {player.games:5d} {score:>5} {opponents:>5} {draws:>5}"


def _padded(name: str, width: int) -> str:
    return name + " " * (width - cell_len(name))
