"""The manager's side of rowcol and rowcol-list."""

from collections.abc import Sequence

from fiedler.protocol.client import START
from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import LocalProtocolError, RemoteProtocolError
from fiedler.protocol.events import Malformed, Move, Ready, Refusal
from fiedler.protocol.limit import Limit
from fiedler.protocol.line_client import LineClient
from fiedler.protocol.mistake import Question
from fiedler.protocol.rowcol.cell import FIRST, read_answer
from fiedler.protocol.rowcol.server import ERROR
from fiedler.protocol.words import MAX_LINE, excerpt

TURN = Question("the opponent's move", "ROW COLUMN", name="move")


class RowcolClient(LineClient):
    """`fiedler.protocol.client.Client` for one game, from start to end. No limit is sent: the driver keeps time."""

    def __init__(self, coordinates: Coordinates, *, with_list: bool = False, line_limit: int = MAX_LINE) -> None:
        super().__init__(line_limit)
        self._coordinates = coordinates
        self._with_list = with_list
        self._moves: list[str] = []
        """The moves that the player knows."""
        self._began = False

    @property
    def takes_another_game(self) -> bool:
        """Whether the one game has not begun."""
        return not self._began

    def greet(self) -> None:
        """Answer Ready: the dialect has no greeting."""
        self.ping()

    def ping(self) -> None:
        """Answer Ready: the player cannot be asked."""
        self._events.append(Ready())

    def new_game(self) -> None:
        """Answer Ready before the one game."""
        if self._began:
            raise LocalProtocolError("expected one game in a conversation, got another")
        self.ping()

    def search(self, moves: Sequence[str], limit: Limit, start: str = START) -> None:  # noqa: ARG002
        """Send the last move, or the request for the first; ends in one Move, unless Eof comes first."""
        if self.owes_move or self._quit:
            raise LocalProtocolError("expected the answer to the last search first")
        if start != START or [*moves[:-1]] != self._moves or (self._began and not moves):
            raise LocalProtocolError(f"expected a game from its start, one move after the other, got {[*moves]}")
        self._send(self._coordinates.write(moves[-1], moves[:-1]) if moves else FIRST)
        if self._with_list:
            legal = self._coordinates.legal(moves)
            for line in (str(len(legal)), *legal):
                self._send(line)
        self._moves = [*moves]
        self._began = self.owes_move = True
        self.mistake.ask(TURN)

    def quit(self) -> None:
        """Send nothing: the end of the stream is the end of the conversation."""
        self._quit = True

    def _receive(self, line: str) -> None:
        if not self.owes_move:
            self.mistake.keep_stray(line)
            self._events.append(Malformed(excerpt(line), "expected nothing before the opponent's move"))
            return
        try:
            move = self._coordinates.read(read_answer(line), self._moves)
        except (RemoteProtocolError, ValueError) as error:
            self._fail(line, str(error))
        else:
            self._moves.append(move)
            self.mistake.move_line = line.strip()
            self._answer(move)

    def _receive_malformed(self, line: Malformed) -> None:
        super()._receive_malformed(line)
        if self.owes_move and not self._ended:
            self._answer(None)

    def _fail(self, line: str, why: str) -> None:
        """Receive a line that is not a move in place of one."""
        self.mistake.keep(line)
        if line.startswith(ERROR):
            self._events.append(Refusal(excerpt(line.removeprefix(ERROR).strip())))
        else:
            self._events.append(Malformed(excerpt(line), why))
        self._answer(None)

    def _answer(self, move: str | None) -> None:
        self.owes_move = False
        self._events.append(Move(move))
