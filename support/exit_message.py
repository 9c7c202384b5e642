"""The end of a program, and its last line on standard error, in one line."""

from __future__ import annotations

import signal

STDERR_KEPT = 4096
"""The bytes of standard error that are kept."""
ERROR_WORDS = ("error", "exception", "panic", "fault")
"""The words of a line that names an error."""
SHOWN = 200
"""The characters of a line that a message shows."""


def error_line(stderr: bytes | bytearray) -> str:
    """Return the last line that names an error, or else the last line: some languages print more below the error."""
    lines = [line.strip() for line in stderr.decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if any(word in line.lower() for word in ERROR_WORDS)]
    text = (errors or lines or [""])[-1]
    return "".join(sign if sign.isprintable() else " " for sign in text)[:SHOWN]


def exit_message(status: int, stderr: bytes | bytearray) -> str:
    """Return how a program ended: `exited with status 3, saying: ValueError: no model`."""
    how = f"was killed by {_signal_name(-status)}" if status < 0 else f"exited with status {status}"
    line = error_line(stderr)
    return f"{how}, saying: {line}" if line else how


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
