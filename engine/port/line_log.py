"""The log of the lines of sessions, at level DEBUG: `<` received, `>` sent."""

from __future__ import annotations

import logging

log = logging.getLogger("fiedler.engine.wire")


def is_logged() -> bool:
    """Return whether lines are logged."""
    return log.isEnabledFor(logging.DEBUG)


def log_lines(direction: str, data: bytes, **fields: object) -> None:
    """Log lines, or portions of them, as they are received or sent."""
    for line in data.decode(errors="backslashreplace").splitlines():
        log.debug("%s %s", direction, line, extra={"fields": fields})
