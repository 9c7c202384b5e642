"""The games of a run as JSON: a page of a list, and one game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from fiedler.games import known_game
from fiedler.games.replay import Replay, replay
from fiedler.games.sgf import has_sgf
from fiedler.tournament.evaluation import scores
from fiedler.tournament.game import GameRecord, PlannedGame, reason
from fiedler.tournament.run.records import GameFilter
from fiedler.tournament.run.replayed import replayed
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.store import Store
from fiedler.tournament.termination import FAILURES, Termination

A_PAGE = 100
"""Games of one page."""


class ListedGame(TypedDict):
    """A finished game in a list."""

    number: int
    """Of the plan, from 1."""
    first: str
    """The player that moved first."""
    second: str
    result: str
    """`1-0`, `1/2-1/2` or `0-1`."""
    termination: str
    """Why it ended, in a word."""
    reason: str
    """The same in a sentence."""
    plies: int
    finished: str
    """ISO 8601."""


class GamesPage(TypedDict):
    """A page of the finished games that were chosen, the last ones first."""

    count: int
    """Games that were chosen."""
    page: int
    """From 1."""
    pages: int
    players: tuple[str, ...]
    terminations: list[str]
    """The values of the filter of that name."""
    failures: list[str]
    """Those that are the failure of a player."""
    games: list[ListedGame]


class PlyScore(TypedDict):
    """The score that a side gave when it made the move of a ply."""

    ply: int
    """From 1."""
    side: int
    """0 or 1."""
    value: float
    """The expected score of the first player, from 0 to 1."""


class _PlannedPart(TypedDict):
    """What is known of a game before it is played."""

    number: int
    """From 1."""
    id: str
    first: str
    """The player that moves first."""
    second: str
    opening: tuple[str, ...]
    """The moves that both players are given."""
    start: str
    """The position before them, in one word."""


class _FinishedPart(TypedDict):
    """What a game has when it is over."""

    moves: tuple[str, ...]
    """All moves, with those of the opening."""
    result: str | None
    """`1-0`, `1/2-1/2` or `0-1`; null if it is not finished."""
    termination: NotRequired[str]
    """Why it ended, in a word."""
    reason: NotRequired[str]
    """The same in a sentence."""
    started: NotRequired[str]
    """ISO 8601."""
    finished: NotRequired[str]
    """ISO 8601."""
    scores: NotRequired[list[PlyScore]]
    """Those of both sides; a player that does not search has none."""
    seconds: NotRequired[list[float]]
    """The thinking time of the first and of the second player."""


class GameDocument(_PlannedPart, _FinishedPart):
    """A game of the plan; one that is not finished has the moves of its opening alone."""

    game: str
    """The id of the game that is played."""
    replay: Replay | None
    """The positions; null: the game is not known here."""
    files: list[str]
    """The forms in which it can be saved, `pgn` and `sgf`; none if it is not finished."""


def games_document(store: Store, chosen: GameFilter, page: int) -> GamesPage:
    """Return a page of the finished games that were chosen, the last ones first."""
    count, found = store.select(chosen, (page - 1) * A_PAGE, A_PAGE)
    return {
        "count": count,
        "page": page,
        "pages": max(1, -(-count // A_PAGE)),
        "players": store.players,
        "terminations": list(Termination),
        "failures": list(FAILURES),
        "games": [_line(record) for record in found],
    }


def game_document(store: Store, number: int) -> GameDocument | None:
    """Return a game of the plan, finished or not; None if there is none."""
    planned = store.planned_game(number)
    if planned is None:
        return None
    record = store.game(number)
    game = str(store.meta["game"])
    details: _FinishedPart = {"moves": planned.opening, "result": None}
    if record is not None:
        details = _finished(replayed(store.folder / FILE, game, record))
    files = [] if record is None else ["pgn", "sgf"] if has_sgf(known_game(game)) else ["pgn"]
    shown = _replay(game, details["moves"], planned.start, "" if record is None else record.sides)
    return {**_planned(planned), "game": game, "replay": shown, "files": files, **details}


def _replay(game: str, moves: Sequence[str], start: str, sides: str) -> Replay | None:
    """Return the positions of a game; None if it is not known here."""
    known = known_game(game)
    return None if known is None else replay(known, moves, start, sides)


def _planned(planned: PlannedGame) -> _PlannedPart:
    return {
        "number": planned.number,
        "id": planned.id,
        "first": planned.first,
        "second": planned.second,
        "opening": planned.opening,
        "start": planned.start,
    }


def _finished(record: GameRecord) -> _FinishedPart:
    return {
        "moves": record.moves,
        "result": record.result,
        "termination": record.termination,
        "reason": reason(record),
        "started": record.started,
        "finished": record.finished,
        "scores": [{"ply": ply, "side": side, "value": round(value, 4)} for ply, side, value in scores(record)],
        "seconds": [round(record.seconds_first, 3), round(record.seconds_second, 3)],
    }


def _line(record: GameRecord) -> ListedGame:
    """Return a game in a list."""
    return {
        "number": record.number,
        "first": record.first,
        "second": record.second,
        "result": record.result,
        "termination": record.termination,
        "reason": reason(record),
        "plies": len(record.moves),
        "finished": record.finished,
    }
