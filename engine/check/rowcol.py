"""rowcol and rowcol-list in bare lines."""

from __future__ import annotations

from collections.abc import Sequence

from fiedler.engine.check import positions, spelling
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.talk import QUIET_SECONDS, Talk
from fiedler.protocol import RemoteProtocolError
from fiedler.protocol.rowcol.cell import read_answer

FIRST = "-1 -1"
ERROR = "error:"


class RowcolTalk(Talk):
    """Bad input is refused by an error line, or ignored."""

    farewell = b""
    with_list = False

    def greet(self) -> None:
        """Do nothing: the dialect has no greeting."""

    def set_up(self, moves: Sequence[str]) -> None:  # noqa: ARG002 - a game begins at its start
        """Let the engine begin the game."""
        self.wire.send(self._turn(FIRST))
        self.moves.append(self.read_move())

    def provoke(self, data: bytes) -> str:
        """Send bad input; wait a moment for a refusal."""
        self.wire.send(data)
        for line in (lines := self.answers_within(QUIET_SECONDS)):
            if not line.startswith(ERROR):
                raise StepError(f"{line!r} in answer to {spelling.shown(data)}")
        return repr(lines[0]) if lines else "ignored"

    def request(self) -> bytes:
        """Return a random move of the opponent."""
        move = self._rng.choice(positions.legal(self._subject.game.position(moves=self.moves)))
        name = self._subject.coordinates.write(move, self.moves)
        self.moves.append(move)
        return self._turn(name)

    def is_answer(self, line: str) -> bool:
        """Return whether a line has a word: every one answers."""
        return bool(line.strip())

    def read_move(self) -> str:
        """Return the move of a row and a column."""
        line = ERROR
        while line.startswith(ERROR):
            line = self.wire.lines_until(self.is_answer, self._subject.startup, "ROW COLUMN")[-1]
        try:
            return self._subject.coordinates.read(read_answer(line), self.moves)
        except (RemoteProtocolError, ValueError):
            raise StepError(f"then {line!r}", spelling.expected(self._subject, self.moves)) from None

    @property
    def wrong_place(self) -> bytes:
        """A cell that the board does not have."""
        return b"9 9\n"

    def _turn(self, name: str) -> bytes:
        lines = [name]
        if self.with_list:
            legal = self._subject.coordinates.legal(self.moves)
            lines += [str(len(legal)), *legal]
        return "".join(f"{line}\n" for line in lines).encode()


class RowcolListTalk(RowcolTalk):
    """The same with the list of legal moves."""

    with_list = True
