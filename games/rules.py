"""A game by its users, in plain Python: the parts of its rules, and the game that the house makes of them.

Rules import nothing of ours: they raise `ValueError` for a wrong position or an illegal move. Any other exception, and
an answer that no rules give, is a RulesError: the failure of their author, not of a player.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self, TypeVar, cast

from fiedler.games.board import STONES, Kind, Piece
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.game import START, AnyGame
from fiedler.games.position import Position
from fiedler.support.errors import UsageError, WorkError, quoted_input, quoted_value, reason
from fiedler.support.text import counted

Answer = TypeVar("Answer")
NAME = re.compile(r"[a-z][a-z0-9._-]{0,39}")
"""A valid id of a game: it is a word of schedules and of addresses of pages."""
RULES = ("id", "name", "sides", "description", "most_plies", "takes_turns", "position")
"""The members that `Rules` must have."""
POSITION = ("side_to_move", "result", "copy", "legal_moves", "play", "move_text")
"""The members that a position of rules must have."""
SYMMETRIC = ("key", "num_symmetries", "transformed", "transformed_move")
"""The members that a position with symmetries has."""
LETTERS = 26
"""The most columns and rows of a board."""
_HERE = Path(__file__).parent


class RulesError(WorkError):
    """The rules of a user's game failed. The message names them, the exception and its place."""


class RulesPosition(Protocol):
    """A position of a user's rules. `str(position)` is a word with a semicolon; equal positions have equal ones.

    It may have `parse_move(text)`, in place of a comparison with the names of all legal moves, `key`, and all members
    of `fiedler.games.position.Symmetric`.
    """

    @property
    def side_to_move(self) -> int:
        """0 first player, 1 second player; 0 at the start."""

    @property
    def result(self) -> int | None:
        """None while the game is running; 1 the first player won, -1 the second player won, 0 draw."""

    def copy(self) -> Self:
        """Return a position that `play` on this one leaves alone."""

    def legal_moves(self) -> Sequence[int]:
        """Return the legal moves, always in the same order; none once the game is over."""

    def play(self, move: int) -> None:
        """Play a move; raises ValueError if it is not legal, and nothing has changed then."""

    def move_text(self, move: int) -> str:
        """Return the name of a move, a word."""


