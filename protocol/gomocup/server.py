"""The engine's side of Gomocup."""

from collections.abc import Callable, Sequence

from fiedler.protocol.client import START
from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import HostError, RemoteProtocolError
from fiedler.protocol.events import Malformed
from fiedler.protocol.gomocup import words
from fiedler.protocol.gomocup.report import about, report
from fiedler.protocol.gomocup.settings import GomocupSettings
from fiedler.protocol.gomocup.stones import StoneReader, without
from fiedler.protocol.gomocup.swap2 import FIRST_STONES, STONES, is_worth_keeping
from fiedler.protocol.host import Host
from fiedler.protocol.info import Info
from fiedler.protocol.line_server import LineServer
from fiedler.protocol.lines import encoded
from fiedler.protocol.words import MAX_LINE, excerpt, quoted


def refusal(why: str) -> bytes:
    """Return the line of a refusal. Line breaks in the text become blanks."""
    return encoded(f"{words.ERROR} {' '.join(why.split())}")


class GomocupServer(LineServer):
    """`fiedler.protocol.server.Server`: one command at a time. A search takes END, and INFO up to another command."""

    def __init__(self, host: Host, coordinates: Coordinates, line_limit: int = MAX_LINE) -> None:
        super().__init__(host, line_limit)
        self._coordinates = coordinates
        self._settings = GomocupSettings(host)
        self._reader: StoneReader | None = None
        """The stones of a BOARD or a SWAP2BOARD that has begun."""
        self._before: Sequence[str] = ()
        """The moves before the command that is answered."""
        self._use: Callable[[str], None] | None = None
        """The use of the move of the search that runs."""
        self._info: Info | None = None
        """The last findings of that search."""
        self._error = ""
        """The failure of that search."""
        self._held = 0
        """Bytes since every line was handled."""
        self._commands: dict[str, Callable[[str], None]] = {
            "START": self._start,
            "RECTSTART": self._start,  # of a square; other boards are refused
            "RESTART": lambda _: self._begin_game(),
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": lambda _: self._read_stones(with_sides=True),
            "SWAP2BOARD": lambda _: self._read_stones(with_sides=False),
            "PLAY": self._play,
            "TAKEBACK": self._take_back,
            "INFO": self._settings.set,
            "ABOUT": lambda _: self._send(about(host)),
            "END": lambda _: self._end(),
        }

    # --- the conversation ---------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> bool:
        """Whether a line, or the end of the stream, can be handled now."""
        return super().waiting and (self._use is None or self._is_information)

    @property
    def full(self) -> bool:
        """Whether the commands that wait for the end of a search fill the room for them."""
        return self._use is not None and self._held > MAX_LINE

    @property
    def _is_information(self) -> bool:
        """Whether the next line is an INFO, or blank, which does not wait for the end of a search."""
        lines = self._lines.lines
        return bool(lines) and isinstance(lines[0], str) and _word(lines[0]) in ("INFO", "")

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client, in any portions. An END ends the search that runs at once."""
        self._held += len(data)
        super().receive_data(data)
        self._end_search()

    def handle_line(self) -> None:
        """Fulfil the command of the next line, or refuse it."""
        self._held = self._held if len(self._lines.lines) > 1 else 0
        if self.waiting:
            super().handle_line()

    def heartbeat(self) -> None:
        """Send an empty line, which means nothing: the end of a client that has gone shows in a write only."""
        if self._use is not None:
            self._out.append(b"\n")

    def _handle(self, line: str) -> None:
        word, text = _word(line), line.strip().partition(" ")[2]
        if self._reader is not None:
            self._read_stone(self._reader, line, word)
            if self._reader is not None or word not in self._commands:
                return
        if word in self._commands:
            self._commands[word](text)
        else:
            self._send(f"{words.UNKNOWN} command {quoted(line.strip())}")

    def _handle_malformed(self, line: Malformed) -> None:
        if self._reader is not None:
            self._reader.wrong = self._reader.wrong or line.why
        else:
            super()._handle_malformed(line)

    def _refuse(self, why: str) -> None:
        self._out.append(refusal(why))

    def _end_search(self) -> None:
        """End the conversation if END waits behind the search that runs."""
        if self._use is not None and any(map(_ends, self._lines.lines)):
            self._end()

    def _end(self) -> None:
        """End the conversation; the search that runs gives no answer."""
        self.listening = False
        self._host.stop()

    # --- games --------------------------------------------------------------------------------------------------------

    def _start(self, text: str) -> None:
        self._settings.set_size(text)
        self._begin_game()

    def _begin_game(self) -> None:
        """Begin another game of this size; `OK` comes once the player has forgotten the last one and is ready."""
        self._settings.begin_game()
        self._host.new_game(self._forgotten)

    def _forgotten(self, why: str) -> None:
        if why:
            self._refuse(why)
        else:
            self._host.prepare(lambda why: self._refuse(why) if why else self._send(words.OK))

    # --- moves --------------------------------------------------------------------------------------------------------

    def _begin(self, _: str) -> None:
        self._settings.settle()
        if self._host.state.moves:
            raise RemoteProtocolError(f"expected an empty board, got {len(self._host.state.moves)} stones")
        self._think()

    def _turn(self, text: str) -> None:
        self._settings.settle()
        self._put(self._move(words.read_point(text)))
        self._think()

    def _play(self, text: str) -> None:
        self._settings.settle()
        self._put(self._move(point := words.read_point(text)))
        self._send(point)

    def _take_back(self, text: str) -> None:
        self._settings.settle()
        points = [self._point(move) for move in self._host.state.moves]
        self._place([self._move(point) for point in without(points, words.read_point(text))])
        self._send(words.OK)

    def _put(self, move: str) -> None:
        """Play a move on the board."""
        try:
            self._host.play(move)
        except HostError:
            raise RemoteProtocolError(f"expected a legal move, got {self._point(move)}") from None

    def _place(self, moves: Sequence[str]) -> None:
        """Set the position after these moves."""
        try:
            self._host.set_position(START, moves)
        except HostError:
            raise RemoteProtocolError("expected stones of a game, got an illegal move") from None

    def _move(self, point: str) -> str:
        """Return the move to a point."""
        try:
            return self._coordinates.read(point, self._host.state.moves)
        except ValueError as error:
            raise RemoteProtocolError(str(error)) from None

    def _point(self, move: str) -> str:
        return self._coordinates.write(move, self._host.state.moves)

    # --- boards -------------------------------------------------------------------------------------------------------

    def _read_stones(self, *, with_sides: bool) -> None:
        self._reader = StoneReader(with_sides=with_sides)

    def _read_stone(self, reader: StoneReader, line: str, word: str) -> None:
        """Take a line of a board. A command in place of DONE drops the board."""
        if word == words.DONE:
            self._reader = None
            self._settings.settle()
            moves = [self._move(point) for point in reader.moves()]
            self._set_up(moves, swap2=not reader.with_sides)
        elif word in self._commands:
            self._reader = None
            if word != "END":
                self._refuse(f"expected {words.DONE}, got {quoted(line.strip())}")
        else:
            reader.take(line)

    def _set_up(self, moves: Sequence[str], *, swap2: bool) -> None:
        if swap2 and len(moves) not in STONES:
            raise RemoteProtocolError(f"expected 0, 3 or 5 stones, got {len(moves)}")
        self._before = self._host.state.moves
        self._place(moves)
        if swap2 and not moves:
            self._send(" ".join(map(self._point, map(self._move, FIRST_STONES[self._coordinates.size]))))
        else:
            self._search(self._choose_side if swap2 else self._answer)

    def _choose_side(self, move: str) -> None:
        """Answer with a stone for White, or take Black."""
        if is_worth_keeping(self._info):
            self._answer(move)
        else:
            self._send(words.SWAP)

    # --- searches -----------------------------------------------------------------------------------------------------

    def _think(self) -> None:
        """Search the position after the last stone, and play the move."""
        moves = self._host.state.moves
        self._before = moves[:-1]
        self._search(self._answer)

    def _search(self, use: Callable[[str], None]) -> None:
        if self._host.state.result is not None:
            self._host.set_position(START, self._before)
            raise RemoteProtocolError("the game is over")
        self._use, self._error, self._info = use, "", None
        self._settings.searching = True
        self._host.search(self._settings.time.limit(), self)
        self._end_search()

    def found(self, info: Info) -> None:
        """Keep the findings of the search."""
        self._info = info

    def failed(self, why: str) -> None:
        """Keep the failure of the search."""
        self._error = why

    def moved(self, move: str | None) -> None:
        """Answer the command that asked for a search; after a failure its stones are taken back."""
        use, self._use = self._use, None
        self._settings.searching = False
        if not self.listening:
            return
        self._settings.time.spend((self._info and self._info.time_ms) or 0)
        if move is None or use is None:
            self._host.set_position(START, self._before)
            self._refuse(self._error or "the search found no move")
            return
        if self._info is not None and (self._info.nodes or 0) > 1:
            self._send(excerpt(report(self._info, self._point), MAX_LINE // 4))
        use(move)

    def _answer(self, move: str) -> None:
        """Play our move and send it."""
        point = self._point(move)
        self._host.play(move)
        self._send(point)


def _word(line: str) -> str:
    return line.strip().partition(" ")[0].upper()


def _ends(line: str | Malformed) -> bool:
    return isinstance(line, str) and _word(line) == "END"
