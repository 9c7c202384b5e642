"""One session in bare lines: input that no client sends, and what the engine makes of it."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar

from fiedler.engine.check import positions, spelling
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.subject import Subject
from fiedler.engine.check.wire import Wire
from fiedler.games.errors import IllegalMoveError
from fiedler.protocol import RESIGN

QUIET_SECONDS = 0.3
"""The time in which a refusal comes, where a dialect allows silence."""


class Talk(ABC):
    """A session in which the engine stands at a position. Every method raises StepError if it fails."""

    unknown: ClassVar[bytes] = b"xyzzy\n"
    """A line that is not a command."""
    binary: ClassVar[bytes] = b"\xff\xfe\x80xyzzy\xf0\n"
    """A line that is not text."""

    farewell: ClassVar[bytes] = b"quit\n"
    """The last line of a session."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._rng = random.Random(1)
        self.wire = Wire(subject.link())
        self.moves: list[str] = []
        """The moves to the position of the engine."""
        self.resigned = False
        """Whether the engine has resigned."""

    @abstractmethod
    def greet(self) -> None:
        """Begin the conversation."""

    @abstractmethod
    def set_up(self, moves: Sequence[str]) -> None:
        """Let the engine stand at the position after `moves`."""

    @abstractmethod
    def provoke(self, data: bytes) -> str:
        """Send bad input; return the refusal in a few words. Some dialects allow silence in its place."""

    @abstractmethod
    def request(self) -> bytes:
        """Return the request for a move at the position."""

    @abstractmethod
    def is_answer(self, line: str) -> bool:
        """Return whether a line answers a request; the manager ignores the others, such as blank ones."""

    @abstractmethod
    def read_move(self) -> str:
        """Return the answer to `request` in the notation of the game, as far as it has one."""

    @property
    @abstractmethod
    def wrong_place(self) -> bytes:
        """A line with coordinates that the board does not have."""

    def begin(self) -> None:
        """Greet the engine and stand at a position."""
        self.greet()
        self.set_up(self.position() if self._subject.dialect.openings else [])

    def position(self) -> list[str]:
        """Return the moves to a position with few legal moves."""
        return positions.tight(self._subject.game)

    def proceed(self, *, halved: bool = False) -> None:
        """Ask for a move, in two portions if `halved`; it must be legal at the position."""
        data = self.request()
        if halved:
            self.wire.send(data[: len(data) // 2])
            if lines := self.answers_within(QUIET_SECONDS):
                raise StepError(f"{lines[0]!r} after {spelling.shown(data[: len(data) // 2])}, without a newline")
            data = data[len(data) // 2 :]
        self.wire.send(data)
        move = self.read_move()
        if move == RESIGN:
            self.resigned = True
            return
        try:
            self._subject.game.position(moves=self.moves).parse_move(move)
        except IllegalMoveError:
            expected = f"the position as it was: {spelling.expected(self._subject, self.moves)}"
            raise StepError(f"then the illegal move {move!r}", expected) from None
        self.played(move)

    def answers_within(self, seconds: float) -> list[str]:
        """Return the answers that come within a time, without the lines that the manager ignores."""
        return [line.strip() for line in self.wire.lines_within(seconds) if self.is_answer(line)]

    def played(self, move: str) -> None:
        """Note that the engine has played its move; in some dialects it only names it."""
        self.moves.append(move)

    @property
    def is_over(self) -> bool:
        """Whether the game is over: another session begins another game."""
        return self.resigned or self._subject.game.position(moves=self.moves).result is not None

    def close(self) -> None:
        """End the session."""
        with suppress(OSError, ValueError, StepError):
            self.wire.send(self.farewell)
        with suppress(OSError, ValueError):
            self.wire.link.close()
