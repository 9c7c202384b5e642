"""Every game of the house. Adding one: a header in `native/src`, a line in `native/games.cmake`, an entry here."""

from __future__ import annotations

from games import drawing
from games.game import Game
from native import Position
from support.errors import UsageError, nearest

_UTTT_NOTATION = "O;....@....;" + "/".join("....X...." if board == 4 else "." * 9 for board in range(9))


def _majority_win(position: Position) -> str:
    boards = str(position).split(";")[1]
    lines = [boards[i : i + 3] for i in (0, 3, 6)] + [boards[i::3] for i in range(3)] + [boards[::4], boards[2:7:2]]
    return "three boards in a row" if {"XXX", "OOO"} & set(lines) else "more boards"


def _gomoku(name: str, title: str, size: int, rule: str) -> Game:
    """Return a game of gomoku; the example has a stone in the middle."""
    middle = size // 2
    rows = ["." * middle + ("X" if row == middle else ".") + "." * middle for row in range(size)]
    return Game(
        id=name,
        name=title,
        sides=("Black (X)", "White (O)"),
        win_reason="five in a row",
        description=f"{size}×{size}, {rule}",
        notation=f"O;{'/'.join(rows)}",
        drawing=drawing.squares,
    )


_ALL = (
    Game(
        id="tictactoe",
        name="tic-tac-toe",
        sides=("X", "O"),
        win_reason="three in a row",
        description="3×3, three in a row",
        notation="X;.../.../...",
        drawing=drawing.squares,
        first_moves=(("a1", "corner"), ("a2", "edge"), ("b2", "centre")),
    ),
    Game(
        id="connect4",
        name="Connect 4",
        sides=("X", "O"),
        win_reason="four in a row",
        description="7 columns × 6 rows, a disc falls to the bottom, four in a row",
        notation="O;......./......./......./......./......./...X...",
        drawing=drawing.columns,
    ),
    Game(
        id="uttt",
        name="ultimate tic-tac-toe",
        sides=("X", "O"),
        win_reason="three boards in a row",
        description="nine local boards, the cell played names the next board, three won boards in a row",
        notation=_UTTT_NOTATION,
        drawing=drawing.ultimate,
    ),
    Game(
        id="uttt-majority",
        name="ultimate tic-tac-toe by majority",
        sides=("X", "O"),
        win_reason=_majority_win,
        description="the same, but with no three in a row at the end, more won boards win",
        notation=_UTTT_NOTATION,
        drawing=drawing.ultimate,
    ),
    Game(
        id="cube",
        name="4×4×4 tic-tac-toe (Qubic)",
        sides=("X", "O"),
        win_reason="four in a row",
        description="a cube of 4×4×4 cells, four in a row on any of its 76 lines",
        notation="O;..../..../..../X..." + 3 * ";..../..../..../....",
        drawing=drawing.layered,
        rigid_symmetries=48,
        first_moves=(("1a1", "corner"), ("1a2", "edge"), ("1b2", "face"), ("2b2", "centre")),
    ),
    _gomoku("gomoku9", "freestyle gomoku on 9×9", 9, "five or more in a row"),
    _gomoku("gomoku15", "freestyle gomoku", 15, "five or more in a row"),
    _gomoku("standard15", "standard gomoku", 15, "exactly five in a row"),
    _gomoku("renju15", "renju", 15, "White five or more; Black exactly five, no double three, double four or overline"),
)

GAMES: dict[str, Game] = {one.id: one for one in _ALL}


def game(name: str) -> Game:
    """Return the game of this id; raises UsageError naming the nearest known one."""
    try:
        return GAMES[name]
    except KeyError:
        raise UsageError(f"unknown game {name!r}{nearest(name, GAMES)} (known: {', '.join(GAMES)})") from None
