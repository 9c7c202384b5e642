"""The log of a command: one line for each event on standard error, as key=value or as JSON."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime

PLAIN = re.compile(r"[^\s\"=]+")
"""A value that needs no quotes."""


class LogFormatter(logging.Formatter):
    """Renders the time, the level, the logger, the event, and the `fields` that a record has."""

    def __init__(self, *, as_json: bool) -> None:
        super().__init__()
        self._as_json = as_json

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        if self._as_json:
            return json.dumps(entry, ensure_ascii=False, default=str)
        return " ".join(f"{key}={_value(value)}" for key, value in entry.items())


def set_up_logs(level: str, *, as_json: bool) -> None:
    """Log to standard error from a level on: debug, info, warning or error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogFormatter(as_json=as_json))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger("asyncio").setLevel(logging.WARNING)  # its own events say nothing about a session


def _value(value: object) -> str:
    text = str(value)
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
