"""The application: its pages, its interface, its errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from fiedler.support.guesses import Guesses
from fiedler.web import boards, login
from fiedler.web.assets import Assets
from fiedler.web.followers import Followers
from fiedler.web.guard import Guard
from fiedler.web.listing import Listing
from fiedler.web.play.people import People
from fiedler.web.play.routes import PlayPages
from fiedler.web.play.tables import PlayTables
from fiedler.web.player_pages import PlayerPages
from fiedler.web.public import UNREADABLE
from fiedler.web.run_list import RunList
from fiedler.web.run_pages import RunPages
from fiedler.web.settings import SiteSettings
from fiedler.web.shell import failure

MESSAGES = {404: "There is no such page", 405: "This page takes no such request"}


def application(settings: SiteSettings) -> Starlette:
    """Return the application; its `state` has the listing, the followers and the tables."""
    assets, guesses = Assets(), Guesses()
    listing = Listing(settings.results)
    tables = PlayTables(People(settings.results), most_per_address=settings.play_per_address)
    followers = Followers(listing, settings.viewers, public=settings.public)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with followers.running(), tables.running():
            yield

    async def static(request: Request) -> Response:
        return assets.answer(request)

    async def healthz(request: Request) -> Response:  # noqa: ARG001
        return PlainTextResponse("ok\n")

    async def explain(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        text = MESSAGES.get(status, "This failed")
        if isinstance(error, HTTPException) and error.detail != HTTPStatus(status).phrase:
            text = UNREADABLE if settings.public and status >= 500 else error.detail
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": text}, status)
        return failure(settings, status, text)

    async def left(request: Request, error: Exception) -> Response:  # noqa: ARG001
        return Response()  # nobody reads it

    routes: list[BaseRoute] = [
        Route("/healthz", healthz),
        Route("/static/{name}", static),
        *login.routes(settings, guesses),
        *RunList(settings, listing).routes(),
        *RunPages(settings, listing, followers).routes(),
        *PlayerPages(settings, listing, followers).routes(),
        *boards.routes(settings),
        *PlayPages(settings, tables).routes(),
    ]
    guard = Middleware(Guard, settings, guesses)
    handlers = {HTTPException: explain, ClientDisconnect: left}
    app = Starlette(routes=routes, middleware=[guard], exception_handlers=handlers, lifespan=lifespan)
    app.state.listing, app.state.followers, app.state.tables = listing, followers, tables
    return app
