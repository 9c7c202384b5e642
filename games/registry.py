"""The registry of all games. To add one to the core: `native/README.md`; one of your own: `docs/games/your-own.md`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fiedler.games import others
from fiedler.games.board import Kind, block_signs
from fiedler.games.chess import Chess960Game, chess_game
from fiedler.games.game import AnyGame, Game
from fiedler.games.generic import GENERIC
from fiedler.games.go import go, is_go
from fiedler.games.openspiel import spiel_game
from fiedler.games.openspiel_library import PREFIX
from fiedler.games.position import Position, fills_cells
from fiedler.support.errors import UsageError, nearest, quoted_input

_UTTT_NOTATION = "O;....@....;" + "/".join("....X...." if board == 4 else "." * 9 for board in range(9))


def _majority_win(position: Position) -> str:
    boards = block_signs(position)
    lines = [boards[i : i + 3] for i in (0, 3, 6)] + [boards[i::3] for i in range(3)] + [boards[::4], boards[2:7:2]]
    return "three boards in a row" if {"XXX", "OOO"} & set(lines) else "more boards"


def _gomoku(
    name: str, title: str, size: int, rule: str, example: str, *, longer_wins: tuple[bool, bool] = (True, True)
) -> Game:
    """Return a game of gomoku; the notation shows a stone in the middle."""
    middle = size // 2
    rows = ["".join("X" if row == column == middle else "." for column in range(size)) for row in range(size)]
    return Game(
        id=name,
        name=title,
        sides=("Black (X)", "White (O)"),
        win_reason="five in a row",
        description=f"{size}×{size}, {rule}",
        notation=f"O;{'/'.join(rows)}",
        example=f"startpos moves {example}",
        board=Kind.POINTS,
        in_a_row=5,
        longer_wins=longer_wins,
    )


_ALL = (
    Game(
        id="tictactoe",
        name="tic-tac-toe",
        sides=("X", "O"),
        win_reason="three in a row",
        description="3×3, three in a row",
        notation="X;.../.../...",
        example="startpos moves b2 a3 c1 a1 a2",
        board=Kind.SQUARES,
        in_a_row=3,
        first_moves=(("a1", "corner"), ("a2", "edge"), ("b2", "centre")),
    ),
    Game(
        id="connect4",
        name="Connect 4",
        sides=("Red (X)", "Yellow (O)"),
        win_reason="four in a row",
        description="7 columns × 6 rows, a disc falls to the bottom, four in a row",
        notation="O;......./......./......./......./......./...X...",
        example="startpos moves d d d d c e c c e",
        board=Kind.COLUMNS,
        in_a_row=4,
    ),
    Game(
        id="uttt",
        name="ultimate tic-tac-toe",
        sides=("X", "O"),
        win_reason="three boards in a row",
        description="nine local boards, the cell played names the next board, three won boards in a row",
        notation=_UTTT_NOTATION,
        example="startpos moves e5 d4 b2 f4 h2 e4 e2 a3 b8 a1 a2 b5 c2 h5 c9 h8 a7 c6 i7 g1 a4 c4",
        board=Kind.BLOCKS,
        in_a_row=3,
        blocks=3,
    ),
    Game(
        id="uttt-majority",
        name="ultimate tic-tac-toe by majority",
        sides=("X", "O"),
        win_reason=_majority_win,
        description="the same, but with no three in a row at the end, more won boards win",
        notation=_UTTT_NOTATION,
        example=(
            "startpos moves e5 d4 b2 d6 b8 d5 b5 c7 h2 c9 h8 c8 h5 g3 g1 a3 i3 g7 c3 i7 a1 e2 "
            "f1 d1 f3 g8 a6 f2 i4 d2 c4 e8 f7 d7 f9 h7 f8 g6 g4 i6"
        ),
        board=Kind.BLOCKS,
        in_a_row=3,
        only_lines_win=False,
        blocks=3,
    ),
    Game(
        id="cube",
        name="4×4×4 tic-tac-toe (Qubic)",
        sides=("X", "O"),
        win_reason="four in a row",
        description="a cube of 4×4×4 cells, four in a row on any of its 76 lines",
        notation="O;..../..../..../X..." + 3 * ";..../..../..../....",
        example="startpos moves 1a1 2b2 1d4 2c3 4a4 3b3 4d1 3c2 1a4",
        board=Kind.LAYERS,
        in_a_row=4,
        rigid_symmetries=48,
        first_moves=(("1a1", "corner"), ("1a2", "edge"), ("1b2", "face"), ("2b2", "centre")),
    ),
    _gomoku("gomoku9", "freestyle gomoku on 9×9", 9, "five or more in a row", "e5 d6 f6 d4 d5 f5 e6 g6 e4"),
    _gomoku("gomoku15", "freestyle gomoku", 15, "five or more in a row", "h8 i9 i7 g9 h9 h7 g8 f8 i10 f7 j11"),
    _gomoku(
        "gomoku20",
        "freestyle gomoku on 20×20",
        20,
        "five or more in a row",
        "h10 i11 j10 i9 g10 h12 k10 l10 f10 e10 i10",
    ),
    _gomoku(
        "standard15",
        "standard gomoku",
        15,
        "exactly five in a row",
        "c8 c2 d8 e3 e8 g2 g8 i3 h8 k2 f8",
        longer_wins=(False, False),
    ),
    _gomoku(
        "renju15",
        "renju",
        15,
        "White five or more; Black exactly five, no double three, double four or overline",
        "g8 j5 f8 k6 h9 d12 h10 e4",
        longer_wins=(False, True),
    ),
    chess_game("chess", "chess", "the laws of FIDE; a third repetition and the 50-move rule end the game at once"),
    chess_game(
        "chess960",
        "Chess960",
        "chess from one of 960 starts; a move that castles is the king's to its rook",
        Chess960Game,
    ),
    go(9, "d6 e6 c5 f5 d4 e4 g3 d5 e5"),
    go(13, "d4 k10 k4 d10 c7 g3"),
    go(19, "d4 q16 q4 d16 f17 c14"),
)

GAMES: dict[str, Game] = {one.id: one for one in _ALL}
"""The games of the native core, by their ids."""
FILLED: dict[str, Game] = {one.id: one for one in _ALL if fills_cells(one.position())}
"""Those in which a move is a stone on a cell, which stays there: such games are learned."""
GO: dict[str, Game] = {one.id: one for one in _ALL if is_go(one)}
"""Go, by its sizes."""
REGISTERED: dict[str, AnyGame] = {**GAMES, GENERIC.id: GENERIC}
"""Every game that this process knows: those of the core, `generic`, and those of others that it has added or loaded."""
_PLACES: dict[str, str] = {}
"""The places of loaded games that are not installed, and their ids."""
DOORS = f"; {PREFIX}NAME; rules of your own: FILE.py:OBJECT, or in {others.VARIABLE}"
"""The other names of games, for messages."""
SHORT = {
    "ttt": "tictactoe",
    "c4": "connect4",
    "qubic": "cube",
    "gomoku": "gomoku15",
    "standard": "standard15",
    "renju": "renju15",
    "go": "go19",
}
"""Short names, and the games that they stand for."""


def game_id(name: str) -> str:
    """Return the id for which a short name stands; any other text stays as it is."""
    return SHORT.get(name, name)


def game(name: str) -> Game:
    """Return the game of the core with this id, or of a short name.

    Raises:
        UsageError: The name is unknown; the text gives the nearest known one.
    """
    found = GAMES.get(game_id(name))
    if found is None:
        if known_game(name) is not None:
            raise UsageError(f"expected a game of the core, got {quoted_input(name)}")
        raise _unknown(name, GAMES)
    return found


def any_game(name: str) -> AnyGame:
    """Return a game by its id or short name, or one of OpenSpiel; games of others are loaded here.

    A name that is the place of a game loads nothing. Names of stored runs come here: the run of a stranger must load
    nothing that its reader has not installed or named.

    Raises:
        UsageError: The name is unknown, with the nearest known one; or the rules of a game cannot be used.
    """
    found = REGISTERED.get(game_id(name))
    if found is not None:
        return found
    if name.startswith(PREFIX):
        return REGISTERED.setdefault(name, spiel_game(name))
    _load_from_environment()
    if name not in REGISTERED and (added := others.installed(name)) is not None:
        register(added)
    if name not in REGISTERED:
        raise _unknown(name, every_id(), DOORS)
    return REGISTERED[name]


def known_game(name: str) -> AnyGame | None:
    """Return a game as `any_game`; None if it is unknown or cannot be loaded."""
    try:
        return any_game(name)
    except UsageError:
        return None


def every_id() -> list[str]:
    """Return the ids of the games of the house, and of those of others: installed, loaded, or in FIEDLER_GAMES.

    Those of OpenSpiel are not among them.

    Raises:
        UsageError: The rules in FIEDLER_GAMES cannot be used.
    """
    _load_from_environment()
    return [name for name in dict.fromkeys([*REGISTERED, *others.ids()]) if not name.startswith(PREFIX)]


def register(added: AnyGame) -> None:
    """Add a game of this process; its id must be new."""
    assert added.id not in REGISTERED, f"a new id, got {added.id}"
    REGISTERED[added.id] = added


def named_game(name: str) -> AnyGame:
    """Return the game that a person names: by its id or short name, or by its place; raises as `any_game`."""
    return game_at(others.absolute(name, Path())) if others.is_place(name) else any_game(name)


def game_at(place: str) -> AnyGame:
    """Return the game at a place, `FILE.py:OBJECT` with an absolute path or `MODULE:OBJECT`; it is loaded once.

    Raises:
        UsageError: There is none, it cannot be used, or another game has its id.
    """
    if place not in _PLACES or _PLACES[place] not in REGISTERED:
        found = others.load(place)
        if found.id in SHORT or REGISTERED.get(found.id, found) is not found:
            raise UsageError(f"{place}: id: expected a new one, since there is a game {found.id!r} already")
        REGISTERED[found.id] = found
        _PLACES[place] = found.id
    return REGISTERED[_PLACES[place]]


def _load_from_environment() -> None:
    for place in others.from_environment():
        game_at(others.absolute(place, Path()))


def _unknown(name: str, known: Iterable[str], doors: str = "") -> UsageError:
    ids = list(known)
    near = others.advice(name) or nearest(name, (*ids, *SHORT))
    return UsageError(f"unknown game {quoted_input(name)}{near} (known: {', '.join(ids)}{doors})")