class Rules(Protocol):
    """The rules of a game of two players with complete information. These members must be there.

    It may have `notation` (a position, for messages), `example` (`startpos moves m1 m2 …`, for the game's page), and
    `won_by(position)` (how the finished game was won, such as `a pawn on the last row`). `board` is the number of rows
    and of columns of a board of squares; then a position has `cells`, row by row from the top left, 0 empty, else the
    place of a piece in `pieces`, from 1. Each of `pieces` is a sign and its side, 0 or 1; by default X and O. `steps`:
    whether the name of a move begins with two cells, as `a2b3`, that of a piece and its next one.
    `draw(position, last)` is the board as lines of text, after the move `last`, or None; by default that of `board`.
    """

    @property
    def id(self) -> str:
        """The name in schedules: small letters, digits, `.`, `_`, `-`; 40 at most."""

    @property
    def name(self) -> str:
        """The readable name."""

    @property
    def sides(self) -> tuple[str, str]:
        """The names of the first and the second player."""

    @property
    def description(self) -> str:
        """The rules in a sentence."""

    @property
    def most_plies(self) -> int | None:
        """The plies of the longest game; None if unknown."""

    @property
    def takes_turns(self) -> bool:
        """False if a side may move twice in a row."""

    def position(self, text: str) -> RulesPosition:
        """Return the position of `startpos` or of a notation; raises ValueError for another text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnGame(AnyGame):
    """A game by rules of a user."""

    own: Rules = field(compare=False, repr=False)
    """The rules."""
    about: str = field(compare=False, repr=False)
    """The rules in the words of a message: `the rules of breakthrough (breakthrough.py:GAME)`."""

    def draw(self, position: Position, last: int | None = None) -> str:
        """Return the board in the words of the rules, or else that of its cells, or else the notation."""
        drawing = getattr(self.own, "draw", None)
        if drawing is None:
            return AnyGame.draw(self, position, last)
        return asked(self.about, _text, drawing, _inner(position), last)

    def check_running(self, position: Position, plies: int, mover: int) -> None:
        """Compare a running position, after `plies` from the start and a move of `mover`, with the declared members.

        Raises:
            RulesError: The game is longer than `most_plies`, or a side moves twice in a row although `takes_turns`.
        """
        if self.most_plies is not None and plies >= self.most_plies:
            wrong = f"expected an end within {counted(self.most_plies, 'ply')}, got a running game"
            raise RulesError(f"{self.about} failed: most_plies: {wrong}")
        if self.takes_turns and position.side_to_move == mover:
            wrong = f"expected sides that alternate, got {self.sides[mover]} twice in a row"
            raise RulesError(f"{self.about} failed: takes_turns: {wrong}")


def game_of(rules: object, place: str) -> AnyGame:
    """Return the game of an object that satisfies `Rules`, or is a game of ours already.

    Args:
        rules: The object.
        place: Its place in messages, such as `breakthrough.py:GAME`.

    Raises:
        UsageError: It lacks members, or has wrong ones.
    """
    if isinstance(rules, AnyGame):
        return rules
    if isinstance(rules, type):
        advice = f"a line GAME = {rules.__name__}() makes one"
        raise UsageError(f"{place}: expected an object with the rules, got the class {rules.__name__}; {advice}")
    try:
        _refuse_lack(rules, RULES, place)
        own = cast("Rules", rules)
        _refuse_wrong(own, place)
        about = f"the rules of {own.id} ({place.rpartition('/')[2]})"
        _refuse_lack(own.position(START), POSITION, f"{place}: its position")
        return _made(own, about)
    except RulesError as error:
        raise UsageError(str(error)) from error
    except UsageError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{place}: cannot be used: {failure(error)}") from error


def asked(about: str, call: Callable[..., Answer], *given: object) -> Answer:
    """Return the answer of rules; raises RulesError in place of an exception of theirs."""
    try:
        return call(*given)
    except RulesError:
        raise
    except (Exception, SystemExit) as error:
        raise RulesError(f"{about} failed: {failure(error)}") from error


def failure(error: BaseException) -> str:
    """Return an exception in a line, with the last line of its traceback: `ZeroDivisionError: … (game.py, line 3)`."""
    said = reason(traceback.format_exception_only(error)[-1])
    if isinstance(error, SyntaxError) and error.filename:
        return f"{said} ({Path(error.filename).name}, line {error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if Path(frame.filename).parent != _HERE and "importlib" not in frame.filename]
    return f"{said} ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else said


class OwnPosition:
    """A position of a user's rules as the house needs it: its errors are ours."""

    __slots__ = ("_about", "game", "inner")

    def __init__(self, game: str, about: str, inner: RulesPosition) -> None:
        """`inner` is the position of the rules, which `about` names in messages."""
        self.game = game
        self.inner = inner
        self._about = about

    @property
    def side_to_move(self) -> int:
        """0 first player, 1 second player."""
        side = asked(self._about, getattr, self.inner, "side_to_move")
        if side not in (0, 1):
            raise RulesError(f"{self._about} failed: side_to_move: expected 0 or 1, got {quoted_value(side)}")
        return int(side)

    @property
    def result(self) -> int | None:
        """None while the game is running; 1 the first player won, -1 the second player won, 0 draw."""
        found = asked(self._about, getattr, self.inner, "result")
        if found not in (None, 1, -1, 0) or isinstance(found, bool):  # False is 0, which is a draw
            wrong = quoted_value(found)
            raise RulesError(f"{self._about} failed: result: expected None, 1, -1 or 0, got {wrong}")
        return None if found is None else int(found)

    def copy(self) -> Self:
        """Return a position that `play` on this one leaves alone."""
        return type(self)(self.game, self._about, asked(self._about, self.inner.copy))

    def legal_moves(self) -> Sequence[int]:
        """Return the legal moves."""
        found: list[int] = asked(self._about, lambda: list(self.inner.legal_moves()))
        if not found and self.result is None:
            raise RulesError(f"{self._about} failed: no legal move in {self}, although the game is running")
        return found

    def play(self, move: int) -> None:
        """Play a move.

        Raises:
            IllegalMoveError: It is not legal.
            RulesError: It is legal, and the rules failed.
        """
        try:
            self.inner.play(move)
        except (Exception, SystemExit) as error:
            if isinstance(error, ValueError) and move not in self.legal_moves():
                raise IllegalMoveError(f"move: {reason(error)} in {self}") from error
            raise RulesError(f"{self._about} failed: {failure(error)}") from error

    def parse_move(self, text: str) -> int:
        """Return the legal move of this name.

        Raises:
            IllegalMoveError: There is none.
        """
        if (reading := getattr(self.inner, "parse_move", None)) is not None:
            try:
                move = int(reading(text))
            except ValueError:
                pass
            except (Exception, SystemExit) as error:
                raise RulesError(f"{self._about} failed: {failure(error)}") from error
            else:
                if move in self.legal_moves():
                    return move
        for move in self.legal_moves():
            if self.move_text(move) == text:
                return move
        raise IllegalMoveError(f"move: expected a legal move, got {quoted_input(text)} in {self}")

    def move_text(self, move: int) -> str:
        """Return the name of a move."""
        text = asked(self._about, _text, self.inner.move_text, move)
        if text.split() != [text] or not text.isprintable():
            raise RulesError(f"{self._about} failed: move_text: expected one word, got {quoted_input(text)}")
        return text

    def __str__(self) -> str:
        return asked(self._about, str, self.inner)


