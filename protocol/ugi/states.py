"""The states of a UGI session and the one table of its transitions, for each side.

A table maps (state, message) to the next state; a message without an entry is against the rules in that state.
Messages that never change the state are not in it: `readyok` and `response` (and on the server's side `ugiok`) are
counted, since each request has exactly one; `info` may reach a client, and `info string` may leave a server, at any
time.
"""

from collections.abc import Mapping
from enum import StrEnum


class State(StrEnum):  # a StrEnum hashes as fast as its string; a plain Enum hashes in slower Python code
    """The states of a session."""

    NEW = "NEW"
    """Nothing sent yet."""
    GREETING = "GREETING"
    """Client: `ugi` is sent, `ugiok` has not come."""
    IDLE = "IDLE"
    """No search runs."""
    SEARCHING = "SEARCHING"
    """`go` was sent, its `bestmove` is pending."""
    STOPPING = "STOPPING"
    """Client: `stop` was sent too, the `bestmove` is still pending."""
    CLOSING = "CLOSING"
    """Server: the peer has ended the session during a search, whose `bestmove` may still be sent."""
    CLOSED = "CLOSED"
    """The session is over; further input is dropped."""


MOVE_PENDING = frozenset({State.SEARCHING, State.STOPPING})
"""Client: a `bestmove` has not come yet."""
Table = Mapping[tuple[State, str], State]

RECEIVED_BY_SERVER = (
    *("ugi", "isready", "setoption", "uginewgame", "position", "query", "go", "stop", "quit"),
    "end of stream",
)
SENT_BY_SERVER = ("info", "bestmove")

SERVER: Table = {
    (State.NEW, "ugi"): State.IDLE,
    (State.NEW, "quit"): State.CLOSED,
    (State.NEW, "end of stream"): State.CLOSED,
    (State.IDLE, "ugi"): State.IDLE,
    (State.IDLE, "isready"): State.IDLE,
    (State.IDLE, "setoption"): State.IDLE,
    (State.IDLE, "uginewgame"): State.IDLE,
    (State.IDLE, "position"): State.IDLE,
    (State.IDLE, "query"): State.IDLE,
    (State.IDLE, "go"): State.SEARCHING,
    (State.IDLE, "stop"): State.IDLE,  # crossed with the bestmove on the wire
    (State.IDLE, "quit"): State.CLOSED,
    (State.IDLE, "end of stream"): State.CLOSED,
    (State.SEARCHING, "isready"): State.SEARCHING,
    (State.SEARCHING, "stop"): State.SEARCHING,
    (State.SEARCHING, "quit"): State.CLOSING,
    (State.SEARCHING, "end of stream"): State.CLOSING,
    (State.SEARCHING, "info"): State.SEARCHING,
    (State.SEARCHING, "bestmove"): State.IDLE,
    (State.CLOSING, "end of stream"): State.CLOSING,
    (State.CLOSING, "info"): State.CLOSING,
    (State.CLOSING, "bestmove"): State.CLOSED,
    (State.CLOSED, "end of stream"): State.CLOSED,
}

SENT_BY_CLIENT = ("ugi", "isready", "setoption", "uginewgame", "position", "query", "go", "stop", "quit")
RECEIVED_BY_CLIENT = ("id", "option", "ugiok", "bestmove", "end of stream")

CLIENT: Table = {
    (State.NEW, "ugi"): State.GREETING,
    (State.NEW, "quit"): State.CLOSED,
    (State.NEW, "end of stream"): State.CLOSED,
    (State.GREETING, "id"): State.GREETING,
    (State.GREETING, "option"): State.GREETING,
    (State.GREETING, "ugiok"): State.IDLE,
    (State.GREETING, "quit"): State.CLOSED,
    (State.GREETING, "end of stream"): State.CLOSED,
    (State.IDLE, "ugi"): State.GREETING,
    (State.IDLE, "isready"): State.IDLE,
    (State.IDLE, "setoption"): State.IDLE,
    (State.IDLE, "uginewgame"): State.IDLE,
    (State.IDLE, "position"): State.IDLE,
    (State.IDLE, "query"): State.IDLE,
    (State.IDLE, "go"): State.SEARCHING,
    (State.IDLE, "stop"): State.IDLE,  # the bestmove came first: nothing is written
    (State.IDLE, "quit"): State.CLOSED,
    (State.IDLE, "end of stream"): State.CLOSED,
    (State.SEARCHING, "isready"): State.SEARCHING,
    (State.SEARCHING, "stop"): State.STOPPING,
    (State.SEARCHING, "quit"): State.CLOSED,
    (State.SEARCHING, "bestmove"): State.IDLE,
    (State.SEARCHING, "end of stream"): State.CLOSED,
    (State.STOPPING, "isready"): State.STOPPING,
    (State.STOPPING, "stop"): State.STOPPING,  # sent already: nothing is written
    (State.STOPPING, "quit"): State.CLOSED,
    (State.STOPPING, "bestmove"): State.IDLE,
    (State.STOPPING, "end of stream"): State.CLOSED,
    (State.CLOSED, "stop"): State.CLOSED,  # nothing is written: a caller may give up an engine that has already gone
    (State.CLOSED, "quit"): State.CLOSED,  # the same
    (State.CLOSED, "end of stream"): State.CLOSED,
}


def markdown(table: Table, received: tuple[str, ...], sent: tuple[str, ...]) -> str:
    """Draw a table as Markdown: a row for each message, a column for each state, the next state where they meet."""
    states = [state for state in State if any(state is before for before, _ in table)]
    rows = ["| message | " + " | ".join(states) + " |", "|---" * (len(states) + 1) + "|"]
    for verb, messages in (("receives", received), ("sends", sent)):
        for message in messages:
            cells = " | ".join(table.get((state, message), "—") for state in states)
            rows.append(f"| {verb} `{message}` | {cells} |")
    return "\n".join(rows) + "\n"


def server_markdown() -> str:
    """Draw the server's table."""
    return markdown(SERVER, RECEIVED_BY_SERVER, SENT_BY_SERVER)


def client_markdown() -> str:
    """Draw the client's table."""
    return markdown(CLIENT, RECEIVED_BY_CLIENT, SENT_BY_CLIENT)
