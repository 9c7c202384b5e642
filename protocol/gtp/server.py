"""The engine's side of GTP."""

from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.events import Malformed
from fiedler.protocol.gtp.command import COMMENT, Command, is_interrupt, read_command
from fiedler.protocol.gtp.commands import COMMANDS, handler
from fiedler.protocol.gtp.session import Session
from fiedler.protocol.host import Host
from fiedler.protocol.words import MAX_LINE

NOTHING = Command("", "", ())


def is_command(line: str) -> bool:
    """Return whether a line can be the first of a GTP client. `quit` opens no dialect: UGI has it too."""
    if line.lstrip().startswith(COMMENT):
        return True
    try:
        command = read_command(line)
    except RemoteProtocolError:
        return False
    return command is not None and command.name in COMMANDS and command.name != "quit"


class GtpServer(Session):
    """`fiedler.protocol.server.Server`: one command at a time, in order; those that arrive during a search wait."""

    def __init__(self, host: Host, coordinates: Coordinates, line_limit: int = MAX_LINE) -> None:
        super().__init__(host, coordinates, line_limit)
        self._held = 0
        """Bytes since every line was handled."""

    @property
    def waiting(self) -> bool:
        """Whether a line, or the end of the stream, can be handled now."""
        return self._use is None and super().waiting

    @property
    def full(self) -> bool:
        """Whether the commands that wait for the end of a search fill the room for them."""
        return self._use is not None and self._held > MAX_LINE

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client, in any portions. An interrupt ends the search that runs at once."""
        known = len(self._lines.lines)
        self._held += len(data)
        super().receive_data(data)
        if self._use is not None and any(map(_interrupts, list(self._lines.lines)[known:])):
            self.host.stop()

    def handle_line(self) -> None:
        """Fulfil the command of the next line, or refuse it."""
        self._held = self._held if len(self._lines.lines) > 1 else 0
        if self.waiting:
            self.command = NOTHING
            super().handle_line()

    def heartbeat(self) -> None:
        """Send an empty line, which precedes the response: the end of a client that has gone shows in a write only."""
        if self._use is not None:
            self._out.append(b"\n")

    def _handle(self, line: str) -> None:
        command = read_command(line)
        if command is None:
            return
        self.command = command
        answer = handler(self)(self, command.arguments)
        if answer is not None:
            self.answer(answer)


def _interrupts(line: str | Malformed) -> bool:
    return isinstance(line, str) and is_interrupt(line)
