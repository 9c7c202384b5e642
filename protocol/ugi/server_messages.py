"""The messages of the engine's side of UGI: the meaning of requests, and the answers."""

import difflib
from collections.abc import Callable, Iterable
from functools import lru_cache

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.events import Malformed
from protocol.info import Info
from protocol.option import Option
from protocol.ugi import states
from protocol.ugi.events import (
    Go,
    Hello,
    IsReady,
    NewGame,
    Query,
    Quit,
    ServerEvent,
    SetOption,
    SetPosition,
    Stop,
)
from protocol.ugi.go import read_go
from protocol.ugi.info import info_line
from protocol.ugi.option import option_line, read_setoption
from protocol.ugi.position import read_position
from protocol.ugi.session import UgiSession
from protocol.ugi.states import State
from protocol.words import MAX_LINE, excerpt, is_words, one_word, quoted

QUERIES = ("gameover", "p1turn", "result", "legalmoves", "position", "board", "capabilities")
"""What may stand after `query`: the first three as published, the others ours."""


def error_line(why: str) -> str:
    """Return the line that says what was refused. Line breaks in the text become blanks."""
    return "info string error: " + " ".join(why.split())


def _alone(event: ServerEvent) -> Callable[[list[str]], ServerEvent]:
    """Return the reader of a command that has no arguments."""

    def read(words: list[str]) -> ServerEvent:
        if len(words) > 1:
            raise RemoteProtocolError(f"expected {words[0]} alone on its line, got {quoted(words[1])} after it")
        return event

    return read


def _read_query(words: list[str]) -> Query:
    what = " ".join(words[1:])
    if what not in QUERIES:
        raise RemoteProtocolError(f"expected query {'|'.join(QUERIES)}, got {quoted(what)}")
    return Query(what)


_READERS: dict[str, Callable[[list[str]], ServerEvent]] = {
    "ugi": _alone(Hello()),
    "isready": _alone(IsReady()),
    "setoption": lambda words: SetOption(*read_setoption(words)),
    "uginewgame": _alone(NewGame()),
    "position": lambda words: SetPosition(*read_position(words)),
    "query": _read_query,
    "go": lambda words: Go(read_go(words)),
    "stop": _alone(Stop()),
    "quit": _alone(Quit()),
}
_WORD = 16
"""Characters of an unknown command that is worth a look at what it may mean."""
# the requests that owe one answer each, and the answer
_ANSWERS = {"ugi": "ugiok", "isready": "readyok", "query": "response"}


@lru_cache(maxsize=64)
def _greeting(name: str, author: str, options: tuple[Option, ...]) -> tuple[str, ...]:
    if not (is_words(name) and is_words(author)):
        raise LocalProtocolError(f"expected a name and an author in words, got {quoted(name)} and {quoted(author)}")
    return f"id name {name}", f"id author {author}", *map(option_line, options), "ugiok"


def _nearest(command: str) -> str:
    """Return `; did you mean 'x'?` for the command that an unknown word is nearest to; empty if none is near."""
    close = difflib.get_close_matches(command.lower(), _READERS, n=1, cutoff=0.6) if len(command) <= _WORD else []
    return f"; did you mean {close[0]!r}?" if close else ""


class ServerMessages(UgiSession[ServerEvent]):
    """The engine's side: commands come in as events, answers go out by `send_*`. States: states.SERVER.

    Each Hello, IsReady and Query owes exactly one send_hello, send_readyok and send_response, each Go exactly one
    send_bestmove. One answer too many raises LocalProtocolError. Answers that are owed may be sent after Quit and Eof:
    the peer may have closed only its writing side.
    """

    def __init__(self, line_limit: int = MAX_LINE) -> None:
        super().__init__(states.SERVER, line_limit)
        self._owed = dict.fromkeys(_ANSWERS, 0)
        self._stopped = False  # the search that runs has been told to stop

    def send_hello(self, name: str, author: str, options: Iterable[Option] = ()) -> None:
        """Answer `ugi`: who we are, what can be set, `ugiok`."""
        self._answer("ugi", *_greeting(name, author, tuple(options)))

    def send_readyok(self) -> None:
        """Answer `isready`."""
        self._answer("isready", "readyok")

    def send_response(self, text: str) -> None:
        """Answer the oldest query that has no answer yet; an empty text gives a bare `response`."""
        self._answer("query", f"response {text}" if text else "response")

    def send_info(self, info: Info) -> None:
        """Say how the search stands; only while one runs."""
        self._say("info", info_line(info))

    def send_info_string(self, text: str) -> None:
        """Say something to people, one line of it, at any time."""
        self._write(f"info string {text}")

    def send_error(self, text: str) -> None:
        """Say what was refused: `info string error: …`."""
        self._write(error_line(text))

    def send_bestmove(self, move: str | None) -> None:
        """Answer `go`, and end the search; None = there is no move (`bestmove none`)."""
        self._say("bestmove", "bestmove none" if move is None else f"bestmove {one_word(move, 'move')}")

    def _receive_words(self, words: list[str], line: str) -> None:
        command = words[0]
        try:
            after = self._after_receiving(command)
            event = _READERS[command](words)
        except RemoteProtocolError as error:
            self._refuse(Malformed(excerpt(line), str(error)))
            return
        if command in self._owed:
            self._owed[command] += 1
        if command != "stop" or self._state is State.SEARCHING:
            self._events.append(event)
        self._stopped = command == "stop" or (self._stopped and command != "go")
        self._state = after

    def _after_receiving(self, command: str) -> State:
        if command not in _READERS:
            raise RemoteProtocolError(
                f"expected one of {', '.join(_READERS)}; got {quoted(command)}{_nearest(command)}"
            )
        after = self._table.get((self._state, command))
        if after is None:
            raise RemoteProtocolError(f"{self._why_not_now()}; got {command}")
        return after

    def _why_not_now(self) -> str:
        if self._state is State.NEW:
            return "expected ugi first"
        return f"a search is running; {'wait for its bestmove' if self._stopped else 'send stop first'}"

    def _answer(self, request: str, *lines: str) -> None:
        if not self._owed[request]:
            raise LocalProtocolError(f"expected {request} before {_ANSWERS[request]}, got none that is unanswered")
        self._write(*lines)
        self._owed[request] -= 1
