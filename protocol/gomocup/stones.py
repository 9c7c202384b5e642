"""Stones and moves: the order of play of stones in any order."""

from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest

from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.gomocup.words import OPPONENT, OWN, read_point, read_stone

MAX_STONES = 400
"""The points of the largest board."""


class StoneReader:
    """The lines after BOARD or SWAP2BOARD, up to DONE. After a wrong one, the rest is skipped."""

    def __init__(self, *, with_sides: bool) -> None:
        """`with_sides`: each line ends with the side of the stone."""
        self.sides: tuple[list[str], list[str]] = ([], [])
        """The points of our stones and of the opponent's, in the order of the lines."""
        self.points: list[str] = []
        """All points, in the order of the lines."""
        self.wrong = ""
        """The error of the first wrong line."""
        self.with_sides = with_sides

    def take(self, line: str) -> None:
        """Take a line."""
        if self.wrong:
            return
        try:
            point, side = read_stone(line) if self.with_sides else (read_point(line), OWN)
        except RemoteProtocolError as error:
            self.wrong = str(error)
            return
        if len(self.points) == MAX_STONES:
            self.wrong = f"expected at most {MAX_STONES} stones, got more"
        self.points.append(point)
        self.sides[side - OWN].append(point)

    def moves(self) -> list[str]:
        """Return the stones in an order of play, after which it is our turn.

        Raises:
            RemoteProtocolError: A line was wrong, or it is not our turn.
        """
        if self.wrong:
            raise RemoteProtocolError(self.wrong)
        if not self.with_sides:
            return self.points
        own, opponents = self.sides
        if len(own) == len(opponents):
            return in_turn(own, opponents)
        if len(own) + 1 == len(opponents):
            return in_turn(opponents, own)
        wrong = f"expected {OPPONENT} as often as {OWN}, or once more, got {len(opponents)} and {len(own)} stones"
        raise RemoteProtocolError(wrong)


def in_turn(black: Sequence[str], white: Sequence[str]) -> list[str]:
    """Return the stones of both sides in turns, black first."""
    pairs: Iterable[tuple[str, str]] = zip_longest(black, white, fillvalue="")
    return [stone for stone in chain.from_iterable(pairs) if stone]


def without(moves: Sequence[str], point: str) -> list[str]:
    """Return the moves without the stone on a point.

    Raises:
        RemoteProtocolError: There is no such stone, or the rest is not a game.
    """
    if point not in moves:
        raise RemoteProtocolError(f"expected a stone to take back, got {point}")
    black, white = ([one for one in moves[side::2] if one != point] for side in (0, 1))
    if len(black) - len(white) not in (0, 1):
        raise RemoteProtocolError(f"expected the last stone, {moves[-1]}, got {point}")
    return in_turn(black, white)
