"""The pages of one run, and their documents: the run as it is, its stream, its games."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from fiedler.games.sgf import has_sgf
from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.game import GameRecord
from fiedler.tournament.report.pgn import pgn_text
from fiedler.tournament.report.run import RunOrigin
from fiedler.tournament.report.sgf import sgf_text
from fiedler.tournament.run.records import OUTCOMES, GameFilter
from fiedler.tournament.run.replayed import replayed
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.soundness import open_sound
from fiedler.tournament.run.store import Store
from fiedler.web.followers import Followers
from fiedler.web.game_documents import game_document, games_document
from fiedler.web.listing import Listing
from fiedler.web.public import PublicStore
from fiedler.web.settings import SiteSettings
from fiedler.web.shell import page
from fiedler.web.viewer import DIGITS, EventStream

LOOK_S = 0.1
"""Seconds between two looks for a run that is about to begin."""
NO_RUN = "There is no such run"
NO_GAME = "There is no such game"
NO_REPORT = "There is no report yet: the end of a run writes it, or `tournament report RUN`"
REPORT = "report.html"
APART = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "sandbox allow-scripts allow-downloads; frame-ancestors 'none'"
)
"""The policy of a report, whose scripts and styles are inside it: it cannot reach anything of this server."""
MOST_NUMBER = 1 << 31
EXPORTS: dict[str, tuple[Callable[[RunOrigin, GameRecord], str], str]] = {
    "pgn": (pgn_text, "application/vnd.chess-pgn"),
    "sgf": (sgf_text, "application/x-go-sgf"),
}


class RunPages:
    """The routes of all runs."""

    def __init__(self, settings: SiteSettings, listing: Listing, followers: Followers) -> None:
        self._settings = settings
        self._listing = listing
        self._followers = followers
        self._store = store_of(settings)

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/runs/{run}", self.show_run),
            Route("/runs/{run}/report.html", self.report),
            Route("/runs/{run}/games", self.show_games),
            Route("/runs/{run}/games/{number:int}", self.show_game),
            Route("/api/runs/{run}", self.run_document),
            Route("/api/runs/{run}/live", self.live),
            Route("/api/runs/{run}/games", self.games),
            Route("/api/runs/{run}/games.pgn", self.all_games),
            Route("/api/runs/{run}/games/{number:int}", self.game),
            Route("/api/runs/{run}/games/{number:int}.{kind}", self.export),
        ]

    async def show_run(self, request: Request) -> Response:
        """Return the page of a run, also of one that begins in a moment."""
        until = time.monotonic() + self._settings.awaited_s
        while self._listing.folder(request.path_params["run"]) is None and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(LOOK_S)
        name, _ = known(self._listing, request)
        return page(self._settings, name, "run.js", data={"run": name})

    async def show_games(self, request: Request) -> Response:
        """Return the page of its games."""
        name, _ = known(self._listing, request)
        return page(self._settings, f"{name}: games", "games.js", data={"run": name})

    async def show_game(self, request: Request) -> Response:
        """Return the page of a game."""
        name, folder = known(self._listing, request)
        number: int = request.path_params["number"]
        await run_in_threadpool(of_store, self._store, folder, game_document, number)
        return page(self._settings, f"{name}: game {number}", "game.js", data={"run": name, "game": str(number)})

    async def report(self, request: Request) -> Response:
        """Return the last report of a run. Its scripts run apart from these pages."""
        _, folder = known(self._listing, request)
        path = folder / REPORT
        if not path.is_file():
            raise HTTPException(404, NO_REPORT)
        headers = {"Cache-Control": "no-store", "Content-Security-Policy": APART}
        return FileResponse(path, headers=headers, media_type="text/html")

    async def all_games(self, request: Request) -> Response:
        """Return all finished games as PGN."""
        name, folder = known(self._listing, request)
        if not await run_in_threadpool(of_store, self._store, folder, lambda store: store.counts.finished):
            raise HTTPException(404, NO_GAME)
        headers = {"Content-Disposition": f'attachment; filename="{_plain(name)}.pgn"'}
        return StreamingResponse(_each_pgn(folder), headers=headers, media_type=EXPORTS["pgn"][1])

    async def run_document(self, request: Request) -> Response:
        """Return the snapshot of a run."""
        follower = self._followers.get(known(self._listing, request)[0])
        if follower is None:
            raise HTTPException(404, NO_RUN)
        await follower.settled.wait()
        return answer(follower.document)

    async def live(self, request: Request) -> Response:
        """Return the stream of a run."""
        follower = self._followers.get(known(self._listing, request)[0])
        if follower is None:
            raise HTTPException(404, NO_RUN)
        await follower.settled.wait()
        query = request.query_params
        game = query.get("game", "0")
        after = request.headers.get("last-event-id") or query.get("after", "")
        viewer = self._followers.view(follower, int(game) if game.isdecimal() and len(game) <= DIGITS else 0, after)
        if viewer is None:
            raise HTTPException(503, "Too many viewers")
        return EventStream(viewer)

    async def games(self, request: Request) -> Response:
        """Return a page of its finished games."""
        _, folder = known(self._listing, request)
        query = request.query_params
        chosen = GameFilter(*(query.get(name, "") for name in GameFilter._fields))
        if chosen.outcome and chosen.outcome not in OUTCOMES:
            raise HTTPException(400, f"outcome: expected {', '.join(OUTCOMES)}")
        sheet = query.get("page", "1")
        number = int(sheet) if sheet.isdecimal() and len(sheet) <= DIGITS else 1
        return answer(await run_in_threadpool(of_store, self._store, folder, games_document, chosen, max(1, number)))

    async def game(self, request: Request) -> Response:
        """Return a game."""
        _, folder = known(self._listing, request)
        return answer(
            await run_in_threadpool(of_store, self._store, folder, game_document, request.path_params["number"])
        )

    async def export(self, request: Request) -> Response:
        """Return a game as a file."""
        name, folder = known(self._listing, request)
        kind: str = request.path_params["kind"]
        if kind not in EXPORTS:
            raise HTTPException(404, NO_GAME)
        made, media_type = EXPORTS[kind]
        number: int = request.path_params["number"]
        text = await run_in_threadpool(of_store, self._store, folder, _exported, number, made)
        headers = {"Content-Disposition": f'attachment; filename="{_plain(name)}-{number}.{kind}"'}
        return Response(text, headers=headers, media_type=media_type)


def known(listing: Listing, request: Request) -> tuple[str, Path]:
    """Return the name and the folder of the run of a request."""
    name: str = request.path_params["run"]
    folder = listing.folder(name)
    if folder is None:
        raise HTTPException(404, NO_RUN)
    return name, folder


def answer(document: object) -> Response:
    """Return a document as JSON; it changes."""
    return Response(msgspec.json.encode(document), headers={"Cache-Control": "no-store"}, media_type="application/json")


def store_of(settings: SiteSettings) -> type[Store]:
    """Return the view of a run that this server shows."""
    return PublicStore if settings.public else Store


def of_store(kind: type[Store], folder: Path, read: Callable[..., Any], *values: object, missing: str = NO_GAME) -> Any:  # noqa: ANN401 (JSON)
    """Return a document from the store of a run, or an answer without it; `missing` explains None."""
    if any(isinstance(value, int) and value > MOST_NUMBER for value in values):
        raise HTTPException(404, missing)
    try:
        with open_sound(folder, kind) as store:
            found = read(store, *values)
    except (UsageError, WorkError) as error:
        raise HTTPException(503, str(error)) from error
    if found is None:
        raise HTTPException(404, missing)
    return found


def _plain(name: str) -> str:
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in name)


def _each_pgn(folder: Path) -> Iterator[str]:
    """Yield each game, and in place of an impossible one a comment, because the answer has begun."""
    with open_sound(folder) as store:
        origin = RunOrigin(store.meta, store.schedule)
        for record in store.each_game():
            try:
                yield pgn_text(origin, replayed(folder / FILE, origin.game.id, record))
            except UsageError as error:
                yield f"; {error}\n\n"


def _exported(store: Store, number: int, made: Callable[[RunOrigin, GameRecord], str]) -> str | None:
    record = store.game(number)
    origin = RunOrigin(store.meta, store.schedule)
    if made is sgf_text and not has_sgf(origin.game):
        return None
    return None if record is None else made(origin, replayed(store.folder / FILE, origin.game.id, record))
