"""The state of a GTP session behind its commands: game, clocks, search."""

from collections.abc import Callable

from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.gtp.command import Command
from fiedler.protocol.gtp.game import HostGame
from fiedler.protocol.gtp.response import failure, response
from fiedler.protocol.gtp.timing import Timing
from fiedler.protocol.host import Host
from fiedler.protocol.info import Info
from fiedler.protocol.line_server import LineServer


class Session(LineServer):
    """The part of a server that its commands use: every command gets exactly one answer, at once or later."""

    def __init__(self, host: Host, coordinates: Coordinates, line_limit: int) -> None:
        super().__init__(host, line_limit)
        self.host = host
        self.game = HostGame(host, coordinates)
        self.timing = Timing()
        self.is_fresh = True
        """Whether the player has not searched since its last new game."""
        self.info: Info | None = None
        """The last findings of the last search."""
        self.searched: tuple[str, ...] = ()
        """The moves up to the position of the last search."""
        self.command = Command("", "", ())
        """The command whose answer is pending."""
        self._use: Callable[[str], None] | None = None
        """The use of the move of the search that runs."""
        self._has_passed = False
        """Whether the other side passed for that search."""
        self._error = ""
        """The failure of that search."""

    def answer(self, text: str = "") -> None:
        """Send the answer of the command."""
        self._out.append(response(text, self.command.id))

    def _refuse(self, why: str) -> None:
        """Send the error of the command."""
        self._out.append(failure(why, self.command.id))

    def done(self, why: str) -> None:
        """Answer a command that took the player time; `why` is an error or empty."""
        if why:
            self._refuse(why)
        else:
            self.answer()

    def search(self, side: int, use: Callable[[str], None], *, has_passed: bool) -> None:
        """Search the position; the answer is the point of the move, after its use.

        If the other side `has_passed` for it, a search without a move takes that back.
        """
        self._use, self._has_passed, self._error, self.info = use, has_passed, "", None
        self.searched = self.game.state.moves
        self.is_fresh = False
        self.host.search(self.timing.limit(side), self)

    def found(self, info: Info) -> None:
        """Keep the findings of the search."""
        self.info = info

    def failed(self, why: str) -> None:
        """Keep the failure of the search."""
        self._error = why

    def remarked(self, why: str) -> None:
        """Drop a remark: a response is the answer to its command alone."""

    def moved(self, move: str | None) -> None:
        """Answer the command that asked for a search."""
        use, self._use = self._use, None
        self.timing.spend(self.game.side_to_move, (self.info and self.info.time_ms) or 0)
        if move is None or use is None:
            if self._has_passed:
                self.game.undo()
            self._refuse(self._error or "the search found no move")
            return
        point = self.game.point(move)
        use(move)
        self.answer(point)
