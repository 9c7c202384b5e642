"""The manager's side of Gomocup."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from fiedler.protocol.client import START
from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import LocalProtocolError
from fiedler.protocol.events import Malformed, Message, Move, Ready, Refusal
from fiedler.protocol.gomocup import words
from fiedler.protocol.gomocup.report import read_report
from fiedler.protocol.gomocup.rules import rule_of
from fiedler.protocol.gomocup.words import OPPONENT, OWN, UNLIMITED
from fiedler.protocol.limit import Limit
from fiedler.protocol.line_client import LineClient
from fiedler.protocol.mistake import Question
from fiedler.protocol.words import MAX_LINE, excerpt, number, one_word

PAUSE_S = 0.03
"""The time from an answer to the next command: some programs lose a command that arrives earlier."""
GRACE_S = 5.0
"""The time for the answers to START and to ABOUT; some programs never send one of them."""
TOURNAMENT = "2"
"""The `game_type` of a tournament."""
HELLO = Question("START", words.OK)
SETTLE = Question("ABOUT", 'name="…"', name="answer")
ASK = Question("BEGIN, TURN or BOARD", "X,Y", name="move")
_ABOUT = re.compile(r"\s*+name\s*+=", re.IGNORECASE)
_MOVE = re.compile(r"\s*+([+-]?\d{1,9})\s*+,\s*+([+-]?\d{1,9})\s*+", re.ASCII)


class GomocupClient(LineClient):
    """`fiedler.protocol.client.Client` in the commands of Gomocup, as the Piskvork manager sends them.

    An INFO has no answer, and may take a program a second, for the memory say. So a ping and a new game end after the
    answer to an ABOUT that follows, and that time is on no clock.
    """

    pause_s = PAUSE_S
    grace_s = GRACE_S
    takes_any_option = True

    def __init__(self, coordinates: Coordinates, line_limit: int = MAX_LINE) -> None:
        super().__init__(line_limit)
        self._coordinates = coordinates
        self._settings = {
            "max_memory": "0",
            "game_type": TOURNAMENT,
            "rule": str(rule_of(coordinates.game_id)),
        }
        """The keys and values of INFO that follow every START."""
        self._is_starting = False
        """Whether the answer to START is pending."""
        self._steps: deque[Callable[[], None]] = deque()
        """The steps after the answer that is pending."""
        self._is_settling = False
        """Whether the answer to ABOUT is pending."""
        self._is_unsettled = False
        """Whether an INFO has been sent since the last answer to ABOUT."""
        self._answers_about = True
        """Whether the player answers ABOUT, as far as we know."""
        self._refused = False
        """Whether START was answered by an error."""
        self._complaint_due = False
        """Whether an error may belong to an INFO of `configure`, which has no answer otherwise."""
        self._suggested = False
        """Whether the player has suggested a move in this search; a further suggestion would only be a flood."""
        self._is_fresh = False
        """Whether nothing has happened since START."""
        self._board: list[str] = []
        """The moves on the player's board."""
        self._times: list[str] = []
        """The limits that the player knows."""

    # --- requests -----------------------------------------------------------------------------------------------------

    def greet(self) -> None:
        """Send START; ends in Ready."""
        self._start()
        self._then(self._get_ready)

    def configure(self, name: str, value: str | None = None) -> None:
        """Send an INFO, now and after every START. A number beyond 32 bits is cut: some programs cannot read it."""
        text = value or ""
        if (size := number(text)) is not None:
            text = str(max(-UNLIMITED, min(UNLIMITED, size)))
        if not text or not text.isprintable():
            raise LocalProtocolError(f"expected a value of one line for INFO {name}, got {text!r}")
        self._settings[one_word(name, "option name")] = text
        self._inform(name, text)
        self._complaint_due = True

    def ping(self) -> None:
        """Send ABOUT if INFOs went before, once START is answered; ends in Ready."""
        self._then(partial(self._settle, self._get_ready))

    def new_game(self) -> None:
        """Send START, unless the board is empty; ends in Ready."""
        if not self._is_fresh:
            self._start()
        self.ping()

    def search(self, moves: Sequence[str], limit: Limit, start: str = START) -> None:
        """Send the time, then BEGIN, TURN or BOARD; ends in one Move, unless Eof comes first.

        Nodes and depth have no words: a player with such a limit keeps its own.
        """
        if start != START:
            raise LocalProtocolError(f"Gomocup cannot express a start other than {START}, got {start}")
        if self.owes_move or self._quit:
            raise LocalProtocolError("expected the answer to the last search first")
        self.owes_move = True
        self._suggested = False
        self.last_info = None
        known = [*moves]
        if self._board and known[: len(self._board)] != self._board:
            self._start()
        self._then(partial(self._ask_move, known, limit))

    def quit(self) -> None:
        """Send END; further output is dropped."""
        if not self._quit:
            self._quit = True
            self._send("END")

    def assume_answer(self) -> None:
        """Take the answer to START or ABOUT as given, unless it was a refusal. No other one is then expected."""
        self._answers_about = False
        if self._is_settling:
            self._receive_about()
        elif not self._refused:
            self._receive_ok()

    def _start(self) -> None:
        self._send(f"START {self._coordinates.size}")
        self._board, self._times = [], []
        self._is_fresh, self._is_starting, self._refused = True, True, False
        self.mistake.ask(HELLO)

    def _get_ready(self) -> None:
        self._events.append(Ready())

    def _then(self, step: Callable[[], None]) -> None:
        """Take a step now, or after the answer that is pending."""
        self._steps.append(step)
        self._take_steps()

    def _take_steps(self) -> None:
        while self._steps and not (self._is_starting or self._is_settling):
            self._steps.popleft()()

    def _inform(self, name: str, value: str) -> None:
        self._send(f"INFO {name} {value}")
        self._is_unsettled = True

    def _settle(self, step: Callable[[], None]) -> None:
        """Take a step once the player has done what the INFOs ask for."""
        if not (self._is_unsettled and self._answers_about):
            step()
            return
        self._is_unsettled, self._is_settling = False, True
        self._steps.appendleft(step)
        self._send(words.ABOUT)
        self.mistake.ask(SETTLE)

    def _ask_move(self, moves: list[str], limit: Limit) -> None:
        self._is_fresh = False
        self._send_limit(limit, len(moves) % 2)
        known, self._board = len(self._board), moves
        if not moves:
            self._send("BEGIN")
        elif known == len(moves) - 1:
            self._send(f"TURN {self._point(len(moves) - 1)}")
        else:
            self._send_board()
        self.mistake.ask(ASK)

    def _send_board(self) -> None:
        """Send every stone in the order of play: many programs alternate the colours and ignore the sides."""
        self._send("BOARD")
        count = len(self._board)
        for at in range(count):
            self._send(f"{self._point(at)},{OWN if (count - at) % 2 == 0 else OPPONENT}")
        self._send(words.DONE)

    def _point(self, at: int) -> str:
        return self._coordinates.write(self._board[at], self._board[:at])

    def _send_limit(self, limit: Limit, side: int) -> None:
        """Send the times for a move and for the game, if they are new, and the time left."""
        clock = (limit.p1time_ms, limit.p2time_ms)[side]
        if limit.movetime_ms is None and clock is None:
            return
        times = self._times
        if not times or clock is None:
            turn = clock if limit.movetime_ms is None else limit.movetime_ms
            times = [f"timeout_turn {_milliseconds(turn)}", f"timeout_match {_milliseconds(clock)}"]
        for one in times:
            if one not in self._times:
                self._send(f"INFO {one}")
        self._times = times
        self._send(f"INFO time_left {_milliseconds(clock)}")

    def _send(self, line: str) -> None:
        super()._send(line)
        self._out[-1] = self._out[-1].removesuffix(b"\n") + b"\r\n"

    # --- answers ------------------------------------------------------------------------------------------------------

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the player. A carriage return alone ends a line, too."""
        super().receive_data(data.replace(b"\r", b"\n"))

    def _receive(self, line: str) -> None:
        word, _, text = line.strip().partition(" ")
        answer = word.upper()
        if answer in (words.MESSAGE, words.DEBUG):
            self._receive_message(text)
        elif answer in (words.ERROR, words.UNKNOWN):
            self._receive_error(line)
        elif answer == words.OK:
            self._receive_ok()
        elif _ABOUT.match(line):
            self._receive_about()
        elif answer == words.SUGGEST and self._takes_suggestion and (found := _MOVE.fullmatch(text)):
            self._suggested = True
            self._send(f"PLAY {int(found[1])},{int(found[2])}")
        elif found := _MOVE.fullmatch(line):
            self._receive_move_line(line, f"{int(found[1])},{int(found[2])}")
        elif self._is_settling:
            self._receive_about()  # old programs answer any text
        else:
            self.mistake.keep(line)
            self._events.append(Malformed(excerpt(line), f"expected {words.OK}, X,Y or {words.MESSAGE}"))

    @property
    def _takes_suggestion(self) -> bool:
        return self.owes_move and not self._suggested

    def _receive_malformed(self, line: Malformed) -> None:
        """Take a message in another encoding as a message."""
        if line.line.lstrip().upper().startswith((words.MESSAGE, words.DEBUG)):
            self._events.append(Message(line.line))
        else:
            super()._receive_malformed(line)

    def _receive_message(self, text: str) -> None:
        self._events.append(Message(excerpt(text)))
        if self.owes_move and (info := read_report(text)) is not None:
            self.last_info = info

    def _receive_error(self, line: str) -> None:
        """Take the refusal of START; after any other command but ABOUT an answer may still follow."""
        if self._is_settling and (words.ABOUT in line.upper() or line.lstrip().upper().startswith(words.UNKNOWN)):
            self._receive_about()
            return
        self._refused = self._is_starting
        self.mistake.keep(line)
        self._events.append(Refusal(excerpt(line.strip()), final=self._refused and not self._complaint_due))

    def _receive_ok(self) -> None:
        """Take the answer to START; a further OK means nothing."""
        if not self._is_starting:
            return
        self._is_starting = self._refused = self._complaint_due = False
        for name, value in self._settings.items():
            self._inform(name, value)
        self._take_steps()

    def _receive_about(self) -> None:
        """Take the answer to ABOUT; a late one means nothing."""
        if self._is_settling:
            self._is_settling = False
            self._take_steps()

    def _receive_move_line(self, line: str, point: str) -> None:
        if not self.owes_move or self._is_starting:
            self.mistake.keep_stray(line)
            self._events.append(Malformed(excerpt(line), "expected no move: it was not asked for"))
            return
        self.owes_move = self._complaint_due = False
        try:
            move = self._coordinates.read(point, self._board)
        except ValueError as error:
            self.mistake.keep(line)
            self._events.append(Malformed(excerpt(line), str(error)))
            self._events.append(Move(None))
        else:
            self._board = [*self._board, move]
            self.mistake.move_line = line.strip()
            self._events.append(Move(move))


def _milliseconds(time: int | None) -> int:
    """Return a time as it is sent; never 0, which many programs misread."""
    return UNLIMITED if time is None else max(1, min(time, UNLIMITED))
