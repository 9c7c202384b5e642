"""The sources of a ranking: runs and files."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fiedler.support.errors import UsageError
from fiedler.support.left_out import LeftOut
from fiedler.support.text import counted
from fiedler.tournament.ratings.answer import Answer, answer
from fiedler.tournament.ratings.colour_pairs import PlayedGame
from fiedler.tournament.ratings.files import read_results
from fiedler.tournament.ratings.model import Rating
from fiedler.tournament.ratings.posterior import Posterior
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.same_games import Key, digest, keys_of_pgn, keys_of_run, repeated_in_pgn, same_results
from fiedler.tournament.schedule.schedule import RatingSection

if TYPE_CHECKING:
    from fiedler.tournament.report.run import Run


def read_sources(paths: Sequence[Path], runs: Path) -> list[RankSource]:
    """Read files and runs.

    Raises:
        UsageError: Two of them have the same games, which would count twice.
    """
    sources = [RankSource.of(path, runs) for path in paths]
    for one, other in itertools.combinations(sources, 2):
        wrong = one.shared(other)
        if wrong:
            raise UsageError(f"{other.name}: expected every run and file once, {wrong}")
    return sources


@dataclass(frozen=True)
class RankSource:
    """The games of a file or a run, and the rating section that applies without options."""

    name: str
    results: Results
    section: RatingSection
    warnings: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    runs: tuple[Run, ...] = ()
    """The runs of all games; empty if some games are from files, which have no openings."""

    @classmethod
    def of(cls, source: Path, runs: Path) -> RankSource:
        """Read a file or a run."""
        if source.is_file():
            return cls._of_file(source)
        from fiedler.tournament.report.ranking import about_games  # files need no store
        from fiedler.tournament.report.run import Run
        from fiedler.tournament.run.run_file import find_run

        try:
            folder = find_run(str(source), runs)
        except UsageError:
            if source.suffix and not source.is_dir():
                return cls._of_file(source)  # its error fits a file of this name
            raise
        run = Run.read(folder)
        if not run.finished:
            raise UsageError(f"{folder}: expected a run with at least one finished game")
        return cls(str(folder), run.results, run.schedule.rating, tuple(about_games(run)), runs=(run,))

    @classmethod
    def _of_file(cls, path: Path) -> RankSource:
        reading = read_results(path)
        warnings = (*reading.warnings, *_repeated_games(path))
        return cls(str(path), reading.results, RatingSection(), warnings, reading.left_out)

    @cached_property
    def keys(self) -> set[Key]:
        """The games that can be known again."""
        if self.runs:
            return keys_of_run((game.id, game.started) for run in self.runs for game in run.games())
        return keys_of_pgn(Path(self.name)) if self.name.lower().endswith(".pgn") else set()

    @cached_property
    def digest(self) -> bytes:
        """A hash of the content of a file; empty for a run."""
        return b"" if self.runs else digest(Path(self.name))

    def shared(self, other: RankSource) -> str:
        """Return which games of this source the other one has again; empty if none is known."""
        paths = Path(self.name), Path(other.name)
        if paths[0].samefile(paths[1]):
            return f"got {self.name} twice"
        if self.digest and self.digest == other.digest:
            return f"got the content of {self.name} again"
        games = len(self.keys & other.keys)
        return f"got {counted(games, 'game')} of {self.name} again" if games else ""

    def named(self, warning: str) -> str:
        """Return a warning with the name of the source."""
        return warning if warning.startswith(f"{self.name}: ") else f"{self.name}: {warning}"

    @classmethod
    def together(cls, sources: Sequence[RankSource]) -> RankSource:
        """Join the games of several sources; the section of the first applies, and warnings name their source."""
        if len(sources) == 1:
            return sources[0]
        results = Results.together(source.results for source in sources)
        about = (source.named(warning) for source in sources for warning in source.warnings)
        warnings = (*about, *_repeated_results(sources))
        left_out = tuple(itertools.chain.from_iterable(source.left_out for source in sources))
        runs = tuple(itertools.chain.from_iterable(source.runs for source in sources))
        only_runs = all(source.runs for source in sources)
        return cls("", results, sources[0].section, warnings, left_out, runs if only_runs else ())

    def games(self) -> Iterator[PlayedGame]:
        """Yield the games one by one, if their openings are known."""
        return itertools.chain.from_iterable(run.paired_games() for run in self.runs)

    def posterior(self, section: RatingSection, *, asked: bool) -> tuple[Posterior | None, tuple[str, ...]]:
        """Return the posterior ratings by `section`, None if it has none, and their warnings.

        Where these games do not allow them, that is a warning, unless they were `asked` for by an option.

        Raises:
            UsageError: they were asked for, and are refused.
        """
        if section.posterior is None:
            return None, ()
        from fiedler.tournament.pairing.expected import posterior_beside

        try:
            found = posterior_beside(section, self.results, [run.schedule for run in self.runs])
        except UsageError as error:
            if asked:
                raise
            return None, (f"no posterior ratings: {error}",)
        return found, tuple(f"posterior: {warning}" for warning in found.warnings)

    def answer(self, rating: Rating) -> Answer:
        """Return the best player; a single run answers by its method of pairing."""
        if len(self.runs) != 1:
            return answer(rating, self.results)
        from fiedler.tournament.run.conclusion import conclude  # files need no store

        (run,) = self.runs
        return conclude(run.schedule, run.run_state, rating, self.results)


def _repeated_games(path: Path) -> Iterator[str]:
    """Yield a warning for a file of PGN with games that it has again, which all count."""
    if path.suffix.lower() == ".pgn" and (again := repeated_in_pgn(path)):
        yield f"{path}: {counted(again, 'game')} again, by GameId, UTCDate and UTCTime: each counts every time"


def _repeated_results(sources: Sequence[RankSource]) -> Iterator[str]:
    """Yield a warning for any two sources that may be the same games, as a run and its games in a CSV file."""
    for one, other in itertools.combinations(sources, 2):
        if same_results(one.results, other.results):
            yield f"{one.name} and {other.name} have the same results: if these are the same games, name one of them"
