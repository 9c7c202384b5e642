"""The findings of a report, each computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from threadpoolctl import threadpool_limits

from fiedler.games import GAMES, Game
from fiedler.tournament.pairing.plan import Played
from fiedler.tournament.pairing.sprt import SprtPlanner
from fiedler.tournament.ratings import FitAnalysis, PlayerRating, analyse
from fiedler.tournament.ratings.series import Series, rated_series
from fiedler.tournament.report.first_moves import FirstMoves, TwoPlies, first_moves, second_moves
from fiedler.tournament.report.ranking import Ranking
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.statistics import Crosstable, Failing, GameTally, crosstable, tally
from fiedler.tournament.run.run_folder import SCHEDULE_FILE
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.game_keys import start_of


@dataclass(frozen=True)
class Findings:
    """A run, its ranking, and the numbers that follow from both."""

    run: Run
    ranking: Ranking

    @property
    def title(self) -> str:
        """The title of figures."""
        return f"{self.run.name} ({self.run.game.id})"

    @property
    def board_game(self) -> Game | None:
        """The game, if its moves put stones on a board with cells and symmetries."""
        game = GAMES.get(self.run.game.id)
        return None if game is None or game.steps else game

    @property
    def warnings(self) -> list[str]:
        """The missing players, and the warnings about the ranking."""
        return [*(one.text for one in self.run.missing), *self.ranking.warnings]

    @cached_property
    def table(self) -> Crosstable:
        """The results of every pair, by rating."""
        return crosstable(self.run, self.ranking.names)

    @cached_property
    def tally(self) -> GameTally:
        """The counts over all games."""
        return tally(self.run.replayed_games(), self.ranking.names, start_of(self.run.schedule))

    @property
    def failures(self) -> list[tuple[str, str, Failing]]:
        """Player, kind of failure and lost games, by rating and by falling number of games."""
        return [
            (name, kind, one)
            for name in self.ranking.names
            for kind, one in sorted(self.tally.players[name].failures.items(), key=lambda item: -item[1].games)
            if one.games
        ]

    @cached_property
    def series(self) -> list[Series]:
        """The curves of checkpoints."""
        return rated_series(self.ranking.rating, self.run.results)

    @property
    def others(self) -> list[PlayerRating]:
        """The players without a curve."""
        on_curves = {player.name for one in self.series for player in one.players}
        return [player for player in self.ranking.rating.players if player.name not in on_curves]

    @cached_property
    def analysis(self) -> FitAnalysis | None:
        """The goodness of fit of the ratings; None without games."""
        if not self.run.results.rateable().names:
            return None
        with threadpool_limits(limits=1, user_api="blas"):
            return analyse(
                self.ranking.rating, self.run.results, self.run.schedule.rating.prior, self.run.paired_games()
            )

    @cached_property
    def first_moves(self) -> list[FirstMoves]:
        """The classes of first moves; none without a board."""
        return [] if self.board_game is None else first_moves(self.board_game, self.tally.beginnings)

    @cached_property
    def second_moves(self) -> list[TwoPlies]:
        """The classes of positions after two plies; none without a board."""
        return [] if self.board_game is None else second_moves(self.board_game, self.tally.beginnings)

    @cached_property
    def sprt(self) -> tuple[str, Sequence[Played]] | None:
        """The line of a sequential test, at its decision or else now, and its games in the order of the test."""
        if not self.run.schedule.pairing.kind.is_test:
            return None
        with Store.open_again(self.run.folder) as store:
            history = store.history()
        found = self.run.decision
        return SprtPlanner(self.run.schedule).remark(history) if found is None else found.test, history.settled

    @property
    def schedule_text(self) -> str:
        """The stored file of the schedule; empty if there is none."""
        path = Path(self.run.folder) / SCHEDULE_FILE
        return path.read_text("utf-8", "replace") if path.is_file() else ""
