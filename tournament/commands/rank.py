"""The command `tournament rank`."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click
from msgspec.structs import asdict

from support import stages
from support.errors import UsageError, WorkError
from support.text import counted
from tournament.ratings import analysis
from tournament.ratings.anchors import playing
from tournament.ratings.answer import Answer, answer
from tournament.ratings.bayeselo import compare, find_bayeselo, rate_with_bayeselo
from tournament.ratings.document import document
from tournament.ratings.files import read_results
from tournament.ratings.intervals import Kind
from tournament.ratings.model import Parameter, Rating, rate
from tournament.ratings.relative import relative_to as differences
from tournament.ratings.results import Results
from tournament.ratings.table import table
from tournament.schedule.schedule import BACKENDS, MODELS, Schedule
from tournament.schedule.schedule import Rating as Section

WHERE = "The folder that holds runs. Default: results."
PATIENCE_S = 2.0  # nobody needs a bar for less
COMPARISON_S = 60.0  # what the original program may take where it is only asked for comparison


class FitOrNumber(click.ParamType[Parameter]):
    """A number of Elo, or the word `fit`."""

    name = "E|fit"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Parameter:  # noqa: ANN401
        """Return the number or the word."""
        if value == "fit":
            return "fit"
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"expected a number of Elo or 'fit', got {value!r}", param, ctx)
        return number


class Anchor(click.ParamType[tuple[str, float]]):
    """A player's name and its Elo, as NAME=ELO; the name may hold = itself."""

    name = "NAME=ELO"

    def convert(
        self,
        value: Any,  # noqa: ANN401
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, float]:
        """Return the name and the number."""
        name, equals, elo = str(value).rpartition("=")
        try:
            number = float(elo)
        except ValueError:
            number = math.nan
        if not name or not equals or not math.isfinite(number):
            self.fail(f"expected NAME=ELO, got {value!r}", param, ctx)
        return name, number


