"""The games of a run as rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fiedler.tournament.game import GameRecord, reason
from fiedler.tournament.run.run_file import find_run
from fiedler.tournament.run.store import Store


@dataclass(frozen=True, slots=True)
class RunGame:
    """A finished game of a run: a row for `pandas.DataFrame`, `rate` and `played_graph`."""

    number: int
    """Its place in the schedule, from 1."""
    white: str
    """The name of the player that moved first."""
    black: str
    result: str
    """1-0, 1/2-1/2 or 0-1."""
    reason: str
    """The end of the game: the rule, or the failure of the loser with its details."""
    termination: str
    """`rules`, `resignation`, `adjudication`, or a failure such as `time`."""
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    """All moves; those of the opening come first."""
    seconds_white: float
    """Wall time of all moves of a side."""
    seconds_black: float
    finished: str
    """ISO 8601, UTC."""

    @property
    def plies(self) -> int:
        """The number of moves of both sides, with the opening."""
        return len(self.moves)


def played_games(run: str | Path, *, results: str | Path = "results") -> tuple[RunGame, ...]:
    """Return the finished games of a run, in the order of the schedule; also while it is played.

    Args:
        run: The folder of the run, or its name under `results`.
        results: The folder of the runs.

    Raises:
        UsageError: There is no such run, or it cannot be read.
    """
    with Store.open(find_run(str(run), Path(results))) as store:
        return tuple(_row(record) for record in store.each_game())


def _row(record: GameRecord) -> RunGame:
    return RunGame(
        number=record.number,
        white=record.first,
        black=record.second,
        result=record.result.value,
        reason=reason(record),
        termination=record.termination.value,
        opening=record.opening,
        moves=record.moves,
        seconds_white=record.seconds_first,
        seconds_black=record.seconds_second,
        finished=record.finished,
    )
