"""The messages of the engine's side of UGI: the meaning of requests, and the answers."""

import difflib
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from fiedler.protocol.errors import LocalProtocolError, RemoteProtocolError
from fiedler.protocol.events import Malformed
from fiedler.protocol.info import Info
from fiedler.protocol.option import Option
from fiedler.protocol.ugi import states
from fiedler.protocol.ugi.events import (
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
from fiedler.protocol.ugi.go import read_go
from fiedler.protocol.ugi.info import info_line
from fiedler.protocol.ugi.option import option_line, read_setoption
from fiedler.protocol.ugi.position import read_position
from fiedler.protocol.ugi.queries import QUERIES
from fiedler.protocol.ugi.session import UgiSession
from fiedler.protocol.ugi.states import State
from fiedler.protocol.ugi.vocabulary import UGI, Vocabulary
from fiedler.protocol.words import MAX_LINE, excerpt, is_words, one_word, quoted


def error_line(why: str) -> str:
    """Return the line of a refusal. Line breaks in the text become blanks."""
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


Reader = Callable[[list[str]], ServerEvent]


@cache
def _readers(vocabulary: Vocabulary) -> dict[str, tuple[str, Reader]]:
    """Return, by the first word of a line, the name of the message and its reader."""
    readers: dict[str, Reader] = {
        "ugi": _alone(Hello()),
        "isready": _alone(IsReady()),
        "setoption": lambda words: SetOption(*read_setoption(words)),
        "uginewgame": _alone(NewGame()),
        "position": lambda words: SetPosition(*read_position(words)),
        "query": _read_query,
        "go": lambda words: Go(read_go(words, vocabulary)),
        "stop": _alone(Stop()),
        "quit": _alone(Quit()),
    }
    return {vocabulary.spelled(message): (message, reader) for message, reader in readers.items()}


_WORD = 16
"""The longest unknown command that is compared with the known ones, in characters."""
_ANSWERS = {"ugi": "ugiok", "isready": "readyok", "query": "response"}
"""The requests with exactly one answer each, and the answer."""


@lru_cache(maxsize=64)
def _greeting(name: str, author: str, options: tuple[Option, ...], end: str) -> tuple[str, ...]:
    if not (is_words(name) and is_words(author)):
        raise LocalProtocolError(f"expected a name and an author in words, got {quoted(name)} and {quoted(author)}")
    return f"id name {name}", f"id author {author}", *map(option_line, options), end


def _nearest(command: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` with the known command nearest to an unknown word; empty if none is near."""
    close = difflib.get_close_matches(command.lower(), [*known], n=1, cutoff=0.6) if len(command) <= _WORD else []
    return f"; did you mean {close[0]!r}?" if close else ""


class ServerMessages(UgiSession[ServerEvent]):
    """The engine's side: requests become events, `send_*` sends answers. States: states.SERVER.

    Each Hello, IsReady and Query needs exactly one send_hello, send_readyok and send_response, each Go exactly one
    send_bestmove. Pending answers may be sent after Quit and Eof: the peer may have closed only its writing side.

    Raises:
        LocalProtocolError: By any `send_*`: the answer has no request, or does not fit on a line.
    """

    def __init__(self, line_limit: int = MAX_LINE, vocabulary: Vocabulary = UGI) -> None:
        super().__init__(states.SERVER, line_limit)
        self._vocabulary = vocabulary
        self._known = _readers(vocabulary)
        self._pending = dict.fromkeys(_ANSWERS, 0)
        """The number of unanswered requests of each kind."""
        self._stopped = False
        """Whether the running search has received `stop`."""

    def send_hello(self, name: str, author: str, options: Iterable[Option] = ()) -> None:
        """Answer `ugi`: name, author, options, `ugiok`."""
        self._answer("ugi", *_greeting(name, author, tuple(options), self._vocabulary.hello_answer))

    def send_readyok(self) -> None:
        """Answer `isready`."""
        self._answer("isready", "readyok")

    def send_response(self, text: str) -> None:
        """Answer the oldest unanswered query; an empty text gives a bare `response`."""
        self._answer("query", f"response {text}" if text else "response")

    def send_info(self, info: Info) -> None:
        """Report the state of the search; only while one runs."""
        self._send("info", info_line(info))

    def send_info_string(self, text: str) -> None:
        """Send one line for human readers, at any time."""
        self._write(f"info string {text}")

    def send_error(self, text: str) -> None:
        """Report a refusal: `info string error: …`."""
        self._write(error_line(text))

    def send_bestmove(self, move: str | None) -> None:
        """Answer `go`, and end the search; None = there is no move (`bestmove none`)."""
        word = self._vocabulary.no_move if move is None else one_word(move, "move")
        self._send("bestmove", f"bestmove {word}")

    def _receive_words(self, words: list[str], line: str) -> None:
        try:
            if self._ignores(words):
                return
            command, read = self._message(words[0])
            after = self._after_receiving(command)
            event = read(words)
        except RemoteProtocolError as error:
            self._refuse(Malformed(excerpt(line), str(error)))
            return
        if command in self._pending:
            self._pending[command] += 1
        if command != "stop" or self._state is State.SEARCHING:
            self._events.append(event)
        self._stopped = command == "stop" or (self._stopped and command != "go")
        self._state = after

    def _ignores(self, words: list[str]) -> bool:
        """Return whether a line is a command without effect.

        Raises:
            RemoteProtocolError: Its argument is wrong.
        """
        arguments = self._vocabulary.ignored.get(words[0])
        if arguments is None or self._state is State.NEW:
            return False
        if words[1:] not in [[one] for one in arguments]:
            raise RemoteProtocolError(f"expected {words[0]} {'|'.join(arguments)}, got {quoted(' '.join(words[1:]))}")
        return True

    def _message(self, word: str) -> tuple[str, Reader]:
        """Return the name of the message that begins with a word, and its reader."""
        if word not in self._known:
            near = _nearest(word, self._known)
            raise RemoteProtocolError(f"expected one of {', '.join(self._known)}; got {quoted(word)}{near}")
        return self._known[word]

    def _after_receiving(self, command: str) -> State:
        after = self._table.get((self._state, command))
        if after is None:
            raise RemoteProtocolError(f"{self._why_not_now()}; got {self._vocabulary.spelled(command)}")
        return after

    def _why_not_now(self) -> str:
        if self._state is State.NEW:
            return f"expected {self._vocabulary.hello} first"
        return f"a search is running; {'wait for its bestmove' if self._stopped else 'send stop first'}"

    def _answer(self, request: str, *lines: str) -> None:
        if not self._pending[request]:
            raise LocalProtocolError(f"expected {request} before {_ANSWERS[request]}, got none that is unanswered")
        self._write(*lines)
        self._pending[request] -= 1
