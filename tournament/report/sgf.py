"""Games as SGF, version FF[4]: a collection with one game tree per game; `games/sgf.py` has its form.

The comment of the root has the moves in our notation.
"""

from __future__ import annotations

from collections.abc import Iterator

from fiedler.games.sgf import has_sgf, sgf_of, sgf_points, sgf_result, sgf_value
from fiedler.support.errors import UsageError
from fiedler.tournament.game import GameRecord
from fiedler.tournament.report.run import Run, RunOrigin, limit_text
from fiedler.tournament.termination import Termination

_REASONS = {
    Termination.RESIGNATION: "R",
    Termination.TIME: "T",
    **dict.fromkeys((Termination.ILLEGAL_MOVE, Termination.CRASH, Termination.DISCONNECT), "F"),
}


def sgf(run: Run) -> Iterator[str]:
    """Yield the games of a run, one SGF game tree a line."""
    for game in run.replayed_games():
        yield sgf_text(run, game)


def sgf_text(run: RunOrigin, game: GameRecord) -> str:
    """Return one game as an SGF game tree.

    Raises:
        UsageError: The game has no board of points.
    """
    if not has_sgf(run.game):
        raise UsageError(f"sgf: expected a game of stones on a board, got {run.game.id}")
    program = f"Fiedler:{_composed(str(run.meta.get('version', '?')))}"
    return sgf_of(run.game, program, _root(run, game), game.moves, game.start)


def _root(run: RunOrigin, game: GameRecord) -> dict[str, str]:
    limit = run.schedule.limit
    timing = {"OT": sgf_value(limit_text(limit))} if limit.base_ms is None else {"TM": f"{limit.base_ms / 1000:g}"}
    if limit.increment_ms:
        timing["OT"] = f"{limit.increment_ms} ms increment"
    moves = " ".join(game.moves)
    reason = _REASONS.get(game.termination) or sgf_points(run.game, game.moves, game.start)
    return {
        "EV": sgf_value(run.name),
        "RO": str(game.number),
        "GN": sgf_value(game.id),
        "PB": sgf_value(game.first),
        "PW": sgf_value(game.second),
        "DT": game.started[:10],
        **timing,
        "RE": sgf_result(game.result, reason),
        "C": sgf_value(f"{run.game.name}: {moves} ({game.termination}: {game.detail})"),
    }


def _composed(value: str) -> str:
    """Escape a part of a composed value, which has a colon."""
    return sgf_value(value).replace(":", "\\:")
