"""first-moves.svg and second-moves.svg: first moves on small boards, symmetric ones counted as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fiedler.games import Game
from fiedler.games.board import layers, sheet, spot
from fiedler.games.position import Grid
from fiedler.support.drawing import SCORES, SHARES, Drawing, Spot, colour, ink_on, nice, width
from fiedler.support.text import counted
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.first_moves import FirstMoves, TwoPlies
from fiedler.tournament.report.statistics import Outcomes

SHOWN = 12
"""Most positions after two plies in the figure."""
COLUMNS = 6


class _Board:
    """The places of the cells of a small board; layers are side by side with a gap."""

    def __init__(self, game: Game, wide: float) -> None:
        self.start = game.position()
        self.rows, self.columns = sheet(self.start)
        self.layers = layers(self.start)
        self._width = self.columns // self.layers
        self.cell = wide / (self.columns + 0.6 * (self.layers - 1))
        self.block = game.blocks
        self.height = self.cell * self.rows

    def corner(self, index: int) -> Spot:
        """Return the top left corner of a cell."""
        row, column = spot(self.start, index)
        return self.cell * (column + 0.6 * (column // self._width)), self.cell * row

    def draw(self, drawing: Drawing, at: Spot, fill: Callable[[int], str]) -> None:
        """Add the cells in their colours, without a colour in `wood`."""
        for index in range(len(self.start.cells)):
            x, y = self.corner(index)
            chosen = fill(index)
            inside = (at[0] + x, at[1] + y)
            drawing.rect(inside, (self.cell, self.cell), kind="wood" if not chosen else "", fill=chosen)
        for place in range(self.block, self.columns, self.block) if self.block else ():
            drawing.line((at[0] + self.cell * place, at[1]), (at[0] + self.cell * place, at[1] + self.height))
            drawing.line((at[0], at[1] + self.cell * place), (at[0] + self.height, at[1] + self.cell * place))


def first_moves_figure(game: Game, found: Sequence[FirstMoves], title: str) -> Figure:
    """Draw two boards with the classes of first moves: their share, and the score of the first player."""
    total = max(1, sum(one.outcomes.games for one in found))
    most = max((one.outcomes.games / len(one.moves) for one in found), default=0) or 1.0
    flat = layers(game.position()) == 1
    board = _Board(game, 330 if flat else 760)
    wide, high = (760.0, board.height + 96) if flat else (790.0, 2 * board.height + 150)
    drawing = Drawing(wide, high, title, "left: frequency of a class of cells, right: the first player's score")
    drawing.text((8, 16), title, size=13, kind="title")
    of_cell = {cell: one for one in found for cell in one.cells}
    left, right = (10.0, 56.0), ((400.0, 56.0) if flat else (10.0, board.height + 110))

    def often(cell: int) -> str:
        one = of_cell.get(cell)
        return colour((one.outcomes.games / len(one.moves) / most) ** 0.5, SHARES) if one else ""

    def score(cell: int) -> str:
        one = of_cell.get(cell)
        return colour(one.outcomes.score, SCORES) if one and one.outcomes.games else ""

    drawing.text((left[0], left[1] - 14), "frequency (percent of games, all cells of the class)", size=11)
    drawing.text((right[0], right[1] - 14), "the first player's score (percent)", size=11)
    board.draw(drawing, left, often)
    board.draw(drawing, right, score)
    for one in found:
        share, games = one.outcomes.games / total, one.outcomes.games
        texts = (_whole(share) if games else "", _whole(one.outcomes.score) if games else "")
        inks = ("on-dark" if games / len(one.moves) / most > 0.3 else "on-light", ink_on(one.outcomes.score))
        for at, text, ink in zip((left, right), texts, inks, strict=True):
            for cell in one.cells if board.cell >= 22 else one.cells[:1]:
                x, y = board.corner(cell)
                middle = (at[0] + x + board.cell / 2, at[1] + y + board.cell / 2)
                drawing.text(middle, text, size=min(11, board.cell / 2), anchor="middle", kind=ink)
    drawing.scale((50, high - 18), SHARES, "often", ("rarely", ""))
    drawing.scale((right[0] + 40 if flat else 440, high - 18), SCORES, "")
    columns = ("class", "name", "moves", "cells", "games", "first_won", "drawn", "second_won", "first_score", "error")
    rows = [(one.moves[0], one.name, " ".join(one.moves), len(one.moves), *_counts(one.outcomes)) for one in found]
    return Figure("first-moves", drawing.svg(), columns, rows)


def second_moves_figure(game: Game, found: Sequence[TwoPlies], title: str) -> Figure:
    """Draw the most frequent positions after two plies, with the score of the first player."""
    flat = layers(game.position()) == 1
    columns = COLUMNS if flat else 2
    board = _Board(game, 140 if flat else 440)
    shown = found[:SHOWN]
    texts = [f"{counted(one.outcomes.games, 'game')}, {one.outcomes.text()}" for one in shown]
    across = max(160.0 if flat else 480.0, 14 + max((width(text, 11) for text in texts), default=0.0))
    down = board.height + (52 if flat else 56)
    high = 40 + down * -(-len(shown) // columns)
    drawing = Drawing(max(across * columns + 10, 500), high, title)
    drawing.text((8, 16), title, size=13, kind="title")
    for place, one in enumerate(shown):
        at = (10 + across * (place % columns), 36 + down * (place // columns))
        board.draw(drawing, at, lambda _: "")
        _stones(drawing, board, at, one.position)
        drawing.text((at[0], at[1] + board.height + 12), " ".join(one.moves), size=11)
        drawing.text((at[0], at[1] + board.height + 27), texts[place], size=11, kind="muted")
    header = ("moves", "position", "replies", "games", "first_won", "drawn", "second_won", "first_score", "error")
    rows = [(" ".join(one.moves), str(one.position), one.replies, *_counts(one.outcomes)) for one in found]
    return Figure("second-moves", drawing.svg(), header, rows)


def _stones(drawing: Drawing, board: _Board, at: Spot, position: Grid) -> None:
    for index, stone in enumerate(position.cells):
        if stone:
            x, y = board.corner(index)
            middle = (at[0] + x + board.cell / 2, at[1] + y + board.cell / 2)
            drawing.circle(middle, 0.4 * board.cell, kind=("black", "white")[stone - 1])


def _counts(outcomes: Outcomes) -> tuple[int, int, int, int, float, float]:
    return outcomes.games, outcomes.wins, outcomes.draws, outcomes.losses, outcomes.score, outcomes.error


def _whole(share: float) -> str:
    return nice(100 * share)
