"""Go by the rules of Tromp and Taylor: its rules, its area, its score, and the games of the core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fiedler.games.board import Kind
from fiedler.games.game import AnyGame, Change, Game
from fiedler.games.position import Position, has_grid
from fiedler.games.rule_keys import RuleKey
from fiedler.games.territory import owners

KOMI = RuleKey("komi", 7.5, "the points that White gets", low=-361, high=361, step=0.5)
SUICIDE = RuleKey("suicide", default=False, meaning="whether a move may take the last liberty of its own chain")
RULES = (KOMI, SUICIDE)
"""The rules that a tournament may choose."""
PASS = "pass"  # noqa: S105 - a move
"""The move that puts no stone on the board."""

EQUAL_POINTS = "equal points"
"""The way to draw, with a komi in whole points."""
BY_POINTS = "by points"
"""Every way to win, without the difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GoGame(Game):
    """The game of Go, with a board of one size."""

    def shown(self, before: Position, after: Position) -> Sequence[Change]:
        """Return the cells that a move changed, that of its stone first: after a suicide it is empty, as before."""
        changes = Game.shown(self, before, after)
        if not changes or changes[0][1]:
            return changes
        last = str(after).split(";")[2].rpartition("-")[2]
        return [(before.parse_move(last), 0), *changes]


def is_go(game: AnyGame) -> bool:
    """Return whether a game is one of Go, of any size."""
    return game.win_reason is won_by


def go(size: int, example: str) -> GoGame:
    """Return the game on a board of `size` × `size` points; its notation shows a stone on a point near a corner."""
    rows = ["." * size for _ in range(size)]
    rows[3] = f"{rows[3][: size - 4]}X{rows[3][size - 3 :]}"
    point = f"{chr(ord('a') + size - 4)}{size - 3}"
    return GoGame(
        id=f"go{size}",
        name=f"Go {size}×{size}",
        sides=("Black (X)", "White (O)"),
        win_reason=won_by,
        draw_reason=EQUAL_POINTS,
        description=f"{size}×{size}, area by the rules of Tromp and Taylor, by default 7.5 points for White",
        notation=f"O;{'/'.join(rows)};{point}",
        example=f"startpos moves {example}",
        board=Kind.POINTS,
        only_lines_win=False,
        family="Go",
        rule_keys=RULES,
        has_area=True,
    )


def won_by(position: Position) -> str:
    """Return the difference of a finished game that is not a draw, such as `3.5 points`."""
    points = abs(lead(position))
    return f"{points:g} point{'' if points == 1 else 's'}"


def lead(position: Position) -> float:
    """Return the points of the first player, Black, less those of the second one, if the game ended here."""
    assert has_grid(position), "a board"
    return area(position.cells, position.planes_shape[2]) - komi(str(position))


def komi(word: str) -> float:
    """Return the points that White gets by the rules of a start or a position in one word."""
    return next(
        (float(part.removeprefix("komi=")) for part in word.split(";") if part.startswith("komi=")), float(KOMI.default)
    )


def has_suicide(word: str) -> bool:
    """Return whether suicide is legal by the rules of a start or a position in one word."""
    return "suicide=true" in word.split(";")


def captured(start: Position, moves: Sequence[str], end: Position) -> tuple[int, int]:
    """Return the stones that Black and White have lost on the way from one position to another."""
    assert has_grid(start), "a board"
    assert has_grid(end), "a board"
    first = start.side_to_move
    put = [sum(move != PASS for move in moves[(first + side) % 2 :: 2]) for side in (0, 1)]
    black, white = (start.cells.count(1 + side) + put[side] - end.cells.count(1 + side) for side in (0, 1))
    return black, white


def area(cells: bytes, size: int) -> int:
    """Return the points of Black less those of White on a board, without komi.

    A stone counts for its side, and so does each empty point from which empty points lead to stones of this side alone.
    """
    owned = owners(cells, size)
    return cells.count(1) + owned.count(1) - cells.count(2) - owned.count(2)
