"""The pages of the players and pairs of a run, and their documents."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from fiedler.tournament.run.store import Store
from fiedler.web.followers import Followers
from fiedler.web.listing import Listing
from fiedler.web.player_documents import pair_document, player_document
from fiedler.web.run_pages import answer, known, of_store, store_of
from fiedler.web.settings import SiteSettings
from fiedler.web.shell import page

NO_PLAYER = "There is no such player"
RATED_S = 5.0
"""Seconds to wait for the first ranking of a run; a page comes again."""


class PlayerPages:
    """The routes. Names are in the query: some have a slash, or are `..`."""

    def __init__(self, settings: SiteSettings, listing: Listing, followers: Followers) -> None:
        self._settings = settings
        self._listing = listing
        self._followers = followers
        self._store = store_of(settings)

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/runs/{run}/player", self.show_player),
            Route("/runs/{run}/pair", self.show_pair),
            Route("/api/runs/{run}/player", self.player),
            Route("/api/runs/{run}/pair", self.pair),
        ]

    async def show_player(self, request: Request) -> Response:
        """Return the page of a player."""
        name, document = await self._document(request, player_document, "player")
        return page(self._settings, f"{document['player']}: {name}", "player.js", data={"run": name})

    async def show_pair(self, request: Request) -> Response:
        """Return the page of a pair."""
        name, document = await self._document(request, pair_document, "player", "opponent")
        title = f"{document['player']} – {document['opponent']}: {name}"
        return page(self._settings, title, "pair.js", data={"run": name})

    async def player(self, request: Request) -> Response:
        """Return the results of a player, with the ranking."""
        return answer(await self._ranked(*await self._document(request, player_document, "player")))

    async def pair(self, request: Request) -> Response:
        """Return the results of a pair, with the ranking."""
        return answer(await self._ranked(*await self._document(request, pair_document, "player", "opponent")))

    async def _document(
        self, request: Request, read: Callable[..., dict[str, Any] | None], *names: str
    ) -> tuple[str, dict[str, Any]]:
        """Return the name of the run, and a document about the players that the query names."""
        name, folder = known(self._listing, request)

        def found(store: Store) -> dict[str, Any] | None:
            return read(store, *(request.query_params.get(one, "") for one in names))

        return name, await run_in_threadpool(of_store, self._store, folder, found, missing=NO_PLAYER)

    async def _ranked(self, run: str, document: dict[str, Any]) -> dict[str, Any]:
        """Return a document with the ranking, the best player first, and whether both are those of a finished run."""
        follower = self._followers.get(run)
        if follower is None:
            raise HTTPException(404, NO_PLAYER)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RATED_S):
                await follower.rated.wait()
        standings = follower.document.get("standings") or {"games": -1, "players": []}
        keys = ("name", "elo", "minus", "plus", "los")
        ranking = [{key: one[key] for key in keys} for one in standings["players"]]
        finished = document.pop("finished")
        is_final = document["state"] == "finished" and standings["games"] == finished
        return {**document, "ranking": ranking, "final": is_final}
