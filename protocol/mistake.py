"""A player's output in place of the expected answer, as a message for its author."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

SHOWN = 60
"""characters of a line that a message quotes"""
KEPT = 16
"""lines that are kept: the nearest to an answer may not be the last"""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Something that a dialect asks a player."""

    asked: str
    """As the dialect says it, such as `go`."""
    answer: str
    """What the answer looks like, such as `bestmove MOVE`."""
    correct: Callable[[str], str | None] | None = None
    """Returns the answer that a line was probably meant as, None for a line that is far from one."""


NOTHING = Question("", "")


class Mistake:
    """What a player has said since it was asked last, as far as that is not an answer, for the end of a message."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=KEPT)
        self._stray = self._early = self._before = ""
        self._question = NOTHING
        self._asked: set[Question] = set()
        """questions that were asked before, and so have been answered"""
        self._is_first = True
        """the last question was asked for the first time"""

    def ask(self, question: Question) -> None:
        """Take note of a new question: what was said before it is not an answer to it."""
        self._question = question
        self._is_first = question not in self._asked
        if self._is_first:
            self._asked.add(question)
        if self._lines:
            self._lines.clear()
        self._before, self._early = self._early, ""

    def keep(self, line: str) -> None:
        """Keep a line that is not an answer."""
        self._lines.append(line)

    def keep_stray(self, line: str) -> None:
        """Keep a line that would answer a question that nobody asked."""
        self._stray = self._stray or line
        self._early = line

    def take_stray(self) -> str:
        """Return the first stray line since the last call; empty if there was none."""
        stray, self._stray = self._stray, ""
        return stray

    def told(self, unfinished: str) -> str:
        """Return what was said in place of the answer to the last question; empty if nothing is known.

        `unfinished` is the line of which the newline has not come.
        """
        if unfinished.strip():
            return f"; it said {quoted_line(unfinished)} without a newline"
        if self._lines:
            return f"; {self._told_of_lines()}"
        return f"; it said {quoted_line(self._before)} before it was asked" if self._before else ""

    def silence(self, *, heard: bool) -> str:
        """Return which question has no answer, with the likely reasons if nothing at all was `heard` since."""
        reasons = ": too slow, or its output is not flushed" if self._is_first and not heard else ""
        return f"; no {self._question.answer.split()[0]} after {self._question.asked} yet{reasons}"

    def _told_of_lines(self) -> str:
        """Quote the last line, or the last one that was meant as an answer."""
        question, last = self._question, quoted_line(self._lines[-1])
        if question.correct is None:
            return f"it said {last}, expected {quoted_line(question.answer)} after {question.asked}"
        for line in reversed(self._lines):
            if (meant := question.correct(line)) is not None:
                return f"it said {quoted_line(line)}, expected {quoted_line(meant)}"
        return f"it said {last}, expected {quoted_line(question.answer)}"


def quoted_line(text: str) -> str:
    """Return a player's line in quotes, shortened; control characters are escapes, a backslash stays single."""
    shown = text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    return repr(shown).replace("\\\\", "\\")