@click.command()
@click.argument("sources", metavar="RUN|FILE.pgn|FILE.csv …", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--advantage", type=FitOrNumber(), help="Elo of moving first. Default: the run's, else 32.8.")
@click.option("--draw-elo", type=FitOrNumber(), help="Draw parameter in Elo. Default: the run's, else 97.3.")
@click.option("--prior", type=float, help="Virtual draws per player. Default: the run's, else 2.")
@click.option(
    "--intervals", type=click.Choice(get_args(Kind)), default="covariance", show_default=True, help="95 % intervals."
)
@click.option("--model", type=click.Choice(MODELS), help="The draw model. Default: the run's, else bayeselo.")
@click.option("--anchor", "anchors", type=Anchor(), multiple=True, help="One shifts all; several are held. Repeatable.")
@click.option("--relative-to", metavar="NAME", help="Show differences to this player, with their errors.")
@click.option("--los", is_flag=True, help="Also print the likelihood of superiority.")
@click.option("--fit", "fit", is_flag=True, help="Also print the goodness of fit and the cyclic part.")
@click.option("--backend", type=click.Choice(BACKENDS), help="Default: the run's, else builtin.")
@click.option("--bayeselo", "program", metavar="PATH", help="The original program; else $BAYESELO, else on PATH.")
@click.option(
    "--imitate/--no-imitate",
    default=None,
    help="Stop where the original program stops: its table to the digit. Default: the run's, else not.",
)
@click.option("--results", type=click.Path(path_type=Path), default=Path("results"), metavar="DIR", help=WHERE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def rank(
    sources: tuple[Path, ...],
    results: Path,
    intervals: Kind,
    anchors: tuple[tuple[str, float], ...],
    relative_to: str | None,
    los: bool,
    fit: bool,
    program: str | None,
    as_json: bool,
    **given: Parameter | str | bool | None,
) -> None:
    """Rank the players of a run, or of the games in a PGN or CSV file (header white,black,result).

    RUN is a folder, or a name under results; the [rating] of its schedule applies. The games of several
    runs and files are ranked together by the [rating] of the first; a name is the same player in all.
    """
    with stages.shown("reading the games", PATIENCE_S):
        found = _Source.together([_read(source, results) for source in sources])
        wishes = asdict(found.section) | {key: value for key, value in given.items() if value is not None}
        held = playing(wishes.pop("anchor"), found.results)
        wishes |= {"intervals": intervals, "anchors": _once(anchors) or held}
        rating = _rate(found.results, program, dict(wishes))
        shown = differences(rating, relative_to) if relative_to is not None else rating
        extra = _Extra.of(rating, shown, found, float(wishes["prior"]), los=los, fit=fit)
        said = found.answer(rating)
    warnings = [*found.warnings, *rating.warnings]
    if as_json:
        click.echo(
            json.dumps({**document(shown, said, warnings), **extra.document}, ensure_ascii=False, allow_nan=False)
        )
        return
    click.echo("\n\n".join([table(shown), said.text, *extra.texts]))
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


def _once(anchors: tuple[tuple[str, float], ...]) -> dict[str, float]:
    given: dict[str, float] = {}
    for name, elo in anchors:
        if given.setdefault(name, elo) != elo:
            raise UsageError(f"--anchor {name}: expected one rating, got {given[name]:g} and {elo:g}")
    return given


@dataclass(frozen=True, slots=True)
class _Extra:
    """What stands below the ranking."""

    texts: tuple[str, ...]
    document: dict[str, Any]

    @classmethod
    def of(cls, rating: Rating, shown: Rating, found: _Source, prior: float, *, los: bool, fit: bool) -> _Extra:
        if not (los or fit):
            return cls((), {})
        texts: list[str] = []
        keys: dict[str, Any] = {}
        if los:
            matrix = shown.los()
            texts.append(analysis.los_text(shown, matrix))
            keys["los"] = analysis.without_nan(matrix.tolist())
        if fit:
            judgement = analysis.judge(rating, found.results, prior, found.games)
            texts.append(analysis.judgement_text(judgement))
            keys |= analysis.judgement_document(judgement)
        return cls(tuple(texts), keys)


def _rate(results: Results, program: str | None, wishes: dict[str, Any]) -> Rating:
    backend, imitate, model = (wishes.pop(key) for key in ("backend", "imitate", "model"))
    if backend == "bayeselo":
        if model != "bayeselo":
            raise UsageError(f"model: expected 'bayeselo', the only one of the original program, got {model!r}")
        return rate_with_bayeselo(results, program=find_bayeselo(program), **wishes)
    rating = rate(results, imitate=imitate, model=model, **wishes)
    if model == "bayeselo" and len(wishes["anchors"]) < 2:
        _compare(rating, results, program, wishes)
    return rating


@dataclass(frozen=True, slots=True)
class _Source:
    """The games of a file or a run, and how they are rated unless options say otherwise."""

    results: Results
    section: Section
    warnings: tuple[str, ...] = ()
    games: tuple[tuple[str, str, Hashable, str], ...] = ()
    """(first, second, opening, result) of each game of a run."""
    schedule: Schedule | None = None
    """of a run"""
    over: str = ""
    """why nothing more of it is played"""
    decided: bool = False
    """whether a sequential test or a stopping rule says so"""
    benched: frozenset[str] = frozenset()
    """players of it that get no more games"""

    def answer(self, rating: Rating) -> Answer:
        """Say what the games come to; one run answers as its method of pairing does."""
        if self.schedule is None:
            return answer(rating, self.results)
        from tournament.run.conclusion import Standing, conclude  # which rests on this package

        return conclude(self.schedule, Standing(self.over, self.decided, self.benched), rating, self.results)

    @classmethod
    def together(cls, sources: Sequence[_Source]) -> _Source:
        """Join the games of several sources; the first says how they are rated."""
        if len(sources) == 1:
            return sources[0]
        results = Results.together(source.results for source in sources)
        warnings = tuple(itertools.chain.from_iterable(source.warnings for source in sources))
        whole = all(source.games for source in sources)  # else the openings of some are not known
        games = tuple(itertools.chain.from_iterable(source.games for source in sources)) if whole else ()
        return cls(results, sources[0].section, warnings, games)

    @classmethod
    def of_file(cls, path: Path) -> _Source:
        reading = read_results(path)
        skipped = (f"games without a known result skipped: {reading.skipped}",) if reading.skipped else ()
        return cls(reading.results, Section(), skipped)


def _read(source: Path, runs: Path) -> _Source:
    if source.is_file():
        return _Source.of_file(source)
    from tournament.run.store import Store, find_run  # files need no store

    try:
        folder = find_run(str(source), runs)
    except UsageError:
        if source.suffix and not source.is_dir():
            return _Source.of_file(source)  # which says what is wrong with a file of this name
        raise
    with Store.open(folder) as store:
        schedule, over, decided = store.schedule, store.over, store.decision is not None
        benched = frozenset(store.benched)
        games = tuple((game.first, game.second, game.opening, game.result) for game in store.games())
        left = store.counts.left
    if not games:
        raise UsageError(f"{folder}: expected a run with at least one finished game")
    unfinished = (f"preliminary: {counted(left, 'game')} of {folder} not finished",) if left else ()
    results = Results.from_games((first, second, result) for first, second, _, result in games)
    return _Source(results, schedule.rating, unfinished, games, schedule, over, decided, benched)


def _compare(rating: Rating, results: Results, program: str | None, wishes: dict[str, Any]) -> None:
    """Say on standard error where the original program, if there is one, disagrees; its failing is no error of ours."""
    try:
        found = find_bayeselo(program)
    except UsageError:
        if program:
            raise
        found = None
    if found is None:
        return
    stages.begin("comparison with the original program")
    try:
        original = rate_with_bayeselo(results, program=found, total_s=COMPARISON_S, **wishes)
    except (UsageError, WorkError) as error:
        click.echo(f"warning: no comparison with the original program: {error}", err=True)
        return
    for line in compare(rating, original):
        click.echo(f"difference: {line}", err=True)
