"""makemove in bare lines."""

from __future__ import annotations

from collections.abc import Sequence

from fiedler.engine.check import spelling
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.talk import QUIET_SECONDS, Talk
from fiedler.protocol.makemove import words

ERROR = f"{words.ERROR}:"
MOVE = f"{words.MOVE}:"
ANSWERS = (ERROR, MOVE, words.OK)


class MakemoveTalk(Talk):
    """Bad input is refused by ERROR:WHY, or ignored, as by the published clients."""

    unknown = b"XYZZY\n"
    farewell = f"{words.EXIT}\n".encode()

    def greet(self) -> None:
        """Wait for the first OK."""
        self._expect_ok("its connection", self._subject.startup)

    def set_up(self, moves: Sequence[str]) -> None:
        """Begin a game and send its moves."""
        self._command(words.GAME_RESET)
        self.moves = []
        for move in moves:
            self._command(f"{words.APPLY_MOVE}:{self._subject.coordinates.write(move, self.moves)}")
            self.moves.append(move)

    def provoke(self, data: bytes) -> str:
        """Send bad input; wait a moment for a refusal."""
        self.wire.send(data)
        for line in (lines := self.answers_within(QUIET_SECONDS)):
            if not line.startswith(ERROR):
                raise StepError(f"{line!r} in answer to {spelling.shown(data)}")
        return repr(lines[0]) if lines else "ignored"

    def request(self) -> bytes:
        """Return `MAKE_MOVE`."""
        return f"{words.MAKE_MOVE}\n".encode()

    def is_answer(self, line: str) -> bool:
        """Return whether a line begins with the word of an answer."""
        return line.strip().startswith(ANSWERS)

    def read_move(self) -> str:
        """Return the move of the byte."""
        line = self.wire.lines_until(_is_move, self._subject.startup, f"{words.MOVE}:N")[-1]
        try:
            return self._subject.coordinates.read(line.strip().removeprefix(MOVE).strip(), self.moves)
        except ValueError:
            raise StepError(f"then {line!r}", spelling.expected(self._subject, self.moves)) from None

    @property
    def wrong_place(self) -> bytes:
        """A byte with a board that does not exist."""
        return f"{words.APPLY_MOVE}:200\n".encode()

    def _command(self, line: str) -> None:
        self.wire.send(f"{line}\n".encode())
        self._expect_ok(line, self._subject.timeout)

    def _expect_ok(self, after: str, seconds: float) -> None:
        expected = f"{words.OK} after {after}"
        answer = self.wire.lines_until(self.is_answer, seconds, expected)[-1]
        if answer.strip() != words.OK:
            raise StepError(f"{answer!r}", expected)


def _is_move(line: str) -> bool:
    return line.strip().startswith(MOVE)
