"""The end of a program, and its last line on standard error, in one line."""

from __future__ import annotations

import signal

LAST_WORDS = 4096
"""bytes of standard error that are kept"""
TELLING = ("error", "exception", "panic", "fault")
"""words of a line that says why a program ended"""
SHOWN_WORDS = 200
"""characters of them that an error message shows"""


def telling_line(words: bytes | bytearray) -> str:
    """Return the last line, or the last that names an error: it says more than what some languages print below it."""
    lines = [line.strip() for line in words.decode(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if any(word in line.lower() for word in TELLING)]
    text = (telling or lines or [""])[-1]
    return "".join(sign if sign.isprintable() else " " for sign in text)[:SHOWN_WORDS]


def story(status: int, words: bytes | bytearray) -> str:
    """Return how a program ended, for people: `exited with status 3, saying: ValueError: no model`."""
    how = f"was killed by {_signal_name(-status)}" if status < 0 else f"exited with status {status}"
    said = telling_line(words)
    return f"{how}, saying: {said}" if said else how


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
