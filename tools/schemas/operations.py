"""The requests that the pages answer with data, as the table of the OpenAPI file; tests compare it with a server."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fiedler.games.geometry import Geometry
from fiedler.games.replay import Replay
from fiedler.tournament.run.node_table import NodesDocument
from fiedler.tournament.run.records import OUTCOMES
from fiedler.tournament.termination import Termination
from fiedler.web.boards import MOST_MOVES, GamesDocument
from fiedler.web.game_documents import GameDocument, GamesPage
from fiedler.web.play.routes import ACTIONS, MOST_BYTES, GameRequest, PersonMove, RivalsDocument
from fiedler.web.play.table import PlayState
from fiedler.web.player_pages import PairDocument, PlayerDocument
from fiedler.web.run_list import RunsDocument
from fiedler.web.run_model import Change
from fiedler.web.running import RunningGamesNews
from fiedler.web.snapshot import PairPlan, RunSnapshot, RunTrouble, ShownState
from fiedler.web.standings import Standings
from tools.schemas.draft7 import Json

STREAM = "text/event-stream"
TEXT: Json = {"type": "string"}
PING = "A sign of life, after 15 s without another message: who gets nothing for 40 s has lost the line."


@dataclass(frozen=True)
class Parameter:
    """A value in a request."""

    name: str
    doc: str
    schema: Json = field(default_factory=lambda: TEXT)
    place: str = "query"
    """`path`, `query` or `header`."""
    required: bool = False


@dataclass(frozen=True)
class Operation:
    """A request, and its answer."""

    method: str
    path: str
    doc: str
    """The first sentence is the summary."""
    answers: tuple[object, ...] = ()
    """The type of the document, or several of which it is one."""
    parameters: tuple[Parameter, ...] = ()
    body: object = None
    """The type of the document in the request."""
    media: tuple[str, ...] = ("application/json",)
    """The types of the content of the answer; another one than JSON is a text."""
    events: Mapping[str, tuple[object, str]] = field(default_factory=dict)
    """Of a stream: event -> the type of its data, None for an empty object, and what it means."""
    status: int = 200
    errors: Mapping[int, str] = field(default_factory=dict)


def _path(name: str, doc: str, schema: Json = TEXT) -> Parameter:
    return Parameter(name, doc, schema, "path", required=True)


def _words(words: Iterable[object]) -> Json:
    return {"type": "string", "enum": [str(word) for word in words]}


RUN = _path("run", "The name of the run, as `/api/runs` has it.")
GAME = _path("game", "The id of the game.")
NUMBER = _path("number", "The number of the game in the plan, from 1.", {"type": "integer", "minimum": 1})
KEY = _path("key", "The `id` of the game.")
PLAYER = Parameter("player", "The name of the player.", required=True)
OPPONENT = Parameter("opponent", "The name of the other player.", required=True)
MOVES = Parameter("moves", f"The moves, separated by spaces; {MOST_MOVES:,} at most.")
NO_RUN = {404: "There is no such run."}
UNREADABLE = {503: "The run cannot be read."}
NO_GAME = {404: "There is no such run, or no such game in it.", **UNREADABLE}
NO_PLAYER = {404: "There is no such run, or no such player in it.", **UNREADABLE}
WRONG_LINE = {400: "A move, the start or a side is wrong.", 404: "There is no such game."}
GONE = {404: "There is no such game, or it was closed."}
NOT_NOW = {409: "The move is not legal, or this cannot be done now."}
TOO_LONG = {413: f"The request has more than {MOST_BYTES:,} bytes."}
WRONG = {400: "The request is wrong."}

RUN_EVENTS: dict[str, tuple[object, str]] = {
    "snapshot": (RunSnapshot, "The run as it is. Its `id` is that of the event."),
    "changes": (list[Change], "One for each line of `events.jsonl` since the last message."),
    "progress": (ShownState, "Replaces this part of the snapshot."),
    "plan": (list[PairPlan], "Replaces this part of the snapshot."),
    "standings": (Standings | None, "Replaces this part of the snapshot."),
    "nodes": (NodesDocument | None, "Replaces this part of the snapshot."),
    "tables": (RunningGamesNews, "Positions of running games, at most four times a second."),
    "finished": (int, "The number of the game of `?game=`, which is over."),
    "trouble": (RunTrouble, "Why there is no snapshot."),
    "ping": (None, PING),
}
PLAY_EVENTS: dict[str, tuple[object, str]] = {
    "state": (PlayState, "The state, now and after each change."),
    "gone": (None, "The game was closed: the last event."),
    "ping": (None, PING),
}

RUNS = (
    Operation("get", "/api/runs", "The runs of the folder.", (RunsDocument,)),
    Operation(
        "get",
        "/api/runs/{run}",
        "The snapshot of a run. Without one, the reason.",
        (RunSnapshot, RunTrouble),
        (RUN,),
        errors=NO_RUN,
    ),
    Operation(
        "get",
        "/api/runs/{run}/live",
        "The stream of a run. It begins with `snapshot`; or with the changes after the event that the request names. "
        "A stream with `game` has `tables` and `finished` of this game alone.",
        parameters=(
            RUN,
            Parameter("game", "The number of a game.", {"type": "integer", "minimum": 1}),
            Parameter("after", "The id of the last event that is known."),
            Parameter("Last-Event-ID", "The same, as browsers send it.", place="header"),
        ),
        media=(STREAM,),
        events=RUN_EVENTS,
        errors={**NO_RUN, 503: "There are too many viewers."},
    ),
    Operation(
        "get",
        "/api/runs/{run}/games",
        "A page of the finished games. It has 100 games, the last ones first.",
        (GamesPage,),
        (
            RUN,
            Parameter("player", "A player of either side."),
            Parameter("opponent", "The other player."),
            Parameter("outcome", "The outcome for the player; without one for the first player.", _words(OUTCOMES)),
            Parameter("termination", "Why the games ended.", _words(Termination)),
            Parameter("page", "The page.", {"type": "integer", "minimum": 1, "default": 1}),
        ),
        errors={400: "The outcome is unknown.", **NO_RUN, **UNREADABLE},
    ),
    Operation(
        "get",
        "/api/runs/{run}/games.pgn",
        "All finished games. Not on a server with `--public`.",
        parameters=(RUN,),
        media=("application/vnd.chess-pgn",),
        errors={404: "There is no such run, or it has no finished game.", **UNREADABLE},
    ),
    Operation(
        "get",
        "/api/runs/{run}/games/{number}",
        "A game of the plan, finished or not.",
        (GameDocument,),
        (RUN, NUMBER),
        errors=NO_GAME,
    ),
    Operation(
        "get",
        "/api/runs/{run}/games/{number}.{kind}",
        "A finished game as a file.",
        parameters=(RUN, NUMBER, _path("kind", "A form of the `files` of the game.", _words(("pgn", "sgf")))),
        media=("application/vnd.chess-pgn", "application/x-go-sgf"),
        errors=NO_GAME,
    ),
    Operation(
        "get",
        "/api/runs/{run}/player",
        "The results of a player.",
        (PlayerDocument,),
        (RUN, PLAYER),
        errors=NO_PLAYER,
    ),
    Operation(
        "get",
        "/api/runs/{run}/pair",
        "The results of a pair, as the player sees them.",
        (PairDocument,),
        (RUN, PLAYER, OPPONENT),
        errors=NO_PLAYER,
    ),
)
GAMES = (
    Operation("get", "/api/games", "The games that people play here.", (GamesDocument,)),
    Operation(
        "get",
        "/api/games/{game}/geometry",
        "The board of a game, also of a registered one that has cells.",
        (Geometry,),
        (GAME,),
        errors={404: "There is no such game, or it has no cells."},
    ),
    Operation(
        "get",
        "/api/games/{game}/replay",
        "The positions after each of the moves, and the legal moves after the last one.",
        (Replay,),
        (
            GAME,
            MOVES,
            Parameter("start", "The position before the first move, in one word."),
            Parameter("sides", "The side of each move, 0 or 1, and one more at most: in a game without rules."),
        ),
        errors=WRONG_LINE,
    ),
    Operation(
        "get",
        "/api/games/{game}/record.{form}",
        "A game as a file.",
        parameters=(
            GAME,
            _path("form", "The form.", _words(("pgn", "sgf"))),
            MOVES,
            Parameter("first", "The name of the first player."),
            Parameter("second", "The name of the second player."),
            Parameter("result", "The result; without one that of the rules."),
            Parameter("level", "The level of the engines, a tag of PGN."),
        ),
        media=("text/plain",),
        errors={**WRONG_LINE, 404: "There is no such game, or it has no such form."},
    ),
    Operation(
        "get",
        "/api/games/{game}/players",
        "The engines that people may play against.",
        (RivalsDocument,),
        (GAME,),
        errors={404: "There is no such game."},
    ),
)
PLAY = (
    Operation(
        "post",
        "/api/play",
        "A new game. A side without an engine is a person.",
        (PlayState,),
        body=GameRequest,
        status=201,
        errors={**WRONG, **TOO_LONG, 429: "Too many games are under way, here or of this address."},
    ),
    Operation("get", "/api/play/{key}", "The state of a game.", (PlayState,), (KEY,), errors=GONE),
    Operation(
        "get",
        "/api/play/{key}/live",
        "The stream of the states of a game. The fifth one of a game is empty.",
        parameters=(KEY,),
        media=(STREAM,),
        events=PLAY_EVENTS,
        errors=GONE,
    ),
    Operation(
        "post",
        "/api/play/{key}/move",
        "A move of a person.",
        (PlayState,),
        (KEY,),
        PersonMove,
        errors={**WRONG, **GONE, **NOT_NOW, **TOO_LONG},
    ),
    Operation(
        "post",
        "/api/play/{key}/{action}",
        "Another action of a person. `undo` takes the last move back, `hint` asks the engine for a move, `resign` "
        "resigns, `retry` lets an engine that failed try again, `close` ends the game here.",
        (PlayState,),
        (KEY, _path("action", "The action.", _words((*ACTIONS, "close")))),
        errors={**GONE, **NOT_NOW},
    ),
)
HEALTH = Operation("get", "/healthz", "Whether the server lives: `ok`. No token is needed.", media=("text/plain",))
OPERATIONS = (*RUNS, *GAMES, *PLAY, HEALTH)