class KeyedPosition(OwnPosition):
    """One with a hash of its own."""

    __slots__ = ()

    @property
    def key(self) -> int:
        """A hash; equal positions have equal keys."""
        found: Hashable = asked(self._about, getattr, self.inner, "key")
        return hash(found)


class SymmetricOwnPosition(KeyedPosition):
    """One with symmetries."""

    __slots__ = ()

    @property
    def num_symmetries(self) -> int:
        """Their number, with the identity."""
        return int(asked(self._about, getattr, self.inner, "num_symmetries"))

    def transformed(self, symmetry: int) -> Self:
        """Return the position under one of them; 0 is the identity."""
        return type(self)(self.game, self._about, asked(self._about, self._symmetric.transformed, symmetry))

    def transformed_move(self, symmetry: int, move: int) -> int:
        """Return the image of a move."""
        image: int = asked(self._about, self._symmetric.transformed_move, symmetry, move)
        return image

    @property
    def _symmetric(self) -> Any:  # noqa: ANN401 - a capability, which the class of the position shows
        return self.inner


class OwnCells(OwnPosition):
    """One with a board of cells; a class of its own for each game has the size."""

    __slots__ = ()
    planes_shape: ClassVar[tuple[int, int, int]]
    most_piece: ClassVar[int]

    @property
    def cells(self) -> bytes:
        """Row by row from the top left: 0 empty, else the place of a piece, from 1."""
        inner: Any = self.inner
        found = asked(self._about, lambda: bytes(inner.cells))
        _, rows, columns = self.planes_shape
        if len(found) != rows * columns or max(found) > self.most_piece:
            wrong = f"expected {rows * columns} numbers from 0 to {self.most_piece}, got {quoted_value([*found])}"
            raise RulesError(f"{self._about} failed: cells: {wrong}")
        return found


def _kind(own: Rules, start: RulesPosition) -> type[OwnPosition]:
    """Return the class of positions with the capabilities of the rules."""
    kind = OwnPosition
    if hasattr(start, "key"):
        kind = SymmetricOwnPosition if all(hasattr(start, name) for name in SYMMETRIC) else KeyedPosition
    if (board := getattr(own, "board", None)) is None:
        return kind
    members = {"__slots__": (), "planes_shape": (2, *board), "most_piece": len(_pieces(own))}
    return type("OwnBoard", (OwnCells,) if kind is OwnPosition else (OwnCells, kind), members)


def _pieces(own: Rules) -> tuple[Piece, ...]:
    return tuple(Piece(sign, side) for sign, side in getattr(own, "pieces", ())) or STONES


