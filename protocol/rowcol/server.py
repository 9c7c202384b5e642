"""The engine's side of rowcol and rowcol-list."""

from collections.abc import Sequence

from fiedler.protocol.client import START
from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import HostError, RemoteProtocolError
from fiedler.protocol.events import Malformed
from fiedler.protocol.host import Host
from fiedler.protocol.limit import Limit
from fiedler.protocol.line_server import LineServer
from fiedler.protocol.lines import encoded
from fiedler.protocol.rowcol.cell import FIRST
from fiedler.protocol.rowcol.turn import Turn, TurnReader
from fiedler.protocol.words import MAX_LINE, quoted

ERROR = "error:"
"""The beginning of a refusal."""


def refusal(why: str) -> bytes:
    """Return the line of a refusal. Line breaks in the text become blanks."""
    return encoded(f"{ERROR} {' '.join(why.split())}")


class RowcolServer(LineServer):
    """`fiedler.protocol.server.Server` for one game, from its start to its end."""

    def __init__(
        self, host: Host, coordinates: Coordinates, *, with_list: bool = False, line_limit: int = MAX_LINE
    ) -> None:
        super().__init__(host, line_limit)
        self._coordinates = coordinates
        self._turns = TurnReader(with_list=with_list)
        self._before: Sequence[str] = ()
        """The moves before the turn that is searched."""

    def moved(self, move: str | None) -> None:
        """Send our move and play it; without one, take the opponent's move back."""
        self._searching = False
        if move is None:
            self._host.set_position(START, self._before)
            return
        self._send(self._coordinates.write(move, self._host.state.moves))
        self._host.play(move)
        self._end_if_over()

    def _handle(self, line: str) -> None:
        if self._searching:
            raise RemoteProtocolError(f"expected nothing before our move, got {quoted(line.strip())}")
        turn = self._turns.take(line)
        if turn is not None:
            self._before = self._host.state.moves
            self._take(turn)

    def _handle_malformed(self, line: Malformed) -> None:
        self._turns.drop()
        super()._handle_malformed(line)

    def _handle_end(self) -> None:
        super()._handle_end()
        if self._turns.is_begun:
            raise RemoteProtocolError("expected the rest of the turn, got the end of the stream")

    def _refuse(self, why: str) -> None:
        self._out.append(refusal(why))

    def _take(self, turn: Turn) -> None:
        if turn.cell != FIRST:
            self._play(turn.cell)
        elif self._before:
            raise RemoteProtocolError(f"expected the opponent's move, got {FIRST!r}, which only begins a game")
        try:
            self._compare(turn.legal)
        except RemoteProtocolError:
            self._host.set_position(START, self._before)
            raise
        self._end_if_over()
        if self.listening:
            self._searching = True
            self._host.search(Limit(), self)

    def _play(self, cell: str) -> None:
        try:
            self._host.play(self._coordinates.read(cell, self._before))
        except HostError:
            raise RemoteProtocolError(f"expected a legal move, got {cell!r}") from None

    def _compare(self, listed: Sequence[str] | None) -> None:
        """Refuse a list that differs from our rules: the manager plays another game."""
        if listed is None:
            return
        legal = self._coordinates.legal(self._host.state.moves)
        if len(listed) != len(legal):
            raise RemoteProtocolError(f"expected {len(legal)} legal moves, got {len(listed)}")
        for cell in legal:
            if cell not in listed:
                raise RemoteProtocolError(f"expected {cell!r} among the legal moves, got a list without it")

    def _end_if_over(self) -> None:
        """End the conversation with the game."""
        if self._host.state.result is not None:
            self.listening = False
