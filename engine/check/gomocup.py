"""Gomocup in bare lines."""

from __future__ import annotations

import time
from collections.abc import Sequence

from fiedler.engine.check import positions, spelling
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.talk import Talk
from fiedler.protocol import RemoteProtocolError
from fiedler.protocol.gomocup import GomocupClient
from fiedler.protocol.gomocup.rules import rule_of
from fiedler.protocol.gomocup.words import read_point

MOVETIME_MS = 200
REFUSALS = ("ERROR", "UNKNOWN")
OK = "OK"
FEW = 4
"""Stones that are set up."""


class GomocupTalk(Talk):
    """Bad input is refused by ERROR or UNKNOWN. Every position ends with a move of the engine."""

    unknown = b"XYZZY\r\n"
    binary = b"\xff\xfe\x80XYZZY\xf0\r\n"
    farewell = b"END\r\n"

    def greet(self) -> None:
        """Begin a game, and send its rule and the time of a move."""
        subject = self._subject
        self._say(f"START {subject.coordinates.size}")
        if not subject.leaves_start_unanswered:
            self._answer(subject.startup, f"{OK} after START", (OK, *REFUSALS))
        self._say(f"INFO rule {rule_of(subject.game.id)}", f"INFO timeout_turn {MOVETIME_MS}")

    def position(self) -> list[str]:
        """Return a few moves: the game must run after the engine's, and after another of the opponent."""
        return positions.random_game(self._subject.game, 1)[:FEW]

    def set_up(self, moves: Sequence[str]) -> None:
        """Send the stones, the last one the opponent's, and let the engine move."""
        self.moves = [*moves]
        points = [self._subject.coordinates.write(move, moves[:at]) for at, move in enumerate(moves)]
        sides = [1 if (len(moves) - at) % 2 == 0 else 2 for at in range(len(moves))]
        self._say("BOARD", *(f"{point},{side}" for point, side in zip(points, sides, strict=True)), "DONE")
        self.moves.append(self.read_move())

    def provoke(self, data: bytes) -> str:
        """Send bad input."""
        self._pause()
        self.wire.send(data)
        asked = f"in answer to {spelling.shown(data)}"
        answer = self._answer(self._subject.timeout, f"ERROR or UNKNOWN {asked}", (OK, *REFUSALS))
        if not answer.upper().startswith(REFUSALS):
            raise StepError(f"{answer!r} {asked}")
        return repr(answer)

    def request(self) -> bytes:
        """Return a random move of the opponent."""
        self._pause()
        move = self._rng.choice(positions.legal(self._subject.game.position(moves=self.moves)))
        point = self._subject.coordinates.write(move, self.moves)
        self.moves.append(move)
        return f"TURN {point}\r\n".encode()

    def is_answer(self, line: str) -> bool:
        """Return whether a line is a point, or begins with OK or a refusal."""
        return _is_answer(line, (OK, *REFUSALS))

    def read_move(self) -> str:
        """Return the move of a point."""
        answer = self._answer(self._subject.timeout, "X,Y", REFUSALS)
        try:
            return self._subject.coordinates.read(read_point(answer), self.moves)
        except (RemoteProtocolError, ValueError):
            raise StepError(f"then {answer!r}", spelling.expected(self._subject, self.moves)) from None

    @property
    def wrong_place(self) -> bytes:
        """A point that no board has."""
        return b"TURN 99,99\r\n"

    def _say(self, *lines: str) -> None:
        self._pause()
        self.wire.send("".join(f"{line}\r\n" for line in lines).encode())

    def _answer(self, seconds: float, expected: str, words: Sequence[str]) -> str:
        """Return the next line that is a point or begins with one of `words`; others answer nothing."""
        return self.wire.lines_until(lambda line: _is_answer(line, words), seconds, expected)[-1].strip()

    def _pause(self) -> None:
        time.sleep(GomocupClient.pause_s)


def _is_answer(line: str, words: Sequence[str]) -> bool:
    return line.strip()[:1].isdigit() or (line.split() or [""])[0].upper() in words
