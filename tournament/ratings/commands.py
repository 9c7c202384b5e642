"""The command `tournament rank`."""

from __future__ import annotations

import json
import math
from dataclasses import asdict as dataclass_fields
from pathlib import Path
from typing import Any, get_args

import click
from msgspec.structs import asdict

from games import UsageError, WorkError
from tournament.ratings.bayeselo import compare, find_bayeselo, rate_with_bayeselo
from tournament.ratings.files import Reading, read_results
from tournament.ratings.intervals import Kind
from tournament.ratings.model import Parameter, Rating, rate
from tournament.ratings.results import Results
from tournament.ratings.table import table
from tournament.schedule import BACKENDS
from tournament.schedule import Rating as Section

WHERE = "Where RUN is looked for by its name. Default: results."
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


@click.command()
@click.argument("source", metavar="RUN|FILE.pgn|FILE.csv", type=click.Path(path_type=Path))
@click.option("--advantage", type=FitOrNumber(), help="Elo of moving first. Default: the run's, else 32.8.")
@click.option("--draw-elo", type=FitOrNumber(), help="More: more draws. Default: the run's, else 97.3.")
@click.option("--prior", type=float, help="Virtual draws per player. Default: the run's, else 2.")
@click.option(
    "--intervals", type=click.Choice(get_args(Kind)), default="covariance", show_default=True, help="95 % intervals."
)
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
    source: Path,
    results: Path,
    intervals: Kind,
    program: str | None,
    as_json: bool,
    **given: Parameter | str | bool | None,
) -> None:
    """Rank the players of a run, or of the games in a PGN or CSV file (header white,black,result).

    RUN is a folder, or a name under results; it is ranked as the [rating] of its schedule says.
    """
    reading, section = _read(source, results)
    wishes = asdict(section) | {key: value for key, value in given.items() if value is not None}
    rating = _rate(reading.results, program, {**wishes, "intervals": intervals})
    warnings = [*_skipped(reading), *rating.warnings]
    if as_json:
        click.echo(json.dumps(document(rating, warnings), ensure_ascii=False, allow_nan=False))
        return
    click.echo(table(rating))
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


def _rate(results: Results, program: str | None, wishes: dict[str, Any]) -> Rating:
    backend, imitate = wishes.pop("backend"), wishes.pop("imitate")
    if backend == "bayeselo":
        return rate_with_bayeselo(results, program=find_bayeselo(program), **wishes)
    rating = rate(results, imitate=imitate, **wishes)
    _compare(rating, results, program, wishes)
    return rating


def document(rating: Rating, warnings: list[str]) -> dict[str, Any]:
    """Return what `tournament rank --json` prints; a number that cannot be known is null."""
    return {
        "players": [
            {key: _json_number(value) for key, value in dataclass_fields(player).items()} for player in rating.players
        ],
        "advantage": _json_number(rating.advantage),
        "draw_elo": _json_number(rating.draw_elo),
        "scale": _json_number(rating.scale),
        "warnings": warnings,
    }


def _json_number(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _read(source: Path, runs: Path) -> tuple[Reading, Section]:
    """Return the games of a file or a run, and how they are rated unless options say otherwise."""
    if source.is_file():
        return read_results(source), Section()
    from tournament.store import Store, find_run  # files need no store

    try:
        folder = find_run(str(source), runs)
    except UsageError:
        if source.suffix and not source.is_dir():
            return read_results(source), Section()  # which says what is wrong with a file of this name
        raise
    with Store.open(folder) as store:
        section = store.schedule.rating
        results = Results.from_games((game.first, game.second, game.result) for game in store.games())
    if not results.rows:
        raise UsageError(f"{folder}: expected a run with at least one finished game")
    return Reading(results, 0), section


def _skipped(reading: Reading) -> list[str]:
    return [f"games without a known result skipped: {reading.skipped}"] if reading.skipped else []


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
    try:
        original = rate_with_bayeselo(results, program=found, total_s=COMPARISON_S, **wishes)
    except (UsageError, WorkError) as error:
        click.echo(f"warning: no comparison with the original program: {error}", err=True)
        return
    for line in compare(rating, original):
        click.echo(f"difference: {line}", err=True)
