"""The geometry of every game and the positions of any line of moves, as documents: pages know no rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypedDict

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from fiedler.games import GAMES, REGISTERED, AnyGame, Game, known_game
from fiedler.games import geometry as geometries
from fiedler.games import replay as replays
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.openspiel_library import PREFIX
from fiedler.games.pgn import end_tags, pgn_of
from fiedler.games.replay import Replay
from fiedler.games.result import UNFINISHED, Result
from fiedler.games.rules import RulesError
from fiedler.games.sgf import has_sgf, sgf_of, sgf_points, sgf_result, sgf_value
from fiedler.web.settings import SiteSettings

MOST_NAME = 64
"""The most characters of a player's name."""
MOST_MOVES = 4096
"""The most moves of a line, as of a line of the protocols."""


class ListedKind(TypedDict):
    """A game that people play here."""

    id: str
    name: str
    description: str
    example: str
    """Moves of a game, for a picture; separated by spaces."""


class GamesDocument(TypedDict):
    """The games that people play here."""

    games: list[ListedKind]


def routes(settings: SiteSettings) -> list[BaseRoute]:  # noqa: ARG001
    """Return the routes."""
    known = {game.id: geometries.to_json(geometries.geometry(game)) for game in GAMES.values()}

    async def listed(request: Request) -> Response:  # noqa: ARG001
        shown: GamesDocument = {
            "games": [
                {"id": game.id, "name": game.name, "description": game.description, "example": _example(game)}
                for game in GAMES.values()
            ]
        }
        return JSONResponse(shown)

    async def geometry(request: Request) -> Response:
        game = any_game_of(request)
        if game.id not in known and not game.has_cells:
            raise HTTPException(404)
        return _document(known.get(game.id) or geometries.to_json(geometries.geometry(game)))

    async def replay(request: Request) -> Response:
        moves = request.query_params.get("moves", "").split()
        start = request.query_params.get("start", "startpos")
        sides = request.query_params.get("sides", "")
        return _document(replays.to_json(line(any_game_of(request), moves, start, sides)))

    async def record(request: Request) -> Response:
        return _record(any_game_of(request), request.path_params["form"], request.query_params)

    return [
        Route("/api/games/{game}/record.{form}", record),
        Route("/api/games", listed),
        Route("/api/games/{game}/geometry", geometry),
        Route("/api/games/{game}/replay", replay),
    ]


def any_game_of(request: Request) -> AnyGame:
    """Return the game whose id the path has; raises HTTPException 404 if there is none."""
    name = request.path_params["game"]
    # the sizes of a visitor load nothing of OpenSpiel's; a run's own game is loaded with the run
    game = REGISTERED.get(name) if name.startswith(PREFIX) else known_game(name)
    if game is None:
        raise HTTPException(404)
    return game


def game_of(request: Request) -> Game:
    """Return the game that people play here and that the path names; raises HTTPException 404 if there is none."""
    game = GAMES.get(request.path_params["game"])
    if game is None:
        raise HTTPException(404)
    return game


def files_of(game: AnyGame) -> list[str]:
    """Return the forms in which a game can be saved."""
    return ["pgn", *(["sgf"] if has_sgf(game) else [])]


def line(game: AnyGame, moves: Sequence[str], start: str = "startpos", sides: str = "") -> Replay:
    """Return the replay of moves from a browser; raises HTTPException 400 in one sentence if one is wrong."""
    if len(moves) > MOST_MOVES:
        raise HTTPException(400, f"expected at most {MOST_MOVES} moves, got {len(moves)}")
    if sides and (set(sides) - {*"01"} or not len(moves) <= len(sides) <= len(moves) + 1):
        raise HTTPException(400, "expected a side, 0 or 1, for each move, and one more at most")
    try:
        return replays.replay(game, moves, start, sides)
    except (IllegalMoveError, PositionError, RulesError) as error:
        raise HTTPException(400, str(error)) from None


def _example(game: Game) -> str:
    """Return the moves of the example on the game's page."""
    return game.example.partition(" moves ")[2]


def _record(game: AnyGame, form: str, wanted: Mapping[str, str]) -> Response:
    """Return a game as PGN or SGF; the request has its moves, the names of the players, the result and the level."""
    moves = wanted.get("moves", "").split()
    shown = line(game, moves)
    names = [_name(wanted.get(side, ""), game.sides[place]) for place, side in enumerate(("first", "second"))]
    result = wanted.get("result", shown.result)
    if result not in {UNFINISHED, *Result} or (shown.result not in {UNFINISHED, result}):
        raise HTTPException(400, "expected the result of the game")
    date = datetime.now().astimezone()
    if form == "pgn":
        tags = {"Event": "Fiedler", "Site": "?", "Date": f"{date:%Y.%m.%d}", "Round": "-"}
        tags |= {"White": names[0], "Black": names[1], "Result": result}
        tags |= end_tags(result, resigned=shown.result == UNFINISHED)
        if level := _name(wanted.get("level", ""), ""):
            tags["Level"] = level
        tags |= {"Game": game.id, **game.pgn_tags()}
        text = pgn_of(tags, game.pgn_moves(moves), result, sides=shown.sides[: len(moves)])
    elif form == "sgf" and has_sgf(game):
        reason = "R" if shown.result == UNFINISHED else sgf_points(game, moves)
        head = {"PB": sgf_value(names[0]), "PW": sgf_value(names[1]), "DT": f"{date:%Y-%m-%d}"}
        text = sgf_of(game, "Fiedler", {**head, "RE": sgf_result(result, reason), "C": " ".join(moves)}, moves)
    else:
        raise HTTPException(404)
    headers = {"Content-Disposition": f'attachment; filename="{game.id}.{form}"', "Cache-Control": "no-store"}
    return Response(text, media_type="text/plain", headers=headers)


def _name(given: str, otherwise: str) -> str:
    return "".join(sign for sign in given if sign.isprintable())[:MOST_NAME] or otherwise


def _document(body: bytes) -> Response:
    return Response(body, media_type="application/json")
