"""The referee's side of makemove. It sends a command only after the answer to the one before."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from fiedler.protocol.client import START
from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import LocalProtocolError, RemoteProtocolError
from fiedler.protocol.events import ClientEvent, Malformed, Move, Offer, Ready, Refusal
from fiedler.protocol.limit import Limit
from fiedler.protocol.line_client import LineClient
from fiedler.protocol.makemove import words
from fiedler.protocol.mistake import Question
from fiedler.protocol.option import Option
from fiedler.protocol.words import MAX_LINE, excerpt

SETTINGS = (words.LOAD_MODEL, words.SET_TIME_PER_MOVE)
"""The commands that `configure` sends. Some players know only one of them and do not answer the other."""
QUESTIONS = {
    "": Question("its connection", words.OK),
    words.MAKE_MOVE: Question(words.MAKE_MOVE, f"{words.MOVE}:N", name=words.MOVE),
    **{name: Question(name, words.OK) for name in (words.GAME_RESET, words.APPLY_MOVE, *SETTINGS)},
}


@dataclass(frozen=True, slots=True)
class PendingCommand:
    """A command to send once all earlier ones are answered."""

    command: str
    """Its name; empty for the first OK, which no command asks for."""
    value: str | None = None
    then: ClientEvent | None = None
    """The event of the answer."""


class MakemoveClient(LineClient):
    """`fiedler.protocol.client.Client` for players that connect to us. Of limits only a time is set, by `configure`."""

    def __init__(self, coordinates: Coordinates, line_limit: int = MAX_LINE) -> None:
        super().__init__(line_limit)
        self._coordinates = coordinates
        self._moves: list[str] = []
        """The moves that the player knows."""
        self._pending: PendingCommand | None = PendingCommand("")
        """The step whose answer is due."""
        self._steps: deque[PendingCommand] = deque()
        self.mistake.ask(QUESTIONS[""])

    def greet(self) -> None:
        """Wait for the first OK; ends in Ready, after the offers of the settings that the dialect has."""
        for name in SETTINGS:
            self._events.append(Offer(Option(name, "string")))
        self.ping()

    def configure(self, name: str, value: str | None = None) -> None:
        """Send LOAD_MODEL or SET_TIME_PER_MOVE."""
        if name not in SETTINGS or value is None:
            super().configure(name, value)
        self._do(PendingCommand(name, value))

    def ping(self) -> None:
        """Answer Ready once everything before is answered."""
        if self._pending is None and not self._steps:
            self._events.append(Ready())
        else:
            self._steps.append(PendingCommand("", then=Ready()))

    def new_game(self) -> None:
        """Send GAME_RESET; ends in Ready."""
        self._moves = []
        self._do(PendingCommand(words.GAME_RESET, then=Ready()))

    def search(self, moves: Sequence[str], limit: Limit, start: str = START) -> None:  # noqa: ARG002
        """Send the moves that the player does not know, then MAKE_MOVE; ends in one Move, unless Eof comes first."""
        known = len(self._moves)
        if self.owes_move or self._quit:
            raise LocalProtocolError("expected the answer to the last search first")
        if start != START or [*moves[:known]] != self._moves:
            raise LocalProtocolError(f"expected a game from its start that begins with {self._moves}, got {[*moves]}")
        self.owes_move = True
        for at in range(known, len(moves)):
            self._do(PendingCommand(words.APPLY_MOVE, self._coordinates.write(moves[at], moves[:at])))
        self._moves = [*moves]
        self._do(PendingCommand(words.MAKE_MOVE))

    def stop(self) -> None:
        """Drop a MAKE_MOVE that has not been sent; otherwise do nothing: its answer is still pending."""
        if self.owes_move and self._steps:
            self._give_up()

    def quit(self) -> None:
        """Send EXIT."""
        if not self._quit:
            self._quit = True
            self._send(words.EXIT)

    def _do(self, step: PendingCommand) -> None:
        self._steps.append(step)
        self._next()

    def _next(self) -> None:
        """Send the next command, if the last one is answered."""
        while self._pending is None and self._steps:
            step = self._steps.popleft()
            if not step.command:  # a ping
                self._finish(step)
                continue
            self._pending = step
            self._send(step.command if step.value is None else f"{step.command}:{step.value}")
            self.mistake.ask(QUESTIONS[step.command])

    def _finish(self, step: PendingCommand) -> None:
        if step.then is not None:
            self._events.append(step.then)

    def _receive(self, line: str) -> None:
        answer, colon, value = line.strip().partition(":")
        if answer == words.ERROR and colon:
            self._receive_error(line, value)
        elif self._pending is None:
            self.mistake.keep_stray(line)
            self._events.append(Malformed(excerpt(line), "expected nothing before the next command"))
        elif self._pending.command == words.MAKE_MOVE and answer == words.MOVE and colon:
            self._receive_move(line, value)
        elif self._pending.command != words.MAKE_MOVE and line.strip() == words.OK:
            step, self._pending = self._pending, None
            self._finish(step)
            self._next()
        else:
            self._ignore(line, f"expected {QUESTIONS[self._pending.command].answer}")

    def _receive_move(self, line: str, value: str) -> None:
        self._pending, self.owes_move = None, False
        try:
            move = self._coordinates.read(words.read_byte(value), self._moves)
        except (RemoteProtocolError, ValueError) as error:
            self._ignore(line, str(error))
            self._events.append(Move(None))
        else:
            self._moves.append(move)
            self.mistake.move_line = line.strip()
            self._events.append(Move(move))
        self._next()

    def _receive_error(self, line: str, why: str) -> None:
        """Receive the refusal of the pending command, which ends a search."""
        self.mistake.keep(line)
        final = self._pending is not None and not self.owes_move
        self._events.append(Refusal(excerpt(why.strip()), final))
        if self.owes_move:
            self._pending = None
            self._give_up()

    def _ignore(self, line: str, why: str) -> None:
        self.mistake.keep(line)
        self._events.append(Malformed(excerpt(line), why))

    def _give_up(self) -> None:
        """End a search without a move."""
        self._steps.clear()
        self.owes_move = False
        self._events.append(Move(None))
