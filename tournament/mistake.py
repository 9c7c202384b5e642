"""What a player said in place of the answer that is due, in words for its author."""

from __future__ import annotations

import difflib
import re
from collections import deque

from protocol import BestMove, ReadyOk, Response, UgiOk

SHOWN = 60
"""characters of a line that a message quotes"""
KEPT = 16
"""lines that are kept: the nearest to an answer may not be the last"""
ALIKE = 0.8
"""how alike, from 0 to 1, a word must be to `bestmove` to stand for it"""
ANSWER = "bestmove"
DUE: dict[type[object], str] = {
    UgiOk: "ugiok",
    ReadyOk: "readyok",
    Response: "response TEXT",
    BestMove: f"{ANSWER} MOVE",
}
"""what the answer to a question looks like, by the event that it makes"""


class Mistake:
    """What a player has said since it was asked last, as far as that is no answer."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=KEPT)
        self._stray = self._early = self._before = ""

    def ask(self) -> None:
        """Take note of a new question: what was said before it is no answer to it."""
        self._lines.clear()
        self._before, self._early = self._early, ""

    def note(self, line: str) -> None:
        """Keep a line that is no answer."""
        self._lines.append(line)

    def note_stray(self, line: str) -> None:
        """Keep a `bestmove` that nobody asked for."""
        self._stray = self._stray or line
        self._early = line

    def take_stray(self) -> str:
        """Return the first of those moves since the last call; empty if there was none."""
        stray, self._stray = self._stray, ""
        return stray

    def told(self, due: str, unfinished: str) -> str:
        """Return what was said in place of what is `due`; empty if nothing is known.

        `unfinished` is the line of which the newline has not come.
        """
        if unfinished.strip():
            return f"it said {quoted(unfinished)} without a newline"
        if self._lines:
            return self._told_of_lines(due)
        return f"it said {quoted(self._before)} before it was asked" if self._before else ""

    def _told_of_lines(self, due: str) -> str:
        """Quote the last line, or the last one that was meant as a move."""
        if due == DUE[BestMove]:
            for line in reversed(self._lines):
                if (move := move_meant(line)) is not None:
                    return f"it said {quoted(line)}, expected {quoted(f'{ANSWER} {move}' if move else due)}"
        return f"it said {quoted(self._lines[-1])}, expected {quoted(due)}"


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
