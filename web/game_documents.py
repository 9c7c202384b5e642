"""The games of a run as JSON: a page of a list, and one game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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


def games_document(store: Store, chosen: GameFilter, page: int) -> dict[str, Any]:
    """Return a page of the finished games that were chosen, the last ones first."""
    count, found = store.select(chosen, (page - 1) * A_PAGE, A_PAGE)
    return {
        "count": count,
        "page": page,
        "pages": max(1, -(-count // A_PAGE)),
        "players": store.players,
        "terminations": list(Termination),
        "failures": FAILURES,
        "games": [_line(record) for record in found],
    }


def game_document(store: Store, number: int) -> dict[str, Any] | None:
    """Return a game of the plan, finished or not; None if there is none."""
    planned = store.planned_game(number)
    if planned is None:
        return None
    record = store.game(number)
    game = str(store.meta["game"])
    details = (
        _finished(replayed(store.folder / FILE, game, record)) if record is not None else {"moves": planned.opening}
    )
    files = [] if record is None else ["pgn", "sgf"] if has_sgf(known_game(game)) else ["pgn"]
    shown = _replay(game, details["moves"], planned.start, "" if record is None else record.sides)
    return {**_planned(planned), "game": game, "replay": shown, "files": files, **details}


def _replay(game: str, moves: Sequence[str], start: str, sides: str) -> Replay | None:
    """Return the positions of a game; None if it is not known here."""
    known = known_game(game)
    return None if known is None else replay(known, moves, start, sides)


def _planned(planned: PlannedGame) -> dict[str, Any]:
    return {
        "number": planned.number,
        "id": planned.id,
        "first": planned.first,
        "second": planned.second,
        "opening": planned.opening,
        "start": planned.start,
        "result": None,
    }


def _finished(record: GameRecord) -> dict[str, Any]:
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


def _line(record: GameRecord) -> dict[str, Any]:
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
