"""The game of a GTP session: stones one by one, in the vertices of GTP; passes as moves, or once it is over."""

from collections.abc import Sequence

from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import HostError, RemoteProtocolError
from fiedler.protocol.gtp.command import LETTERS, PASS, letter_hint
from fiedler.protocol.host import GameState, Host

ILLEGAL = "illegal move"


class HostGame:
    """The board of a host. A request that raises RemoteProtocolError changes nothing."""

    def __init__(self, host: Host, coordinates: Coordinates) -> None:
        self._host = host
        self._coordinates = coordinates
        self._start = coordinates.start
        """The start of the game, which has its rules."""
        self._passes = 0
        """Passes since the end of the game."""

    @property
    def state(self) -> GameState:
        """The state of the board."""
        return self._host.state

    @property
    def size(self) -> int:
        """Points along a side of the board that a client sees."""
        return self._coordinates.size

    @property
    def has_komi(self) -> bool:
        """Whether the game has points, of which the second player gets some."""
        return self._coordinates.komi(self._start) is not None

    def set_komi(self, points: float) -> None:
        """Give the second player these points, from now on; the moves stay.

        Raises:
            RemoteProtocolError: The rules have no such komi.
        """
        try:
            self._begin_by(self._coordinates.with_komi(self._start, points))
        except ValueError as error:
            raise RemoteProtocolError(f"unacceptable komi: {error}") from None

    def allow_suicide(self, *, legal: bool) -> None:
        """Make suicide legal, or not, from now on; the moves stay.

        Raises:
            RemoteProtocolError: One of the moves is suicide.
        """
        self._begin_by(self._coordinates.with_suicide(self._start, legal=legal))

    def _begin_by(self, start: str) -> None:
        """Replace the start by one with other rules."""
        before, passes, self._start = self._start, self._passes, start
        try:
            self._set(self.state.moves)
        except HostError as error:
            self._start = before
            raise RemoteProtocolError(str(error).partition(" in ")[0]) from None
        self._passes = passes

    @property
    def has_passes(self) -> bool:
        """Whether a pass is a move of the game; of any other, only a finished one has passes."""
        try:
            self._coordinates.read(PASS, ())
        except ValueError:
            return False
        return True

    @property
    def side_to_move(self) -> int:
        """The side to move or to pass, 0 for black."""
        return (self.state.side_to_move + self._passes) % 2

    @property
    def last(self) -> str:
        """The point of the last move; empty if there is none, and after a pass."""
        moves = self.state.moves
        point = self._coordinates.write(moves[-1], moves[:-1]) if moves else ""
        return "" if point == PASS else point

    @property
    def legal(self) -> list[str]:
        """The points of the legal moves; empty when the game is over."""
        return [self.point(move) for move in self.state.legal_moves]

    def point(self, move: str) -> str:
        """Return the point of a legal move."""
        return self._coordinates.write(move, self.state.moves)

    def points(self, line: Sequence[str]) -> list[str]:
        """Return the points of moves that follow one another from here."""
        moves = [*self.state.moves, *line]
        begun = len(moves) - len(line)
        return [self._coordinates.write(moves[at], moves[:at]) for at in range(begun, len(moves))]

    def point_after(self, before: Sequence[str], move: str) -> str:
        """Return the point of a move that is legal after others."""
        return self._coordinates.write(move, before)

    def clear(self) -> None:
        """Remove every stone."""
        self._set(())

    def take_turn(self, side: int) -> bool:
        """Let this side move; return whether the other one has passed for it: programs for Othello do not say so.

        Raises:
            RemoteProtocolError: It is the turn of the other side.
        """
        must_pass = side != self.side_to_move and self.legal == [PASS]
        if must_pass:
            self._play(PASS)
        if side != self.side_to_move:
            if must_pass:
                self.undo()
            raise RemoteProtocolError(f"not {LETTERS[side]}'s turn")
        return must_pass

    def _play_turn(self, side: int, name: str) -> None:
        """Play a stone at a point, or pass; on an error a pass of the other side remains."""
        self.take_turn(side)
        if name.upper() == PASS and self.state.result is not None:
            self.pass_turn()
        else:
            self._play(name)

    def _play(self, name: str) -> None:
        if name.upper() == PASS and PASS not in self.legal:
            raise RemoteProtocolError(f"{ILLEGAL}: the game runs, and nobody may pass")
        try:
            self._host.play(self._coordinates.read(name.upper(), self.state.moves))
        except ValueError as error:
            raise RemoteProtocolError(f"{ILLEGAL}: {error}{letter_hint(name, self._coordinates)}") from None
        except HostError:
            raise RemoteProtocolError(ILLEGAL) from None

    def pass_turn(self) -> None:
        """Pass in a finished game."""
        self._passes += 1

    def play_all(
        self, moves: Sequence[tuple[int, str]], *, from_start: bool = False, points: float | None = None
    ) -> None:
        """Play moves of these sides, all or none, from here or from the start of the game.

        `points` are the komi from then on, of a game that has one; None: it stays.
        """
        known, passes, start = self.state.moves, self._passes, self._start
        try:
            if from_start:
                self.clear()
            if points is not None:
                self.set_komi(points)
            for side, name in moves:
                self._play_turn(side, name)
        except RemoteProtocolError:
            self._start = start
            self._set(known)
            self._passes = passes
            raise

    def undo(self) -> None:
        """Take back the last pass or stone."""
        if self._passes:
            self._passes -= 1
            return
        moves = self.state.moves
        if not moves:
            raise RemoteProtocolError("cannot undo: the board is empty")
        self._set(moves[:-1])

    def _set(self, moves: Sequence[str]) -> None:
        self._host.set_position(self._start, moves)
        self._passes = 0
