"""Every game of the house. Adding one: a header in `native/src`, a line there in `registry.hpp`, an entry here."""

from __future__ import annotations

from games import drawing
from games.errors import UsageError, nearest
from games.game import Game

_ALL = (
    Game(
        id="tictactoe",
        name="tic-tac-toe",
        sides=("X", "O"),
        win_reason="three in a row",
        description="3×3, three in a row",
        notation="X;.../.../...",
        drawing=drawing.squares,
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
        notation="O;....@....;" + "/".join("....X...." if board == 4 else "." * 9 for board in range(9)),
        drawing=drawing.ultimate,
    ),
    Game(
        id="cube",
        name="4×4×4 tic-tac-toe",
        sides=("X", "O"),
        win_reason="four in a row",
        description="4×4×4, four in a row on any of the 76 lines",
        notation="X;" + ";".join(["..../..../..../...."] * 4),
        drawing=drawing.squares,
    ),
    Game(
        id="gomoku9",
        name="gomoku 9×9",
        sides=("X", "O"),
        win_reason="five in a row",
        description="9×9, five or more in a row",
        notation="O;" + "/".join("....X...." if row == 4 else "." * 9 for row in range(9)),
        drawing=drawing.squares,
    ),
    Game(
        id="gomoku15",
        name="gomoku 15×15",
        sides=("X", "O"),
        win_reason="five in a row",
        description="15×15, five or more in a row",
        notation="O;" + "/".join(".......X......." if row == 7 else "." * 15 for row in range(15)),
        drawing=drawing.squares,
    ),
    Game(
        id="standard15",
        name="standard gomoku",
        sides=("X", "O"),
        win_reason="five in a row",
        description="15×15, exactly five in a row",
        notation="O;" + "/".join(".......X......." if row == 7 else "." * 15 for row in range(15)),
        drawing=drawing.squares,
    ),
    Game(
        id="renju15",
        name="renju",
        sides=("X", "O"),
        win_reason="five in a row",
        description="15×15, Black: exactly five, and forbidden points; White: five or more",
        notation="O;" + "/".join(".......X......." if row == 7 else "." * 15 for row in range(15)),
        drawing=drawing.squares,
    ),
)

GAMES: dict[str, Game] = {one.id: one for one in _ALL}


def game(name: str) -> Game:
    """Return the game of this id; raises UsageError naming the nearest known one."""
    try:
        return GAMES[name]
    except KeyError:
        raise UsageError(f"unknown game {name!r}{nearest(name, GAMES)} (known: {', '.join(GAMES)})") from None
