"""The evaluation of openings by an engine process: `[openings] balance`."""

from __future__ import annotations

from pathlib import Path

from fiedler import protocol
from fiedler.client import EngineError, open_engine
from fiedler.games.openings import Opening
from fiedler.support.errors import UsageError
from fiedler.tournament.play.server_process import engine_program
from fiedler.tournament.schedule.balance import Balance

START_SECONDS = 120.0
"""The time for the process to start, on a machine that may be busy."""


class OpeningEvaluator:
    """An `engine serve --stdio` process that searches one position after the other. Its methods block."""

    def __init__(self, game: str, balance: Balance, folder: Path) -> None:
        """Start the process; `folder` is that of the paths of the schedule.

        Raises:
            UsageError: it does not run, for example because the player or a setting is unknown.

        """
        command = (engine_program(), "serve", "--stdio", "--game", game, *balance.player.within(folder).arguments)
        self._limit = balance.limit
        try:
            self._engine = open_engine(command, game, start_seconds=START_SECONDS, answer_seconds=None)
        except EngineError as error:
            raise _gone(error) from error
        self._settings = {"seed": 0} if "seed" in self._engine.options else {}

    def score(self, opening: Opening) -> float:
        """Return the expected score, 0 to 1, of the side to move after an opening.

        The score does not depend on earlier calls.

        Raises:
            UsageError: the process ended, also by `close`, or the player reports no scores.

        """
        text = " ".join([opening.start, "moves", *opening.moves] if opening.moves else [opening.start])
        try:
            found = self._engine.play(text, self._limit, options=self._settings, new_game=True)
        except EngineError as error:
            raise _gone(error) from error
        score = reported_score(found.info)
        if score is None:
            raise UsageError("this player reports no scores")
        return score

    def close(self) -> None:
        """End the process; may be called from another thread than the one that waits for a score."""
        self._engine.close()


def _gone(error: EngineError) -> UsageError:
    """Return the error with the last line of the process, or else with its end."""
    return UsageError(f"engine serve: {error.stderr.removeprefix('error: ') or error}")


def reported_score(info: protocol.Info) -> float | None:
    """Return the expected score, 0 to 1, of the reporting side; None if the line has none."""
    if info.mate is not None:
        return float(info.mate > 0)
    return None if info.score_cp is None else protocol.expected_score(info.score_cp)
