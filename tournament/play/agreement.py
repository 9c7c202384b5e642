"""The referee of a game whose rules its players alone know: it takes as true the opinions that both of them share."""

from __future__ import annotations

from collections.abc import Iterable

from fiedler import games
from fiedler.games.errors import IllegalMoveError
from fiedler.games.game import START
from fiedler.games.generic import RESULT as AGREED
from fiedler.games.result import Result
from fiedler.protocol import MAX_LINE
from fiedler.protocol.ugi.queries import GAMEOVER, LEGAL_MOVES, P1TURN, RESULT
from fiedler.support.text import counted
from fiedler.tournament.play.opinion import DisputeError, Opinion, refuse_difference
from fiedler.tournament.play.referee import Outcome, Referee
from fiedler.tournament.termination import Termination

LINE = len("position startpos moves")


class AgreementReferee(Referee):
    """One game: the moves so far, the side to move, and the outcome.

    `agree` must follow each move, and `end` once the players agree that the game is over.
    """

    def __init__(self, game: games.AnyGame, opening: Iterable[str], start: str = START) -> None:
        """Begin with the start position, before any opinion about it."""
        self._side = 0
        self._legal: list[frozenset[str] | None] = [None, None]
        """The legal moves of the position, as each player lists them; None if it does not."""
        self._bytes = LINE
        self._settled = 0
        super().__init__(game, opening, start)

    @property
    def side(self) -> int:
        """The side to move in the position that both players agreed on."""
        return self._side

    @property
    def settled(self) -> int:
        """The number of moves before the last position that both players agreed on."""
        return self._settled

    def play(self, text: str) -> Outcome | None:
        """Play a move; the position after it is open until `agree`.

        Raises:
            IllegalMoveError: it is not a word, or the player that plays it does not list it itself; nothing has
                changed.
            DisputeError: the opponent does not list it.

        """
        position = self._position
        move = position.parse_move(text)
        own, other = self._legal[self._side], self._legal[1 - self._side]
        if own is not None and text not in own:
            raise IllegalMoveError(f"move: expected one of its own {counted(len(own), 'legal move')}, got {text!r}")
        if other is not None and text not in other:
            raise self._disputed(text, len(other))
        assert self._movers is not None, "a game whose players say whose move it is"
        position.play(move)
        self.moves.append(text)
        self._movers.append(self._side)
        self._bytes += 1 + len(text.encode())
        if self._bytes > MAX_LINE:
            full = f"the moves fill a line of {MAX_LINE} bytes after {counted(len(self.moves), 'ply')}"
            self.outcome = Outcome(Result.DRAW, Termination.ADJUDICATION, full)
        return self.outcome

    def agree(self, first: Opinion, second: Opinion) -> bool:
        """Take the opinions of both players about the position, and return whether the game is over by the rules.

        Raises:
            DisputeError: they differ.

        """
        refuse_difference(GAMEOVER, first.over, second.over)
        if first.over:
            return True
        refuse_difference(P1TURN, first.first_to_move, second.first_to_move)
        self._settled = len(self.moves)
        self._side = 0 if first.first_to_move else 1
        self._legal = [first.legal, second.legal]
        return False

    def end(self, first: Result, second: Result) -> Outcome:
        """Take the results that both players answer, and return the outcome; raises as `agree`."""
        refuse_difference(RESULT, first, second)
        self.outcome = Outcome(first, Termination.RULES, AGREED)
        return self.outcome

    def _disputed(self, move: str, listed: int) -> DisputeError:
        """Return the dispute about a move of the side to move, of which the opponent lists others."""
        opinions = [f"plays {move}", f"lists {counted(listed, 'legal move')} without it"]
        return DisputeError(LEGAL_MOVES, (opinions[self._side], opinions[1 - self._side]))
