"""`generic`: a game whose rules its players alone know. A position is the list of its moves, and no board is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.game import START, AnyGame
from fiedler.games.position import Position
from fiedler.support.errors import quoted_input

ID = "generic"
MOST = 100
"""The most characters of a move: a longer one would fill the line of a position, and end the game so."""
RESULT = "both players agree"
"""How such a game is won, or drawn."""


class MoveList:
    """The moves so far. Any word is a move; nobody here knows the legal ones, the side to move, or the result."""

    game = ID
    result = None

    def __init__(self, text: str = START, moves: Iterable[int] = (), words: dict[str, int] | None = None) -> None:
        """Begin with `startpos`, after moves that `words` numbers; copies share that table, which grows.

        Raises:
            PositionError: The text is another one.
        """
        if text != START:
            raise PositionError(
                f"position: expected '{START}' in a game without rules of ours, got {quoted_input(text)}"
            )
        self._moves = [*moves]
        self._words = {} if words is None else words

    def __str__(self) -> str:
        names = [*self._words]
        return ",".join([START, *(names[move] for move in self._moves)])

    @property
    def side_to_move(self) -> int:
        """The parity of the ply; a record has the sides as the players agreed on them."""
        return len(self._moves) % 2

    def copy(self) -> Self:
        """Return a position that `play` on this one leaves alone."""
        return type(self)(START, self._moves, self._words)

    def legal_moves(self) -> list[int]:
        """Return none: they are unknown."""
        return []

    def play(self, move: int) -> None:
        """Append a move."""
        self._moves.append(move)

    def parse_move(self, text: str) -> int:
        """Return the number of a word.

        Raises:
            IllegalMoveError: The text is not one word of MOST characters at most.
        """
        if text.split() != [text] or not text.isprintable():
            raise IllegalMoveError(f"move: expected one word, got {quoted_input(text)}")
        if len(text) > MOST:
            raise IllegalMoveError(f"move: expected at most {MOST} characters, got {len(text)}")
        return self._words.setdefault(text, len(self._words))

    def move_text(self, move: int) -> str:
        """Return the word of a number."""
        return [*self._words][move]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenericGame(AnyGame):
    """The game of that name: pages and reports list its moves alone."""

    def draw(self, position: Position, last: int | None = None) -> str:  # noqa: ARG002
        """Return nothing: the board is unknown."""
        return ""

    def result_text(self, position: Position) -> str:  # noqa: ARG002
        """Return nothing: the players know the result."""
        return ""


GENERIC = GenericGame(
    id=ID,
    name="a game of the players",
    sides=("First", "Second"),
    win_reason=RESULT,
    draw_reason=RESULT,
    description="any game: its two players, engines that speak UGI, agree on the rules, or the game ends",
    notation=START,
    example=START,
    rules=MoveList,
    has_rules=False,
    takes_turns=False,
)
