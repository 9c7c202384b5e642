"""Whether an opening of a file can be played."""

from __future__ import annotations

from collections.abc import Sequence
from sys import intern

from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.game import START, AnyGame
from fiedler.games.openings import Opening
from fiedler.games.rule_keys import NO_RULES, GivenRules
from fiedler.support.errors import UsageError

FINISHED = "expected an opening, got a finished game"


class UnsoundError(Exception):
    """An opening that cannot be played; the message has the reason."""

    def __init__(self, why: str, ply: int | None = None) -> None:
        super().__init__(why)
        self.ply = ply
        """The number of the wrong move, from 0; None: the start is wrong, or the game is over."""


class SoundOpenings:
    """Makes openings of starts and moves as people write them."""

    def __init__(self, game: AnyGame, rules: GivenRules = NO_RULES) -> None:
        """`game` is that of all openings. A start that names no rules has `rules`."""
        self.game = game
        self._rules = rules
        self._own = str(game.position())

    def opening(self, start: str, words: Sequence[str]) -> Opening:
        """Return the opening as the game writes it.

        Raises:
            UnsoundError: The start or a move is wrong, or the game is over.
        """
        try:
            start = self.game.with_rules(start, self._rules)
            position = self.game.position(start)
        except (PositionError, UsageError) as error:
            raise UnsoundError(str(error)) from error
        begin, names = START if start == START else str(position), list[str]()
        for ply, word in enumerate(words):
            if position.result is not None:
                break
            try:
                move = self.game.read_move(position, word)
            except IllegalMoveError as error:
                raise UnsoundError(str(error), ply) from error
            names.append(intern(position.move_text(move)))
            position.play(move)
        if position.result is not None:
            raise UnsoundError(FINISHED)
        return Opening(tuple(names), START if begin == self._own else begin)
