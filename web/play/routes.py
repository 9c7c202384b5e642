"""The pages and documents of playing."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Annotated, Any, TypedDict

import msgspec
from msgspec import Meta, Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from fiedler.games import Game, game
from fiedler.protocol import Limit
from fiedler.support.errors import UsageError
from fiedler.web.boards import files_of, game_of
from fiedler.web.play.offers import OfferedEngine
from fiedler.web.play.people import MOST_NAME, RATED_MS
from fiedler.web.play.table import Contestants, PlayTable
from fiedler.web.play.tables import FullError, PlayTables
from fiedler.web.settings import SiteSettings
from fiedler.web.shell import page
from fiedler.web.viewer import HEADERS

MOST_BYTES = 4096
"""Most bytes of a request."""
MOST_MS = 30_000
"""The longest think time of an engine for a move."""
MOST_NODES = 100_000_000
NETWORK_BITS = 64
"""The bits of an IPv6 address that one visitor has: a household gets such a network."""


class GameRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The request for a game."""

    game: str
    """Its id."""
    first: str = ""
    """The engine that moves first; empty: a person."""
    second: str = ""
    time_ms: Annotated[int, Meta(ge=1, le=MOST_MS)] | None = None
    """The time of an engine for a move; without it and `nodes` the one of the ratings."""
    nodes: Annotated[int, Meta(ge=1, le=MOST_NODES)] | None = None
    """Instead of a time; the engine thinks for 30 s at most."""
    person: Annotated[str, Meta(max_length=MOST_NAME)] = ""
    """The name of the person; with it a game against a rated player counts."""


class PersonMove(Struct, frozen=True, forbid_unknown_fields=True):
    """The request to make a move after `ply` moves."""

    move: Annotated[str, Meta(max_length=16)]
    ply: int
    """The moves so far: a request that comes late is refused."""


class Rival(TypedDict):
    """An engine that people may play against."""

    name: str
    elo: float | None
    """Its measured rating at `rated_ms` a move; null: not measured."""
    error: float | None
    """Half of the 95 % interval of that."""


class RivalsDocument(TypedDict):
    """What a server offers for a game."""

    players: list[Rival]
    rated_ms: int
    """The time a move, in milliseconds, at which the ratings were measured."""
    most_ms: int
    """The longest think time of an engine for a move, in milliseconds."""
    files: list[str]
    """The forms in which a game can be saved: `pgn`, `sgf`."""


class PlayPages:
    """The pages of playing, and their documents."""

    def __init__(self, settings: SiteSettings, tables: PlayTables) -> None:
        self._settings = settings
        self._offers = settings.offers
        self._tables = tables

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/play", self._choose),
            Route("/play/{game}", self._play),
            Route("/api/games/{game}/players", self._offered),
            Route("/api/play", self._begin, methods=["POST"]),
            Route("/api/play/{key}", self._show),
            Route("/api/play/{key}/live", self._live),
            Route("/api/play/{key}/{word}", self._act, methods=["POST"]),
        ]

    async def _choose(self, request: Request) -> Response:  # noqa: ARG002
        return page(self._settings, "Play", "play_list.js")

    async def _play(self, request: Request) -> Response:
        shown = game_of(request)
        return page(self._settings, f"Play {shown.name}", "play.js", data={"game": shown.id})

    async def _offered(self, request: Request) -> Response:
        shown = game_of(request)
        offers = self._offers.of(shown.id)
        document: RivalsDocument = {
            "players": [{"name": one.name, "elo": one.elo, "error": one.error} for one in offers],
            "rated_ms": RATED_MS,
            "most_ms": MOST_MS,
            "files": files_of(shown),
        }
        return JSONResponse(document)

    async def _begin(self, request: Request) -> Response:
        wanted = await _body(request, GameRequest)
        try:
            shown = game(wanted.game)
            seats = Contestants(self._offer(shown, wanted.first), self._offer(shown, wanted.second))
            person, address = " ".join(wanted.person.split()), _address(request)
            table = self._tables.begin(shown, seats, _limit(wanted), person, address)
        except FullError as error:
            raise HTTPException(429, str(error)) from None
        except UsageError as error:
            raise HTTPException(400, str(error)) from None
        return _state(table, 201)

    async def _show(self, request: Request) -> Response:
        return _state(self._table(request))

    async def _live(self, request: Request) -> Response:
        table = self._table(request)
        return StreamingResponse(table.stream(), media_type="text/event-stream", headers=HEADERS)

    async def _act(self, request: Request) -> Response:
        table, word = self._table(request), request.path_params["word"]
        try:
            if word == "move":
                wanted = await _body(request, PersonMove)
                await table.play(wanted.move, wanted.ply)
            elif word == "close":
                await self._tables.remove(table)
            elif word in ACTIONS:
                await ACTIONS[word](table)
            else:
                raise HTTPException(404)
        except UsageError as error:
            raise HTTPException(409, str(error)) from None
        return _state(table)

    def _table(self, request: Request) -> PlayTable:
        found = self._tables.find(request.path_params["key"])
        if found is None:
            raise HTTPException(404, "This game has ended here")
        return found

    def _offer(self, shown: Game, name: str) -> OfferedEngine | None:
        """Return the engine of this name, None for a person; raises UsageError if it is not offered."""
        if not name:
            return None
        found = self._offers.find(shown.id, name)
        if found is None:
            raise UsageError(f"no player {name[:64]!r} is offered for {shown.id}")
        return found


ACTIONS = {"undo": PlayTable.undo, "hint": PlayTable.hint, "resign": PlayTable.resign, "retry": PlayTable.retry}


def _address(request: Request) -> str:
    """Return the address of a visitor, of IPv6 its network; empty for this machine.

    Behind a proxy of this machine it is the one in X-Forwarded-For.
    """
    host = request.client.host if request.client is not None else ""
    try:
        found = ip_address(host)
    except ValueError:
        return host
    if found.is_loopback:
        return ""
    return str(ip_network((found, NETWORK_BITS), strict=False)) if isinstance(found, IPv6Address) else host


def _limit(wanted: GameRequest) -> Limit:
    if wanted.nodes is not None:
        return Limit(nodes=wanted.nodes, movetime_ms=MOST_MS)
    return Limit(movetime_ms=wanted.time_ms or RATED_MS)


def _state(table: PlayTable, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(table.document(), status, headers=headers, media_type="application/json")


async def _body(request: Request, kind: type[Any]) -> Any:  # noqa: ANN401 - a struct of this kind
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise HTTPException(413, f"expected at most {MOST_BYTES} bytes")
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise HTTPException(400, str(error)) from None
