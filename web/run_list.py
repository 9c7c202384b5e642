"""The list of runs: its page and its document."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from typing import NotRequired, TypedDict

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.run.interim import expected_games
from fiedler.tournament.run.soundness import open_sound
from fiedler.tournament.run.store import Store
from fiedler.web.listing import Listing
from fiedler.web.public import UNREADABLE
from fiedler.web.settings import SiteSettings
from fiedler.web.shell import page

FRESH_S = 2.0
"""Seconds for which a list serves every visitor."""
READ_S = 2.0
"""Seconds for a list: a large run takes a second when its file has changed; the rest comes with the next list."""
UNREAD = "this run is being checked"
FAILED = "this run cannot be shown; the server's log has the reason"
log = logging.getLogger(__name__)


class ListedRun(TypedDict):
    """A run in the list: its name, and its state or the reason why it cannot be shown.

    The types sort and have a JSON: also those of a run that another program wrote.
    """

    name: str
    error: NotRequired[str]
    """Why it cannot be shown; nothing else is there then."""
    game: NotRequired[str]
    state: NotRequired[str]
    """`running`, `finished` or `interrupted`."""
    players: NotRequired[int]
    """The number of players."""
    scheduled: NotRequired[int]
    """Games planned so far, without those given up."""
    expected: NotRequired[int]
    """Games that the run is going to have."""
    finished: NotRequired[int]
    given_up: NotRequired[int]
    """Games that are not played any more: a player was benched, or the run decided."""
    last: NotRequired[str | None]
    """The end of the last game; null without one. ISO 8601."""


class RunsDocument(TypedDict):
    """The runs, running ones first, then the others by their last games, the latest first."""

    runs: list[ListedRun]


class RunList:
    """The routes of the list."""

    def __init__(self, settings: SiteSettings, listing: Listing) -> None:
        self._settings = settings
        self._listing = listing
        self._reading = asyncio.Lock()
        self._runs: list[ListedRun] = []
        self._known: dict[str, ListedRun] = {}
        self._read_at = -FRESH_S

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [Route("/", self.show), Route("/api/runs", self.document)]

    async def show(self, request: Request) -> Response:  # noqa: ARG002
        """Return the page."""
        return page(self._settings, "Fiedler: runs", "run_list.js")

    async def document(self, request: Request) -> Response:  # noqa: ARG002
        """Return the runs, at most FRESH_S old."""
        async with self._reading:
            if time.monotonic() - self._read_at >= FRESH_S:
                self._runs = await asyncio.to_thread(summaries, self._listing, READ_S, self._known)
                self._read_at = time.monotonic()
        runs = [_public(run) for run in self._runs] if self._settings.public else self._runs
        shown: RunsDocument = {"runs": runs}
        return JSONResponse(shown, headers={"Cache-Control": "no-store"})


def _public(run: ListedRun) -> ListedRun:
    """Return a row without the reason of a failure, which may name a path."""
    return {**run, "error": UNREADABLE} if "error" in run else run


def summaries(
    listing: Listing, seconds: float = math.inf, known: dict[str, ListedRun] | None = None
) -> list[ListedRun]:
    """Return the state of every run: the running ones, then the others by their last games, the latest first.

    A run that cannot be read has an `error`. `known` are the states of earlier lists, and gets those of this one. Runs
    without one are read first, then those that were not read for longest. One that is not read in these seconds keeps
    its state, or has an `error` instead.
    """
    until, known = time.monotonic() + seconds, {} if known is None else known
    names = listing.names()
    _forget_others(known, names)
    for name in [*(one for one in names if one not in known), *known]:
        if time.monotonic() >= until:
            break
        found = _summary(listing, name)
        known.pop(name, None)  # the last in order is the latest
        known[name] = found
    return _in_order([known.get(name, {"name": name, "error": UNREAD}) for name in names])


def _forget_others(known: dict[str, ListedRun], names: list[str]) -> None:
    for name in known.keys() - names:
        del known[name]


def _in_order(found: list[ListedRun]) -> list[ListedRun]:
    found.sort(key=lambda run: run.get("last") or "", reverse=True)
    return sorted(found, key=lambda run: run.get("state") != "running")


def _summary(listing: Listing, name: str) -> ListedRun:
    folder = listing.folder(name)
    if folder is None:
        return {"name": name, "error": "the run was removed"}
    try:
        with open_sound(folder) as store, store.at_one_moment():
            return _shown(name, store)
    except (UsageError, WorkError, OSError) as error:
        return {"name": name, "error": str(error)}
    except Exception:  # the other runs are shown
        log.exception("the summary of %s", folder)
        return {"name": name, "error": FAILED}


def _shown(name: str, store: Store) -> ListedRun:
    counts, meta = store.counts, store.meta
    shown = {
        "name": name,
        "game": meta["game"],
        "state": store.state,
        "players": len(store.players),
        "scheduled": counts.scheduled,
        "expected": counts.scheduled if store.over else expected_games(store.schedule.pairing, counts.scheduled),
        "finished": counts.finished,
        "given_up": counts.given_up,
        "last": store.last_finished,
    }
    return msgspec.convert(shown, ListedRun)
