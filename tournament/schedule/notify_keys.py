"""The keys of `[notify]`. No complaint shows a value: it may be a URL with a secret."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fiedler.support.complaints import Complaint
from fiedler.tournament.schedule.schedule import FORMATS, Notify, Schedule

VARIABLE = re.compile(r"env:([A-Za-z_][A-Za-z0-9_]*)")
"""A value of `url`; its group is the name of the variable."""


def wrong_notify(schedule: Schedule) -> Iterator[Complaint]:
    """Yield wrong keys of `[notify]`; the place of the URL is looked at when the run begins."""
    table = schedule.notify
    if table == Notify():
        return
    given = [key for key in ("url", "url_file") if getattr(table, key) is not None]
    if len(given) != 1:
        yield "notify", f"expected exactly one of url, url_file, got {' and '.join(given) or 'none'}"
    elif table.url is not None and not VARIABLE.fullmatch(table.url):
        why = "a run keeps its schedule, and a URL may hold a secret"
        yield "notify.url", f"expected 'env:NAME', a variable with the URL, or url_file, got another text: {why}"
    if table.format not in FORMATS:
        yield "notify.format", f"expected {' or '.join(map(repr, FORMATS))}, got another text"
