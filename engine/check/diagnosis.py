"""The cause of a missing answer, and its cure."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from engine.check.failure import StepError
from engine.check.subject import Subject
from engine.check.wire import Wire
from engine.link import Link

OTHER_SECONDS = 3.0
"""The time for an answer in another dialect, and for the answer at the end of the input."""


@dataclass(frozen=True, slots=True)
class FirstContact:
    """The first lines of a dialect, and its answer."""

    lines: bytes
    answers: Callable[[str], bool]
    """Whether a line is the answer."""


FIRST_CONTACTS = {
    "ugi": FirstContact(b"ugi\n", lambda line: line.strip() == "ugiok"),
    "uci": FirstContact(b"uci\n", lambda line: line.strip() == "uciok"),
    "gtp": FirstContact(b"protocol_version\n", lambda line: line.startswith("=")),
    "gomocup": FirstContact(b"ABOUT\r\n", lambda line: line.startswith("name=")),
    "rowcol": FirstContact(b"-1 -1\n", lambda line: len(line.split()) == 2 and line.replace(" ", "").strip().isdigit()),
}
"""Of each dialect that an engine can be asked for."""
TALKATIVE = ("ugi", "uci", "gtp", "gomocup")
"""The dialects whose answer cannot be another one's."""


def cure(subject: Subject) -> str:
    """Return what to change, for the end of a message; empty if the cause is unknown."""
    own = subject.dialect_name
    if own in FIRST_CONTACTS and subject.is_program and _answers(subject, FIRST_CONTACTS[own], at_end=True):
        return "; the answer comes when its input ends: flush standard output after every line"
    for name in TALKATIVE:
        if own != name and _answers(subject, FIRST_CONTACTS[name]):
            return f'; it answers {name}: check it with --protocol {name}, and write protocol = "{name}" in [[players]]'
    return ""


def _answers(subject: Subject, contact: FirstContact, *, at_end: bool = False) -> bool:
    """Return whether an engine answers a contact, or answers it once its input has ended."""
    try:
        link = subject.link()
    except StepError:
        return False
    try:
        return any(map(contact.answers, _lines(link, contact.lines, at_end=at_end)))
    finally:
        with suppress(OSError, ValueError):
            link.close()


def _lines(link: Link, said: bytes, *, at_end: bool) -> list[str]:
    """Return the lines within a time, up to the end of the output."""
    wire, lines = Wire(link), []
    until = time.monotonic() + OTHER_SECONDS
    with suppress(StepError):
        wire.send(said)
        if at_end:
            link.end_input()
        while (line := wire.line(max(0.0, until - time.monotonic()))) is not None:
            lines.append(line)
    return lines
