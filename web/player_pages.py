"""The pages of the players and pairs of a run, and their documents."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypedDict, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from fiedler.tournament.run.store import Store
from fiedler.web.followers import Followers
from fiedler.web.listing import Listing
from fiedler.web.player_documents import PairResults, PlayerResults, pair_document, player_document
from fiedler.web.run_pages import answer, known, of_store, store_of
from fiedler.web.settings import SiteSettings
from fiedler.web.shell import page

Found = TypeVar("Found")
NO_PLAYER = "There is no such player"
RATED_S = 5.0
"""Seconds to wait for the first ranking of a run; a page comes again."""


class RankingRow(TypedDict):
    """A player in the ranking so far."""

    name: str
    elo: float | None
    """Null without games."""
    minus: float | None
    """Length of the 95 % interval below `elo`."""
    plus: float | None
    """Length of the interval above it."""
    los: float | None
    """The likelihood that it is stronger than the next one; null for the last, and where it is unknown."""


class _RankedPart(TypedDict):
    """The ranking beside results."""

    ranking: list[RankingRow]
    """The best player first; empty at the beginning of a run."""
    final: bool
    """Whether the run is finished, and the ranking is that of all its games."""


class PlayerDocument(PlayerResults, _RankedPart):
    """The results of a player, with the ranking."""


class PairDocument(PairResults, _RankedPart):
    """The results of a pair as the player sees them, with the ranking."""


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
        name, (document, _) = await self._document(request, player_document, "player")
        return page(self._settings, f"{document['player']}: {name}", "player.js", data={"run": name})

    async def show_pair(self, request: Request) -> Response:
        """Return the page of a pair."""
        name, (document, _) = await self._document(request, pair_document, "player", "opponent")
        title = f"{document['player']} – {document['opponent']}: {name}"
        return page(self._settings, title, "pair.js", data={"run": name})

    async def player(self, request: Request) -> Response:
        """Return the results of a player, with the ranking."""
        name, (document, finished) = await self._document(request, player_document, "player")
        shown: PlayerDocument = {**document, **await self._ranked(name, document["state"], finished)}
        return answer(shown)

    async def pair(self, request: Request) -> Response:
        """Return the results of a pair, with the ranking."""
        name, (document, finished) = await self._document(request, pair_document, "player", "opponent")
        shown: PairDocument = {**document, **await self._ranked(name, document["state"], finished)}
        return answer(shown)

    async def _document(
        self, request: Request, read: Callable[..., tuple[Found, int] | None], *names: str
    ) -> tuple[str, tuple[Found, int]]:
        """Return the name of the run, results of the players that the query names, and the run's finished games."""
        name, folder = known(self._listing, request)

        def found(store: Store) -> tuple[Found, int] | None:
            return read(store, *(request.query_params.get(one, "") for one in names))

        return name, await run_in_threadpool(of_store, self._store, folder, found, missing=NO_PLAYER)

    async def _ranked(self, run: str, state: str, finished: int) -> _RankedPart:
        """Return the ranking, and whether it is that of all finished games of a finished run."""
        follower = self._followers.get(run)
        if follower is None:
            raise HTTPException(404, NO_PLAYER)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(RATED_S):
                await follower.rated.wait()
        standings = follower.standings
        if standings is None:
            return {"ranking": [], "final": False}
        ranking = [msgspec.convert(one, RankingRow) for one in standings["players"]]
        return {"ranking": ranking, "final": state == "finished" and standings["games"] == finished}
