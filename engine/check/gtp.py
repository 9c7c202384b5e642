"""GTP in bare lines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from fiedler.engine.check import spelling
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.talk import Talk
from fiedler.protocol import RESIGN
from fiedler.protocol.gtp.command import LETTERS, letter_hint
from fiedler.protocol.gtp.response import FAILURE, SUCCESS

INTERRUPT = "gogui-interrupt"
TIME = "time_settings"
SIGNS = (SUCCESS, FAILURE)
RESPONSE = "a response, = or ?, and an empty line"


class GtpTalk(Talk):
    """Every line has one response; bad input a failure, `? WHY`."""

    def greet(self) -> None:
        """Set the size of the board."""
        self.succeed(f"boardsize {self._subject.coordinates.size}", self._subject.startup)

    @cached_property
    def known(self) -> frozenset[str]:
        """The commands of the program."""
        return frozenset(self.succeed("list_commands").split())

    def set_up(self, moves: Sequence[str]) -> None:
        """Clear the board and play the stones."""
        self.succeed("clear_board")
        self.moves = []
        for move in moves:
            self.succeed(f"play {self._side} {self._subject.coordinates.write(move, self.moves)}")
            self.moves.append(move)

    def provoke(self, data: bytes) -> str:
        """Send bad input."""
        self.wire.send(data)
        answer = self.response(self._subject.timeout)
        if not answer.startswith(FAILURE):
            raise StepError(f"{answer!r} in answer to {spelling.shown(data)}")
        return repr(answer)

    def request(self) -> bytes:
        """Return `genmove`."""
        return f"genmove {self._side}\n".encode()

    def is_answer(self, line: str) -> bool:
        """Return whether a line begins a response."""
        return line.startswith(SIGNS)

    def read_move(self) -> str:
        """Return the move of the vertex, which is on the first line of the response."""
        answer = self.response(self._subject.timeout).partition("\n")[0]
        vertex = answer.removeprefix("=").strip().upper()
        if vertex == RESIGN.upper():
            return RESIGN
        try:
            return self._subject.coordinates.read(vertex, self.moves)
        except ValueError:
            hint = letter_hint(vertex, self._subject.coordinates)
            raise StepError(f"then {answer!r}{hint}", spelling.expected(self._subject, self.moves)) from None

    @property
    def wrong_place(self) -> bytes:
        """A vertex that no board has."""
        return f"play {self._side} Z99\n".encode()

    @property
    def _side(self) -> str:
        return LETTERS[len(self.moves) % 2]

    def response(self, seconds: float) -> str:
        """Return the next response without the empty line at its end."""
        first = self.wire.lines_until(self.is_answer, seconds, RESPONSE)[-1]
        rest = self.wire.lines_until(lambda line: not line.strip(), seconds, f"{RESPONSE}: {first!r} has none")
        return "\n".join([first, *rest[:-1]]).rstrip()

    def succeed(self, command: str, seconds: float = 0.0) -> str:
        """Send a command that must succeed; return the text of the response."""
        self.wire.send(f"{command}\n".encode())
        answer = self.response(seconds or self._subject.timeout)
        if not answer.startswith("="):
            raise StepError(f"{answer!r} in answer to {command}", "= after a command that must succeed")
        return answer.removeprefix("=")
