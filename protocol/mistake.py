"""A player's output in place of the expected answer, as a message for its author."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

SHOWN, EXPLAINED = 60, 200
"""Characters of a line that a message quotes: of any line, and of one with an explanation."""
EXPLANATION = re.compile(r"info string\b|\?|(?:error|unknown|message|debug)\b", re.IGNORECASE)
"""The beginning of a line with an explanation, in one of the dialects: its reason may stand at its end."""
KEPT = 16
"""Lines that are kept: the one nearest to an answer may not be the last."""
MANY = 64
"""More lines than these in place of one answer are themselves the mistake: its message has their number."""


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A request of a dialect that has an answer."""

    asked: str
    """The request in the words of the dialect, such as `go`."""
    answer: str
    """The form of the answer, such as `bestmove MOVE`."""
    name: str = ""
    """The name of the answer in messages; by default its first word."""
    correct: Callable[[str], str | None] | None = None
    """Returns the answer that a line was probably meant as, None for a line unlike any."""


NOTHING = Question("", "")


class Mistake:
    """The player's output since the last question that is not an answer, for the end of a message."""

    def __init__(self) -> None:
        self.unended = ""
        """The first line of an answer whose end is missing, of a dialect that marks the end of an answer."""
        self.move_line = ""
        """The answer with the last move, of a dialect that does not use the game's notation."""
        self.hint = ""
        """The probable cause of the lines that are not an answer, for the end of a message."""
        self._lines: deque[str] = deque(maxlen=KEPT)
        self._stray = self._early = self._before = self._refusal = ""
        self._greeting = ""
        """The last line before the first question."""
        self._question = NOTHING
        self._asked: set[Question] = set()
        """Earlier questions, which have been answered."""
        self._is_first = True
        """Whether the last question was asked for the first time."""

    def ask(self, question: Question) -> None:
        """Note a new question: earlier output does not answer it."""
        self._question = question
        self._is_first = question not in self._asked
        if self._is_first:
            self._asked.add(question)
        if self._lines:
            self._lines.clear()
        self._refusal = self.hint = ""
        self._before, self._early = self._early, ""

    @property
    def asked(self) -> str:
        """The last question, in the words of the dialect; empty before the first one."""
        return self._question.asked

    def keep(self, line: str) -> None:
        """Keep a line that is not an answer."""
        self._lines.append(line)
        if self._question is NOTHING:
            self._greeting = line

    def keep_refusal(self, request: str, line: str) -> None:
        """Keep the answer that refuses a request of those sent with the last question; the first one counts."""
        self._refusal = self._refusal or f"; it refused {request}: {quoted_line(line)[1:-1]}"

    def keep_stray(self, line: str) -> None:
        """Keep an answer without a question."""
        self._stray = self._stray or line
        self._early = line

    def take_stray(self) -> str:
        """Return the first stray line since the last call; empty if there was none."""
        stray, self._stray = self._stray, ""
        return stray

    def report(self, unfinished: str, lines: int = 0) -> str:
        """Return the output in place of the answer to the last question; empty if there was none.

        `unfinished` is the line without its newline; `lines` is the number of those since the question, if that counts.
        """
        if lines <= MANY:
            return self._report(unfinished)
        report = self._report("")  # the last of these many lines is only not complete yet
        return report and f"{report}; {lines:,} lines since {self.asked}"

    def _report(self, unfinished: str) -> str:
        if unfinished.strip():
            return f"; it sent {quoted_line(unfinished)} without a newline"
        if self._refusal:
            return self._refusal + self.hint
        if self.unended:
            return f"; it sent {quoted_line(self.unended)} without the empty line that ends an answer"
        if self._lines and self._question is not NOTHING:
            return f"; {self._report_lines()}{self.hint}"
        return f"; it sent {quoted_line(self._before)} before it was asked" if self._before else ""

    @property
    def greeting(self) -> str:
        """The last line that came unasked at the beginning, for the end of a message; empty if there was none."""
        return f"; it sent {quoted_line(self._greeting)} before it was asked" if self._greeting else ""

    def silence(self, *, received: bool, lines: int = 0) -> str:
        """Return the question without an answer, with the likely reasons if nothing was `received` since.

        It has the number of `lines` since the question, which are valid but no answer. Empty before the first
        question.
        """
        if self._question is NOTHING:
            return ""
        reasons = ": too slow, or its output is not flushed" if self._is_first and not received else ""
        if lines:
            reasons = f", but {lines:,} other line{'s' if lines > 1 else ''}"
        name = self._question.name or self._question.answer.split()[0]
        return f"; no {name} after {self._question.asked} yet{reasons}"

    def _report_lines(self) -> str:
        """Quote the last line, or the last one that was meant as an answer."""
        question, last = self._question, quoted_line(self._lines[-1])
        if question.correct is None:
            return f"it sent {last}, expected {quoted_line(question.answer)} after {question.asked}"
        for line in reversed(self._lines):
            if (meant := question.correct(line)) is not None:
                return f"it sent {quoted_line(line)}, expected {quoted_line(meant)}"
        return f"it sent {last}, expected {quoted_line(question.answer)}"


def quoted_line(text: str) -> str:
    """Return a player's line in quotes, shortened; control characters are escapes, a backslash stays single.

    A long line loses its end; one with an explanation loses its middle.
    """
    return repr(_shortened(text)).replace("\\\\", "\\")


def _shortened(text: str) -> str:
    if not EXPLANATION.match(text):
        return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
    half = (EXPLAINED - 1) // 2
    return text if len(text) <= EXPLAINED else f"{text[:half]}…{text[-half:]}"
