"""The player's side of makemove: it connects, then fulfils the commands of the referee."""

from collections.abc import Callable

from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import HostError, RemoteProtocolError
from fiedler.protocol.host import Host
from fiedler.protocol.limit import Limit
from fiedler.protocol.line_server import LineServer
from fiedler.protocol.lines import encoded
from fiedler.protocol.makemove import words
from fiedler.protocol.words import MAX_LINE, quoted


def refusal(why: str) -> bytes:
    """Return the line of a refusal. Line breaks in the text become blanks."""
    return encoded(f"{words.ERROR}:{' '.join(why.split())}")


class MakemoveServer(LineServer):
    """`fiedler.protocol.server.Server` that begins the conversation itself."""

    def __init__(self, host: Host, coordinates: Coordinates, line_limit: int = MAX_LINE) -> None:
        super().__init__(host, line_limit)
        self._coordinates = coordinates
        self._limit = Limit()
        self._send(words.OK)

    def moved(self, move: str | None) -> None:
        """Send our move and play it; after a failure nothing has changed."""
        self._searching = False
        if move is not None:
            self._send(f"{words.MOVE}:{self._coordinates.write(move, self._host.state.moves)}")
            self._host.play(move)

    def _handle(self, line: str) -> None:
        if self._searching:
            raise RemoteProtocolError(f"expected nothing before our move, got {quoted(line.strip())}")
        command, colon, value = line.partition(":")
        if colon and command in self._with_value:
            self._with_value[command](value)
            self._send(words.OK)
        elif not colon and command.strip() in self._alone:
            self._alone[command.strip()]()
        else:
            known = ", ".join([*self._alone, *(f"{name}:…" for name in self._with_value)])
            raise RemoteProtocolError(f"expected one of {known}; got {quoted(line.strip())}")

    def _refuse(self, why: str) -> None:
        self._out.append(refusal(why))

    @property
    def _alone(self) -> dict[str, Callable[[], None]]:
        return {words.GAME_RESET: self._reset, words.MAKE_MOVE: self._make_move, words.EXIT: self._exit}

    @property
    def _with_value(self) -> dict[str, Callable[[str], None]]:
        return {
            words.APPLY_MOVE: self._apply,
            words.SET_TIME_PER_MOVE: self._set_time,
            words.LOAD_MODEL: self._load_model,
        }

    def _reset(self) -> None:
        self._host.new_game(lambda why: self._refuse(why) if why else self._send(words.OK))

    def _make_move(self) -> None:
        if self._host.state.result is not None:
            raise RemoteProtocolError(f"expected {words.GAME_RESET}: the game is over")
        self._searching = True
        self._host.search(self._limit, self)

    def _exit(self) -> None:
        self._send(words.OK)
        self.listening = False

    def _apply(self, value: str) -> None:
        byte = words.read_byte(value)
        try:
            self._host.play(self._coordinates.read(byte, self._host.state.moves))
        except (HostError, ValueError):
            raise RemoteProtocolError(f"expected a legal move, got {quoted(value)}") from None

    def _set_time(self, value: str) -> None:
        self._limit = Limit(movetime_ms=words.read_seconds(value))

    def _load_model(self, value: str) -> None:
        """Accept the model of the start, by its path or its name; a referee cannot name another file."""
        model = self._host.model
        if not model:
            raise RemoteProtocolError(f"expected no {words.LOAD_MODEL}: this player has no model")
        name = model.rpartition("/")[2]
        if value not in {model, name}:
            raise RemoteProtocolError(f"expected the model of the start, {quoted(name)}, got {quoted(value)}")
