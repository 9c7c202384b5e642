"""The manager's side of GTP."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from fiedler.protocol.client import START
from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import LocalProtocolError
from fiedler.protocol.events import RESIGN, FinalScore, Identity, Malformed, Move, Offer, Ready, Refusal, Start
from fiedler.protocol.gtp.command import (
    GO,
    HANDICAPS,
    INTERRUPT,
    LETTERS,
    OF_GO,
    PASS,
    SET_RULE,
    letter_hint,
    refusal_hint,
)
from fiedler.protocol.gtp.commands import COMMANDS
from fiedler.protocol.gtp.response import FAILURE, SUCCESS
from fiedler.protocol.limit import Limit
from fiedler.protocol.line_client import LineClient
from fiedler.protocol.mistake import Question
from fiedler.protocol.option import Option
from fiedler.protocol.words import MAX_LINE, excerpt, one_word

MAX_LINES = 2000
"""Most lines of one response."""
_HEAD = re.compile(r"([=?])(\d*)(.*)", re.DOTALL)
_ERROR = re.compile(r"\s*+(info string )?(error|unknown)\b", re.IGNORECASE)
"""An error in the form of another protocol."""
_STANDARD = frozenset(COMMANDS) | HANDICAPS | {"cputime"}
_OPTION = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
"""The form of a command that may be an option: extensions of other programs have a hyphen."""

GENMOVE = Question("genmove", "= VERTEX", name="move")

OnAnswer = Callable[["GtpClient", bool, list[str]], None]
"""Receives whether a command succeeded, and the lines of its response."""


@dataclass(frozen=True, slots=True)
class _Request:
    """A command without its response."""

    line: str
    answer: OnAnswer


@cache
def _question(command: str) -> Question:
    return Question(command, "=", name="answer")


class GtpClient(LineClient):
    """`fiedler.protocol.client.Client` in GTP. Stones are sent one by one, behind each other and `genmove`."""

    def __init__(self, coordinates: Coordinates, line_limit: int = MAX_LINE) -> None:
        super().__init__(line_limit)
        self._coordinates = coordinates
        self._requests: deque[_Request] = deque()
        self._response: list[str] | None = None
        """The lines so far of a response that has begun."""
        self._known: frozenset[str] = frozenset()
        """The player's commands."""
        self._start = START
        """The start of the player's game."""
        self._board: list[str] = []
        """The moves on the player's board."""
        self._limit: Limit | None = None
        """The limit that the player knows."""
        self._knows_clock = False
        """Whether the player knows the clocks of this game."""
        self._speaks_gtp = False
        """Whether a response has come."""
        self._errors = 0
        """Errors in the form of other protocols."""
        self._refused = False
        """Whether the player refused to set up the position of the search, or the chosen rules of the game."""

    @property
    def commands(self) -> frozenset[str]:
        """The commands of the player, once it has been greeted."""
        return self._known

    # --- requests -----------------------------------------------------------------------------------------------------

    def greet(self) -> None:
        """Send `name`, `list_commands` and `boardsize`; ends in Ready."""
        self._ask("name", GtpClient._read_name)
        self._ask("list_commands", GtpClient._read_commands)
        self._ask(f"boardsize {self._coordinates.size}", GtpClient._read_ready)

    def configure(self, name: str, value: str | None = None) -> None:
        """Send the option as a command."""
        line = one_word(name, "option name") if value is None else f"{one_word(name, 'option name')} {value}"
        self._ask(line, GtpClient._read_nothing)

    def ping(self) -> None:
        """Send `protocol_version`; ends in Ready."""
        self._ask("protocol_version", GtpClient._read_pong)

    def ask_start(self) -> None:
        """Send `fiedler-position` to an engine of ours; ends in one Start."""
        if "fiedler-position" in self._known:
            self._ask("fiedler-position", GtpClient._read_start)
        else:
            self._events.append(Start(None))

    def ask_score(self, moves: Sequence[str]) -> None:
        """Send the last moves and `final_score` to a program that lists the command; ends in one FinalScore."""
        if "final_score" in self._known and not self.owes_move:
            self._send_moves(moves)
            self._ask("final_score", GtpClient._read_score)
        else:
            self._events.append(FinalScore(None))

    def new_game(self) -> None:
        """Send `clear_board`, after the rules of Go; ends in Ready, or in a Refusal of chosen rules."""
        self._limit, self._knows_clock, self._refused = None, False, False
        self._begin_at(self._coordinates.start, GtpClient._read_ready)

    def search(self, moves: Sequence[str], limit: Limit, start: str = START) -> None:
        """Send the new moves, the time, and `genmove`; ends in one Move, unless Eof comes first.

        A start with another komi is a new board. Nodes and depth have no words: a player with such a limit keeps its
        own.
        """
        if not self._coordinates.is_bare(start):
            raise LocalProtocolError(f"GTP cannot express a start other than {START}, got {start}")
        if self.owes_move:
            raise LocalProtocolError("expected the answer to the last search first")
        if start != self._start:
            self._begin_at(start, GtpClient._read_setup)
        self._send_moves(moves)
        self._refused = False
        side = len(moves) % 2
        self._send_limit(limit, side)
        self._ask(f"genmove {LETTERS[side]}", GtpClient._read_move)
        self.owes_move = True

    def stop(self) -> None:
        """Send the interrupt that the programs of GoGui know; to others nothing, and the Move stays due."""
        if self.owes_move and "gogui-interrupt" in self._known:
            self._out.append(f"{INTERRUPT}\n".encode())

    def quit(self) -> None:
        """Send `quit`; further output is dropped."""
        if not self._quit:
            self._out.append(b"quit\n")
            self._quit = True

    def _ask(self, line: str, answer: OnAnswer) -> None:
        if self._quit:
            raise LocalProtocolError(f"expected no request after the end, got {line}")
        self._send(line)
        self._requests.append(_Request(line, answer))
        self.mistake.ask(GENMOVE if answer is GtpClient._read_move else _question(line.split(maxsplit=1)[0]))

    def _begin_at(self, start: str, answer: OnAnswer) -> None:
        """Send the rules of Go, and clear the board."""
        self._start, self._board = start, []
        if (komi := self._coordinates.komi(start)) is not None:
            names, suicide = self._coordinates, self._coordinates.suicide(start)
            self._set_rule(f"komi {komi:g}", is_chosen=komi != names.komi(START))
            self._set_rule(f"{SET_RULE} suicide {str(suicide).lower()}", is_chosen=suicide != names.suicide(START))
        self._ask("clear_board", answer)

    def _set_rule(self, line: str, *, is_chosen: bool) -> None:
        """Send a rule of Go. A program may refuse one that nobody has chosen: it may play by this rule alone."""
        self._ask_if_known(line, GtpClient._read_setup if is_chosen else GtpClient._read_nothing)

    def _send_moves(self, moves: Sequence[str]) -> None:
        """Send the moves that the player does not know; a board that is not a part of the game is cleared."""
        if [*moves[: len(self._board)]] != self._board:
            self._ask("clear_board", GtpClient._read_setup)
            self._board = []
        for at in range(len(self._board), len(moves)):
            point = self._coordinates.write(moves[at], moves[:at])
            # programs for Othello pass by themselves where they must, and refuse the word
            answer = GtpClient._read_nothing if point == PASS else GtpClient._read_setup
            self._ask(f"play {LETTERS[at % 2]} {point}", answer)
        self._board = [*moves]

    def _send_limit(self, limit: Limit, side: int) -> None:
        """Send the time in whole seconds; nothing below one, and nothing to a player that has no such command."""
        is_new, self._limit = limit != self._limit, limit
        clock = (limit.p1time_ms, limit.p2time_ms)[side]
        if clock is not None:
            self._send_clock(clock // 1000, side, is_first=not self._knows_clock)
        elif is_new and (seconds := (limit.movetime_ms or 0) // 1000):
            self._ask_if_known(f"time_settings 0 {seconds} 1")

    def _send_clock(self, seconds: int, side: int, *, is_first: bool) -> None:
        self._knows_clock = True
        if is_first and seconds:
            self._ask_if_known(f"time_settings {seconds} 0 0")
        self._ask_if_known(f"time_left {LETTERS[side]} {seconds} 0")

    def _ask_if_known(self, line: str, answer: OnAnswer | None = None) -> None:
        if line.split(maxsplit=1)[0] in self._known:
            self._ask(line, answer or GtpClient._read_nothing)

    # --- answers ------------------------------------------------------------------------------------------------------

    def _skips(self, line: str) -> bool:
        """Return whether a line has no meaning: a blank one outside a response, which it would end."""
        return self._response is None and not line.strip()

    def _receive(self, line: str) -> None:
        if self._response is None:
            self._begin(line)
        else:
            self._continue(line)

    def _begin(self, line: str) -> None:
        """Take the first line of a response."""
        if not line.startswith((SUCCESS, FAILURE)):
            self._receive_malformed(Malformed(excerpt(line), "expected a response that begins with = or ?"))
            self._receive_error(line)
        elif not self._requests:
            self.mistake.keep_stray(line)
            self._events.append(Malformed(excerpt(line), "expected no response: no command is open"))
        else:
            self._response = [line]
            self._speaks_gtp = True
            self.mistake.unended = line

    def _receive_error(self, line: str) -> None:
        """Take a line outside a response. As many errors as commands, and no response: that program speaks no GTP."""
        self._errors += _ERROR.match(line) is not None
        if not self._speaks_gtp and self._requests and self._errors >= len(self._requests):
            self._requests.clear()
            self._events.append(Refusal(excerpt(line.strip()), final=True))

    def _continue(self, line: str) -> None:
        """Take a further line of a response; an empty one ends it."""
        assert self._response is not None
        if line.strip() and len(self._response) < MAX_LINES:
            self._response.append(line)
            return
        lines, self._response = self._response, None
        self.mistake.unended = lines[0] if any(one.startswith((SUCCESS, FAILURE)) for one in lines[1:]) else ""
        head = _HEAD.fullmatch(lines[0])
        assert head is not None
        request = self._requests.popleft()
        succeeded = head[1] == SUCCESS
        lines[0] = head[3].strip()
        if not succeeded:
            self._keep_failure(request, f"{FAILURE} {lines[0]}".strip())
            final = request.answer is GtpClient._read_ready
            self._events.append(Refusal(excerpt(f"{request.line}: {lines[0]}"), final))
        request.answer(self, succeeded, lines)

    def _keep_failure(self, request: _Request, line: str) -> None:
        """Keep a failure: that of a stone or a board is the cause of a wrong move, not the answer to `genmove`."""
        if request.answer is GtpClient._read_setup:
            self.mistake.keep_refusal(request.line, line)
            hint = refusal_hint(request.line.rpartition(" ")[2], self._coordinates)
            self.mistake.hint = self.mistake.hint or hint
        else:
            self._keep(line)

    def _keep(self, line: str) -> None:
        self.mistake.keep(line.strip())

    def _read_nothing(self, _succeeded: bool, _lines: list[str]) -> None:
        """Take the response of a command whose answer means nothing."""

    def _read_setup(self, succeeded: bool, _lines: list[str]) -> None:
        self._refused = self._refused or not succeeded

    def _read_name(self, succeeded: bool, lines: list[str]) -> None:
        if succeeded and lines[0]:
            self._events.append(Identity("name", excerpt(" ".join(lines[0].split()))))

    def _read_commands(self, succeeded: bool, lines: list[str]) -> None:
        if not succeeded:
            return
        names = [line.strip() for line in lines if line.strip()]
        self._known = frozenset(names)
        self.family = GO if self._known & OF_GO else ""
        for name in names:
            if name not in _STANDARD and _OPTION.fullmatch(name):
                self._events.append(Offer(Option(name, "string")))

    def _read_ready(self, succeeded: bool, _lines: list[str]) -> None:
        if succeeded and self._refused:
            self._events.append(Refusal("the rules of the game", final=True))
        elif succeeded:
            self._events.append(Ready())

    def _read_pong(self, _succeeded: bool, _lines: list[str]) -> None:
        """Take any answer: a program need not know the command."""
        self._events.append(Ready())

    def _read_start(self, succeeded: bool, lines: list[str]) -> None:
        self._events.append(Start(lines[0] if succeeded else None))

    def _read_score(self, succeeded: bool, lines: list[str]) -> None:
        self._events.append(FinalScore(excerpt(lines[0]) if succeeded else None))

    def _read_move(self, succeeded: bool, lines: list[str]) -> None:
        """Take the answer to `genmove`: a vertex, `resign`, or no move."""
        self.owes_move = False
        name = lines[0].upper() if succeeded and not self._refused else ""
        if name.lower() == RESIGN:
            self._events.append(Move(RESIGN))
            return
        move = None
        if succeeded and not lines[0]:
            self._keep(f"{SUCCESS} {lines[0]}")
        try:
            move = self._coordinates.read(name, self._board) if name else None
        except ValueError as error:
            self._keep(f"{SUCCESS} {lines[0]}")
            self.mistake.hint = letter_hint(name, self._coordinates)
            self._events.append(Malformed(excerpt(lines[0]), f"{error}{self.mistake.hint}"))
        if move is not None:
            self._board.append(move)
            self.mistake.move_line = f"{SUCCESS} {lines[0]}"
        self._events.append(Move(move))
