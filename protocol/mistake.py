"""A player's output in place of the expected answer, as a message for its author."""

from __future__ import annotations

import difflib
import re
from collections import deque

from protocol.events import BestMove, ClientEvent, InfoString, Malformed, ReadyOk, Response, UgiOk

SHOWN = 60
"""characters of a line that a message quotes"""
KEPT = 16
"""lines that are kept: the nearest to an answer may not be the last"""
ALIKE = 0.8
"""how alike, from 0 to 1, a word must be to `bestmove` to stand for it"""
ANSWER = "bestmove"
MOVE = f"{ANSWER} MOVE"
STRAY = re.compile(r"bestmove\s+\S")
QUESTIONS: dict[type[object], tuple[str, str]] = {
    UgiOk: ("ugi", "ugiok"),
    ReadyOk: ("isready", "readyok"),
    Response: ("query", "response TEXT"),
    BestMove: ("go", MOVE),
}
"""a question and what the answer to it looks like, by the event that the answer makes"""


class Mistake:
    """What a player has said since it was asked last, as far as that is no answer, for the end of a message."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=KEPT)
        self._stray = self._early = self._before = ""
        self._question = self._due = ""
        self._asked: set[type[object]] = set()
        """kinds of questions that were asked before, and so have been answered"""
        self._is_first = True
        """the last question was the first of its kind"""

    def ask(self, kind: type[object]) -> None:
        """Take note of a new question, of which `kind` is the answer: what was said before it is no answer to it."""
        self._question, self._due = QUESTIONS[kind]
        self._is_first = kind not in self._asked
        self._asked.add(kind)
        self._lines.clear()
        self._before, self._early = self._early, ""

    def hear(self, event: ClientEvent, *, owes_move: bool) -> None:
        """Keep what an event says if it is no answer; a `bestmove` that is not owed is one that nobody asked for."""
        if isinstance(event, InfoString) and event.error is not None:
            self._lines.append(f"info string {event.text}")
        elif isinstance(event, Malformed):
            if not owes_move and STRAY.match(event.line):
                self._stray = self._stray or event.line
                self._early = event.line
            else:
                self._lines.append(event.line)

    def take_stray(self) -> str:
        """Return the first `bestmove` that nobody asked for since the last call; empty if there was none."""
        stray, self._stray = self._stray, ""
        return stray

    def told(self, unfinished: str) -> str:
        """Return what was said in place of the answer to the last question; empty if nothing is known.

        `unfinished` is the line of which the newline has not come.
        """
        if unfinished.strip():
            return f"; it said {quoted(unfinished)} without a newline"
        if self._lines:
            return f"; {self._told_of_lines()}"
        return f"; it said {quoted(self._before)} before it was asked" if self._before else ""

    def silence(self, *, heard: bool) -> str:
        """Return which question has no answer, with the likely reasons if nothing at all was `heard` since."""
        reasons = ": too slow, or its output is not flushed" if self._is_first and not heard else ""
        return f"; no {self._due.split()[0]} after {self._question} yet{reasons}"

    def _told_of_lines(self) -> str:
        """Quote the last line, or the last one that was meant as a move."""
        if self._due != MOVE:
            return f"it said {quoted(self._lines[-1])}, expected {quoted(self._due)} after {self._question}"
        for line in reversed(self._lines):
            if (move := move_meant(line)) is not None:
                return f"it said {quoted(line)}, expected {quoted(f'{ANSWER} {move}' if move else MOVE)}"
        return f"it said {quoted(self._lines[-1])}, expected {quoted(MOVE)}"


def quoted(text: str) -> str:
    """Return what a player said in quotes, cut when long, its control characters and odd bytes as escapes."""
    shown = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    return repr(shown).replace("\\\\", "\\")


def move_meant(line: str) -> str | None:
    """Return the move of a line that is nearly `bestmove MOVE`, "" if it has none; None for any other line."""
    words = re.split(r"[\s:=]+", line.strip())
    for length in (1, 2):
        if _is_alike("".join(words[:length])):
            rest = [re.sub(r"\W", "", word) for word in words[length:]]
            return rest[0] if len(rest) == 1 else ""
    return None


def _is_alike(word: str) -> bool:
    plain = re.sub(r"\W|_", "", word).lower()
    return difflib.SequenceMatcher(None, plain, ANSWER).ratio() >= ALIKE
