"""The receiver of notices: its URL is read from the environment or a file, and no message shows it."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from urllib.parse import urlsplit

from fiedler.support.tokens import read_secret
from fiedler.tournament.schedule.notify_keys import VARIABLE
from fiedler.tournament.schedule.schedule import Schedule


def take_url(schedule: Schedule) -> str:
    """Return the URL of a checked schedule that has `[notify]`.

    A variable leaves our environment: the players inherit that.

    Raises:
        UsageError: There is no URL in its place, or httpx is not installed.
    """
    if importlib.util.find_spec("httpx") is None:
        raise schedule.error("notify", "it needs httpx: pip install 'fiedler[notify]'")
    table = schedule.notify
    found = VARIABLE.fullmatch(table.url or "")
    if found is None:
        key, url = "notify.url_file", read_secret(Path(schedule.folder) / (table.url_file or ""), "URL")
    else:
        key, url = "notify.url", os.environ.pop(found[1], "")
        if not url:
            raise schedule.error(key, f"expected a URL in the variable {found[1]} of the environment, got none")
    if not _is_url(url):
        where = f"in {table.place}"
        raise schedule.error(key, f"expected https://HOST/… or http://HOST/… {where}, got another text")
    return url


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and text.isprintable()
    except ValueError:
        return False