def _made(own: Rules, about: str) -> OwnGame:
    """Return the game of complete rules."""
    start = own.position(START)
    kind = _kind(own, start)
    if issubclass(kind, OwnCells):
        _ = kind(own.id, about, start).cells  # which refuses a wrong number

    def rules(text: str) -> Position:
        try:
            return kind(own.id, about, own.position(text))
        except ValueError as error:
            raise PositionError(f"position: {reason(error)}") from error
        except (Exception, SystemExit) as error:
            raise RulesError(f"{about} failed: {failure(error)}") from error

    won_by = getattr(own, "won_by", None)
    return OwnGame(
        id=own.id,
        name=own.name,
        sides=(own.sides[0], own.sides[1]),
        win_reason="the rules" if won_by is None else lambda end: asked(about, _text, won_by, _inner(end)),
        description=own.description,
        notation=str(getattr(own, "notation", start)),
        example=str(getattr(own, "example", START)),
        rules=rules,
        board=Kind.SQUARES if issubclass(kind, OwnCells) else None,
        steps=bool(getattr(own, "steps", False)),
        pieces=_pieces(own),
        takes_turns=own.takes_turns,
        most_plies=own.most_plies,
        own=own,
        about=about,
    )


def _inner(position: Position) -> object:
    assert isinstance(position, OwnPosition), "a position of this game"
    return position.inner


def _text(call: Callable[..., object], *given: object) -> str:
    """Return an answer that must be a text; raises TypeError for another one."""
    found = call(*given)
    if not isinstance(found, str):
        raise TypeError(f"expected a text, got {type(found).__name__}")
    return found


def _refuse_lack(own: object, names: Iterable[str], place: str) -> None:
    lacking = [name for name in names if not hasattr(own, name)]
    if lacking:
        raise UsageError(f"{place}: lacks {', '.join(lacking)}")


def _refuse_wrong(own: Rules, place: str) -> None:
    """Refuse members of a wrong type."""
    if not (isinstance(own.id, str) and NAME.fullmatch(own.id)):
        got = quoted_value(own.id)
        raise UsageError(f"{place}: id: expected up to 40 small letters, digits, '.', '_', '-', got {got}")
    for name in ("name", "description"):
        if not _is_line(getattr(own, name)):
            raise UsageError(f"{place}: {name}: expected a line, got {quoted_value(getattr(own, name))}")
    sides = own.sides
    if not (isinstance(sides, tuple | list) and len(sides) == 2 and all(map(_is_line, sides)) and sides[0] != sides[1]):
        raise UsageError(f"{place}: sides: expected two different names, got {quoted_value(sides)}")
    most = own.most_plies
    if most is not None and (type(most) is not int or most < 1):
        raise UsageError(f"{place}: most_plies: expected a number from 1 on or None, got {quoted_value(most)}")
    if wrong := _wrong_board(getattr(own, "board", None)):
        raise UsageError(f"{place}: board: {wrong}")
    if wrong := _wrong_pieces(getattr(own, "pieces", ())):
        raise UsageError(f"{place}: pieces: {wrong}")
    if not isinstance(own.takes_turns, bool):
        raise UsageError(f"{place}: takes_turns: expected True or False, got {quoted_value(own.takes_turns)}")


def _wrong_board(board: object) -> str:
    if board is None:
        return ""
    fits = isinstance(board, tuple | list) and len(board) == 2
    if fits and all(type(side) is int and 0 < side <= LETTERS for side in board):  # type: ignore[attr-defined]
        return ""
    return f"expected rows and columns, from 1 to {LETTERS}, got {quoted_value(board)}"


def _wrong_pieces(pieces: object) -> str:
    try:
        found = [(str(sign), side) for sign, side in pieces]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        found = [("", 0)]
    signs = {sign for sign, _ in found}
    if len(signs) == len(found) and all(len(sign) == 1 and side in (0, 1) for sign, side in found):
        return ""
    return f"expected pairs of a sign and a side, 0 or 1, with different signs, got {quoted_value(pieces)}"


def _is_line(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip()) and text.isprintable()
