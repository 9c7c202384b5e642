"""The cause of a missing answer, and its cure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from fiedler.engine.check.failure import StepError
from fiedler.engine.check.link import Link
from fiedler.engine.check.portions import Portions
from fiedler.engine.check.subject import Subject
from fiedler.engine.check.wire import Wire
from fiedler.engine.host.session import spoken
from fiedler.protocol import Client, ClientEvent
from fiedler.protocol.blocking import drained

OTHER_SECONDS = 3.0
"""The time for a late answer, for the answer at the end of the input, and for an answer in another dialect."""
FLUSH = "flush standard output after every line; in Python print(…, flush=True), python3 -u, or PYTHONUNBUFFERED=1"
ANY_CELL = "".join(f"{row} {column}\n" for row in range(9) for column in range(9))


@dataclass(frozen=True, slots=True)
class FirstContact:
    """The first lines of a dialect, and its answer."""

    lines: bytes
    answers: Callable[[str], bool]
    """Whether a line is the answer."""


def _is_cell(line: str) -> bool:
    words = line.split()[:2]
    return len(words) == 2 and all(map(str.isdigit, words))


FIRST_CONTACTS = {
    "ugi": FirstContact(b"ugi\n", lambda line: line.strip() == "ugiok"),
    "uci": FirstContact(b"uci\n", lambda line: line.strip() == "uciok"),
    "gtp": FirstContact(b"protocol_version\n", lambda line: line.startswith("=")),
    "gomocup": FirstContact(b"ABOUT\r\n", lambda line: line.startswith("name=")),
    "rowcol": FirstContact(b"-1 -1\n", _is_cell),
    "rowcol-list": FirstContact(f"-1 -1\n81\n{ANY_CELL}".encode(), _is_cell),
}
"""Of each dialect that an engine can be asked for. Rowcol precedes rowcol-list, whose lines it answers, too."""


def silence(subject: Subject, link: Link, client: Client, kind: type[ClientEvent]) -> str:
    """Wait for an answer that is late, then end the input; return the cause, empty if it is unknown.

    `kind` is the kind of the missing answer.
    """
    started = time.monotonic()
    if _comes(link, client, kind):
        return f"; it came {time.monotonic() - started:.1f} s later: too slow"
    if not subject.is_program or subject.dialect.dials_in:
        return ""
    with suppress(OSError):
        link.end_input()
    return f"; it came when its input ended: {FLUSH}" if _comes(link, client, kind) else ""


def _comes(link: Link, client: Client, kind: type[ClientEvent]) -> bool:
    """Return whether an answer of this kind comes within OTHER_SECONDS."""
    portions = Portions(link, OTHER_SECONDS)
    with suppress(OSError, ValueError, StepError):
        while data := portions.next():
            client.receive_data(data)
            if any(isinstance(event, kind) for event in drained(client)):
                return True
    return False


def other_dialect(subject: Subject, error: StepError) -> str:
    """Return the dialect that the engine answers instead, for the end of a message; empty if there is none.

    A wrong move in place of silence shows the right dialect, but not in rowcol-list, whose first line rowcol answers.
    """
    shows_dialect = error.explained or (error.expected and subject.dialect_name != "rowcol-list")
    if shows_dialect or subject.dialect.dials_in:
        return ""
    names = [name for name in FIRST_CONTACTS if name != subject.dialect_name and name in spoken(subject.game)]
    with ThreadPoolExecutor(len(names) if subject.is_program else 1) as pool:  # a server may have one session only
        answered = pool.map(lambda name: _answers(subject, FIRST_CONTACTS[name]), names)
        found = next((name for name, answers in zip(names, answered, strict=True) if answers), "")
    if not found:
        return ""
    return f'; it answers {found}: check it with --protocol {found}, and write protocol = "{found}" in [[players]]'


def _answers(subject: Subject, contact: FirstContact) -> bool:
    """Return whether an engine answers a contact."""
    try:
        link = subject.link()
    except StepError:
        return False
    try:
        return any(map(contact.answers, _lines(link, contact.lines)))
    finally:
        with suppress(OSError, ValueError):
            link.close()


def _lines(link: Link, said: bytes) -> Iterator[str]:
    """Yield the lines of the answer within OTHER_SECONDS."""
    wire, until = Wire(link), time.monotonic() + OTHER_SECONDS
    with suppress(StepError):
        wire.send(said)
        while (line := wire.line(max(0.0, until - time.monotonic()))) is not None:
            yield line
