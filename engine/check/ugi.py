"""UGI and UCI in bare lines."""

from __future__ import annotations

from collections.abc import Sequence

from fiedler.engine.check import spelling
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.talk import Talk
from fiedler.protocol.ugi import UCI, UGI

MOVETIME_MS = 50
ANSWERS = ("bestmove", "readyok", "ugiok", "uciok", "response")
"""The first words of answers, which bad input does not have."""
ERROR = "info string error: "


class UgiTalk(Talk):
    """Bad input is refused by an error line, or ignored; `readyok` shows that the engine has read it."""

    vocabulary = UGI

    def greet(self) -> None:
        """Send the first line."""
        self.wire.send(f"{self.vocabulary.hello}\n".encode())
        answers = (UGI.hello_answer, UCI.hello_answer)
        self.wire.lines_until(lambda line: line.strip() in answers, self._subject.startup, self.vocabulary.hello_answer)

    def set_up(self, moves: Sequence[str]) -> None:
        """Send the position."""
        self.moves = [*moves]
        self.wire.send(f"position startpos moves {' '.join(moves)}".strip().removesuffix("moves").encode() + b"\n")
        for line in self._until_ready():
            if line.startswith(ERROR) or self.is_answer(line):
                raise StepError(f"{line!r} in answer to position startpos moves …", "no answer")

    def provoke(self, data: bytes) -> str:
        """Send bad input and `isready`."""
        self.wire.send(data)
        lines = self._until_ready()
        for line in lines:
            if self.is_answer(line):
                raise StepError(f"{line!r} in answer to {spelling.shown(data)}")
        refused = [line for line in lines if line.startswith(ERROR)]
        return f"{refused[0].removeprefix('info string ')!r}" if refused else "ignored"

    def request(self) -> bytes:
        """Return `go`."""
        return f"go movetime {MOVETIME_MS}\n".encode()

    def is_answer(self, line: str) -> bool:
        """Return whether a line begins with the word of an answer."""
        return line.startswith(ANSWERS)

    def read_move(self) -> str:
        """Return the word after `bestmove`."""
        lines = self.wire.lines_until(_is_bestmove, self._subject.timeout, "bestmove MOVE")
        return (lines[-1].split()[1:2] or [""])[0]

    def played(self, move: str) -> None:
        """Do nothing: `go` leaves the position as it is."""

    @property
    def wrong_place(self) -> bytes:
        """A move that no board has."""
        return b"position startpos moves zz99\n"

    def _until_ready(self) -> list[str]:
        self.wire.send(b"isready\n")
        lines = self.wire.lines_until(lambda line: line.strip() == "readyok", self._subject.timeout, "readyok")
        return lines[:-1]


class UciTalk(UgiTalk):
    """The same in the words of UCI."""

    vocabulary = UCI


def _is_bestmove(line: str) -> bool:
    return line.split()[:1] == ["bestmove"]
