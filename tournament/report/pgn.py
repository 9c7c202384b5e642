"""Games as PGN: the seven-tag roster, a few more tags, our own move notation, and always a result.

The first player is White. Comments have the score, depth and time of the moves, in the form of cutechess. Programs that
only count the results of PGN files, such as BayesElo, can rate them.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiedler.games.game import START
from fiedler.games.pgn import pgn_of, start_tags
from fiedler.tournament.evaluation import from_text
from fiedler.tournament.game import GameRecord
from fiedler.tournament.report.run import Run, RunOrigin, limit_text
from fiedler.tournament.schedule.schedule import LimitSection
from fiedler.tournament.termination import Termination

_TERMINATIONS = {
    Termination.RULES: "normal",
    Termination.RESIGNATION: "normal",
    Termination.ILLEGAL_MOVE: "rules infraction",
    Termination.TIME: "time forfeit",
    Termination.CRASH: "abandoned",
    Termination.DISCONNECT: "abandoned",
    Termination.ADJUDICATION: "adjudication",
}
"""Our terminations in the words of the PGN standard."""


def pgn(run: Run) -> Iterator[str]:
    """Yield the games of a run, one PGN text each, ended by an empty line."""
    for game in run.replayed_games():
        yield pgn_text(run, game)


def pgn_text(run: RunOrigin, game: GameRecord) -> str:
    """Return one game."""
    moves = run.game.pgn_moves(game.moves, game.start)
    return pgn_of(_tags(run, game), moves, game.result, _comments(game), sides=game.sides)


def _comments(game: GameRecord) -> list[str]:
    """Return the comment of each move, in the form of cutechess: `book`, or score, depth and time."""
    found = from_text(game.evaluations)
    return ["book"] * len(game.opening) + [one.comment for one in found] if found else []


def _tags(run: RunOrigin, game: GameRecord) -> dict[str, str]:
    date, _, clock = game.started.partition("T")
    return {
        "Event": run.name,
        "Site": "?",
        "Date": date.replace("-", "."),
        "Round": str(game.number),
        "White": game.first,
        "Black": game.second,
        "Result": game.result,
        "UTCDate": date.replace("-", "."),
        "UTCTime": clock[:8],
        "TimeControl": time_control(run.schedule.limit),
        "Limit": limit_text(run.schedule.limit),
        "Termination": _TERMINATIONS[game.termination],
        "TerminationDetail": f"{game.termination}: {game.detail}" if game.detail else game.termination,
        "PlyCount": str(len(game.moves)),
        "OpeningPlies": str(len(game.opening)),
        "Game": run.game.id,
        "GameId": game.id,
        **run.game.pgn_tags(),
        **({} if game.start == START else start_tags(run.game.written_start(game.start))),
    }


def time_control(limit: LimitSection) -> str:
    """Return the TimeControl tag: `base+increment` in seconds, `1/S` for S seconds a move, `-` without a clock."""
    if limit.base_ms is not None:
        increment = f"+{_seconds(limit.increment_ms)}" if limit.increment_ms else ""
        return f"{_seconds(limit.base_ms)}{increment}"
    return "-" if limit.movetime_ms is None else f"1/{_seconds(limit.movetime_ms)}"


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".")
