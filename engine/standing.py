"""The state of a session's game, for the client's queries."""

from __future__ import annotations

from collections.abc import Sequence

from engine.answers import ANSWERS
from games import Game
from native import Position
from protocol.ugi import SetPosition

Answer = tuple[Sequence[str], str]
"""Rows for people, and the response."""
_START = SetPosition("startpos", ())


class Standing:
    """A position, and what led to it. It does not change; what has been answered once is kept."""

    def __init__(
        self, game: Game, said: SetPosition = _START, position: Position | None = None, last: int | None = None
    ) -> None:
        """`said` has led to `position`, by the move `last`; by default the game begins."""
        self.position = game.position() if position is None else position
        self._game = game
        self._said = said
        self._last = last
        self._answers: dict[str, Answer] = {}

    def moved(self, said: SetPosition) -> Standing:
        """Return what a `position` line leads to: from here, if it continues what led here.

        Raises native.PositionError and native.IllegalMoveError.
        """
        if said == self._said:
            return self
        known = len(self._said.moves)
        if said.text == self._said.text and said.moves[:known] == self._said.moves:
            position, last = self.position.copy(), self._last
        else:
            position, last, known = self._game.position(said.text), None, 0
        for move in said.moves[known:]:
            last = position.parse_move(move)
            position.play(last)
        return Standing(self._game, said, position, last)

    def answer(self, what: str) -> Answer:
        """Return what a query is answered."""
        if what not in self._answers:
            self._answers[what] = self._answered(what)
        return self._answers[what]

    def _answered(self, what: str) -> Answer:
        if what == "board":
            return self._game.draw(self.position, self._last).splitlines(), "ok"
        return (), ANSWERS[what](self.position)
