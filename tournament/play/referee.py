"""The referee: plays the moves on its own board and decides the end and the result of a game."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from fiedler import games
from fiedler.games.game import START
from fiedler.games.position import Position
from fiedler.games.refusal import reason
from fiedler.games.result import Result
from fiedler.games.rules import OwnGame
from fiedler.games.sides import sides_of, turns
from fiedler.tournament.termination import Termination


class Outcome(Struct, frozen=True):
    """The end of a game: `detail` is a phrase for reports."""

    result: Result
    termination: Termination
    detail: str


def lost(side: int, termination: Termination, detail: str) -> Outcome:
    """Return the outcome of a game that `side` (0 moves first) loses."""
    return Outcome(Result.won_by(1 - side), termination, detail)


class Referee:
    """One game: the position, the moves so far, and the outcome at the end."""

    def __init__(self, game: games.AnyGame, opening: Iterable[str], start: str = START) -> None:
        self.game = game
        self.start = game.written_start(start)
        self.moves: list[str] = []
        self.outcome: Outcome | None = None
        self._position = game.position(start)
        self._first = self._position.side_to_move
        self._movers: list[int] | None = None if game.takes_turns else []
        self._own = game if isinstance(game, OwnGame) else None
        for move in opening:
            self.play(move)

    @property
    def position(self) -> Position:
        """The board; read only."""
        return self._position

    def refusal(self, text: str) -> str:
        """Return why a move of the board is not legal here, such as `column d is full`; empty for any other word."""
        return reason(self.game, self._position, text)

    @property
    def side(self) -> int:
        """The side to move: 0 the one that moves first in the game's own start position, else 1."""
        return self._position.side_to_move

    @property
    def settled(self) -> int:
        """The number of moves before the last position whose side to move is known."""
        return len(self.moves)

    @property
    def last_side(self) -> int:
        """The side that made the last move; before the first one the side that does not begin."""
        return self._movers[-1] if self._movers else 1 - self.side

    @property
    def sides(self) -> str:
        """The sides of all moves, as `games/sides.py` has them."""
        return turns(self._first, len(self.moves)) if self._movers is None else sides_of(self._movers)

    @property
    def own_last_move(self) -> str:
        """The last move of the side to move; empty if it has none."""
        if self._movers is None:
            return self.moves[-2] if len(self.moves) > 1 else ""
        pairs = zip(reversed(self.moves), reversed(self._movers), strict=True)
        return next((move for move, mover in pairs if mover == self.side), "")

    def play(self, text: str) -> Outcome | None:
        """Play a move and return the outcome if it ends the game.

        Raises:
            IllegalMoveError: not a move, or not legal here; nothing has changed.
            RulesError: the rules of a user fail, or contradict what they declare.

        """
        position = self._position
        move = position.parse_move(text)
        mover = position.side_to_move
        if self._movers is not None:
            self._movers.append(mover)
        name = position.move_text(move)
        position.play(move)
        self.moves.append(name)
        if position.result is not None:
            self.outcome = self._by_the_rules(position.result)
        elif self._own is not None:
            self._own.check_running(position, len(self.moves) if self.start == START else 0, mover)
        return self.outcome

    def _by_the_rules(self, winner: int) -> Outcome:
        """Translate the result of the position, seen from the first player: 1, -1 or 0."""
        return Outcome(Result.of(winner), Termination.RULES, self.game.ended_by(self._position))
