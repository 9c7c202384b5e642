"""The command `tournament rank`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click
from msgspec.structs import replace

from fiedler.support import stages
from fiedler.support.console import print_json
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.numbers import without_nan
from fiedler.support.option_type import OptionType
from fiedler.tournament.commands.next_steps import suggest, tournament
from fiedler.tournament.commands.rank_source import RankSource, read_sources
from fiedler.tournament.ratings import analysis
from fiedler.tournament.ratings.anchors import Anchors
from fiedler.tournament.ratings.bayeselo import compare, find_bayeselo
from fiedler.tournament.ratings.document import document
from fiedler.tournament.ratings.intervals import Kind
from fiedler.tournament.ratings.look_alikes import look_alikes
from fiedler.tournament.ratings.model import Parameter, Rating
from fiedler.tournament.ratings.posterior import posterior_document, posterior_text
from fiedler.tournament.ratings.relative import relative_to as differences
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.section import rate_as, rate_by_original
from fiedler.tournament.ratings.sparse import MANY
from fiedler.tournament.ratings.table import table
from fiedler.tournament.schedule.posterior_keys import POSTERIORS
from fiedler.tournament.schedule.schedule import BACKENDS, MODELS, RatingSection

WHERE = "The folder that holds runs. Default: results."
PATIENCE_S = 2.0
"""Seconds before a bar is shown."""
COMPARISON_S = 60.0
"""Most seconds of the original program if it only serves for comparison."""


class FitOrNumber(OptionType[Parameter]):
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


class Anchor(OptionType[tuple[str, float]]):
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
@click.option("--posterior", type=click.Choice(POSTERIORS), help="Also print posterior ratings. Default: the run's.")
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
        found = RankSource.together(read_sources(sources, results))
        keys: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        if anchors:
            keys["anchor"] = _once(anchors, found.results)
        section = replace(found.section, **keys)
        rating = _rate(section, found.results, program, intervals)
        shown = differences(rating, relative_to) if relative_to is not None else rating
        extra = _Extra.of(rating, shown, found, section.prior, los=los, fit=fit)
        beside, about_it = found.posterior(section, asked="posterior" in keys)
        answered = found.answer(rating)
    alike = look_alikes(found.results.names)
    left_out = [*(one.text() for one in found.left_out), *extra.warnings]
    warnings = [*found.warnings, *alike, *left_out, *rating.warnings, *about_it]
    if as_json:
        games = {"left_out": [one.document() for one in found.left_out]} if found.left_out else {}
        more = {"posterior": posterior_document(beside)} if beside else {}
        print_json({**document(shown, answered, warnings), **games, **more, **extra.document})
        return
    below = [posterior_text(beside)] if beside else []
    click.echo("\n\n".join([table(shown), answered.text, *below, *extra.texts]))
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    if not (fit or relative_to):
        _suggest(sources, results, answered.best)


def _suggest(sources: Sequence[Path], results: Path, best: str | None) -> None:
    """Print the next steps, on a terminal."""
    words = ("rank", *sources, *(() if results == Path("results") else ("--results", results)))
    steps = [(tournament(*words, "--fit"), "how well the ratings fit, and what they cannot express")]
    if best is not None:
        steps.append((tournament(*words, f"--relative-to={best}"), "the differences to the first, with their errors"))
    suggest(steps)


def _once(anchors: tuple[tuple[str, float], ...], results: Results) -> dict[str, float]:
    """Return the anchors of the options.

    Raises:
        UsageError: a player has no games, or two ratings.

    """
    given: dict[str, float] = {}
    for name, elo in anchors:
        if given.setdefault(name, elo) != elo:
            raise UsageError(f"--anchor {name}: expected one rating, got {given[name]:g} and {elo:g}")
    Anchors.of(given, results.rateable())
    return given


@dataclass(frozen=True, slots=True)
class _Extra:
    """The parts below the ranking."""

    texts: tuple[str, ...]
    document: dict[str, Any]
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, rating: Rating, shown: Rating, found: RankSource, prior: float, *, los: bool, fit: bool) -> _Extra:
        if not (los or fit):
            return cls((), {})
        if rating.many is not None:
            asked = " and ".join(name for name, wanted in (("--los", los), ("--fit", fit)) if wanted)
            return cls((), {}, (f"{asked} left out: expected at most {MANY:,} players, got {len(rating.players):,}",))
        texts: list[str] = []
        keys: dict[str, Any] = {}
        if los:
            matrix = shown.los()
            texts.append(analysis.los_text(shown, matrix))
            keys["los"] = without_nan(matrix.tolist())
        if fit:
            checked = analysis.analyse(rating, found.results, prior, found.games())
            texts.append(analysis.analysis_text(checked))
            keys |= analysis.fit_document(checked)
        return cls(tuple(texts), keys)


def _rate(section: RatingSection, results: Results, program: str | None, intervals: Kind) -> Rating:
    if section.backend == "bayeselo":
        return rate_by_original(section, results, program=find_bayeselo(program), intervals=intervals)
    rating = rate_as(section, results, intervals=intervals)
    if section.model == "bayeselo" and len(rating.anchors) < 2:
        _compare(rating, section, results, program, intervals)
    return rating


def _compare(rating: Rating, section: RatingSection, results: Results, program: str | None, intervals: Kind) -> None:
    """Print differences from the original program, if it is installed; its failure is only a warning."""
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
        original = rate_by_original(section, results, program=found, intervals=intervals, total_s=COMPARISON_S)
    except (UsageError, WorkError) as error:
        click.echo(f"warning: no comparison with the original program: {error}", err=True)
        return
    for line in compare(rating, original):
        click.echo(f"difference: {line}", err=True)
