"""A misspelled `bestmove`."""

import difflib
import re

ALIKE = 0.8
"""The least similarity, from 0 to 1, of a misspelled word to `bestmove`."""
ANSWER = "bestmove"
MOVE = f"{ANSWER} MOVE"


def correct(line: str) -> str | None:
    """Return the `bestmove` line that a line was probably meant as; None for a line unlike any."""
    move = move_meant(line)
    return f"{ANSWER} {move}" if move else None if move is None else MOVE


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
