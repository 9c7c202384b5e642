"""The settings of a session: size, rule, time, options; and the game that they choose."""

from collections.abc import Sequence
from contextlib import suppress

from fiedler.protocol.client import START
from fiedler.protocol.errors import HostError, RemoteProtocolError
from fiedler.protocol.gomocup.move_time import MoveTime
from fiedler.protocol.gomocup.rules import RULES, SIZES, games_of, is_size
from fiedler.protocol.gomocup.words import read_number, read_size
from fiedler.protocol.host import Host
from fiedler.protocol.words import quoted

IGNORED = frozenset({"game_type", "evaluate", "folder"})
"""Keys that change nothing."""
MEMORY = "hash_mb"
"""The option that bounds the memory of a search, in MiB."""
ALIASES = {
    "thread_num": ("threads",),
    "max_node": ("nodes", "simulations", "evaluations"),  # a player has one of them
    "max_depth": ("depth",),
}
"""The words of Yixin and Rapfi for options of ours."""
SHARE_OF_MEMORY = 0.5
"""The part of `max_memory` for that option: the rest is for the program."""


class GomocupSettings:
    """START and INFO. An INFO has no answer: its error is that of the next move command."""

    def __init__(self, host: Host) -> None:
        self.time = MoveTime()
        self.searching = False
        """Whether a search runs."""
        self._host = host
        self._size: int | None = None
        self._rule: int | None = None
        """The value of `INFO rule`; None: not given."""
        self._options: dict[str, str] = {}
        """The options of the player that were set, with their values."""
        self._complaints: dict[str, str] = {}
        """The errors of INFO by their keys."""

    # --- games --------------------------------------------------------------------------------------------------------

    def set_size(self, text: str) -> None:
        """Take the size of START.

        Raises:
            RemoteProtocolError: No game has it, or not the game of this engine.
        """
        try:
            size = read_size(text)
        except RemoteProtocolError:
            size = 0
        if not is_size(size):
            raise RemoteProtocolError(f"only {SIZES}")
        if not self._possible(size, None):
            raise RemoteProtocolError(f"expected the board of {', '.join(self._host.games)}, got {size}")
        self._size = size

    def begin_game(self) -> None:
        """Begin another game of this size.

        Raises:
            RemoteProtocolError: There was no START.
        """
        size = self._known_size()
        self.time.start()
        if possible := self._possible(size, self._rule):
            self._change_game(possible, ())

    def settle(self) -> None:
        """Make sure that the host plays the game of size and rule, before a move.

        Raises:
            RemoteProtocolError: There is no such game, or an INFO was wrong.
            HostError: The player of the game cannot be made.
        """
        size = self._known_size()
        possible = self._possible(size, self._rule)
        if not possible:
            raise RemoteProtocolError(f"expected rule {self._rules(size)} on this board, got rule {self._rule}")
        self._change_game(possible, self._host.state.moves)
        if self._complaints:
            wrong = "; ".join(self._complaints.values())
            self._complaints.clear()
            raise RemoteProtocolError(wrong)

    def _known_size(self) -> int:
        if self._size is None:
            raise RemoteProtocolError("expected START first")
        return self._size

    def _possible(self, size: int, rule: int | None) -> list[str]:
        """Return the games of this engine by size and rule."""
        return [name for name in games_of(size, rule) if name in self._host.games]

    def _rules(self, size: int) -> str:
        """Return the rules of this engine on a board, for messages."""
        return " or ".join(str(rule) for rule in RULES if self._possible(size, rule))

    def _change_game(self, possible: list[str], moves: Sequence[str]) -> None:
        """Change the host's game, unless it is a possible one, and play these moves in it."""
        if self._host.game in (possible[:1] if self._rule is None else possible):
            return
        self._host.change_game(possible[0])
        for name, value in self._options.items():
            self._host.configure(name, value, lambda _: None)
        self._host.set_position(START, moves)

    # --- INFO ---------------------------------------------------------------------------------------------------------

    def set(self, text: str) -> None:
        """Take the key and the value of an INFO. Unknown keys are ignored."""
        key, _, value = text.strip().partition(" ")
        name = key.lower()
        self._complaints.pop(name, None)
        try:
            self._set(name, value.strip())
        except (RemoteProtocolError, HostError) as error:
            self._complain(key, str(error))

    def _complain(self, key: str, why: str) -> None:
        """Keep an error about an INFO for the next move; an empty text is none."""
        if why:
            self._complaints[key.lower()] = f"INFO {quoted(key)}: {why}"

    def _set(self, key: str, value: str) -> None:
        if key in IGNORED:
            return
        if key in ("timeout_turn", "timeout_match", "time_left"):
            self._set_time(key, read_number(value))
        elif key == "rule":
            self._rule = read_number(value)
        elif key == "max_memory":
            self._bound_memory(read_number(value))
        elif key in ALIASES:
            self._set_alias(ALIASES[key], read_number(value))
        else:
            self._set_option(key, value)

    def _set_time(self, key: str, milliseconds: int) -> None:
        if key == "timeout_turn":
            self.time.turn = milliseconds
        elif key == "timeout_match":
            self.time.match = max(0, milliseconds)
        else:
            self.time.set_left(milliseconds)
        if self.searching:
            self._host.change_limit(self.time.limit())

    def _set_option(self, key: str, value: str) -> None:
        for option in self._host.options:
            if option.name.lower() == key:
                self._host.configure(option.name, value, lambda why: self._complain(key, why))
                self._options[option.name] = value

    def _set_alias(self, names: Sequence[str], number: int) -> None:
        """Set the option of one of these names, as far as it goes: the words of other programs are bounds."""
        for option in self._host.options:
            if option.name in names:
                low, high = option.min or 0, number if option.max is None else option.max
                with suppress(HostError):  # the server has fewer threads, say
                    self._set_option(option.name, str(max(low, min(number, high))))

    def _bound_memory(self, size: int) -> None:
        """Reduce the memory of the player to a part of `size` bytes; 0 means no bound."""
        for option in self._host.options:
            if option.name == MEMORY and size > 0:
                share = max(option.min or 1, int(SHARE_OF_MEMORY * size) >> 20)
                if share < int(option.default or 0):
                    self._set_option(MEMORY, str(share))
