"""The command `tournament rank`."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click

from games import UsageError, WorkError
from tournament.ratings.bayeselo import compare, find_bayeselo, rate_with_bayeselo
from tournament.ratings.files import Reading, read_results
from tournament.ratings.intervals import Kind
from tournament.ratings.model import DEFAULT_ADVANTAGE, DEFAULT_DRAW_ELO, DEFAULT_PRIOR, Parameter, Rating, rate
from tournament.ratings.results import Results
from tournament.ratings.table import table

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
@click.option(
    "--advantage", type=FitOrNumber(), default=DEFAULT_ADVANTAGE, show_default=True, help="Elo of moving first."
)
@click.option("--draw-elo", type=FitOrNumber(), default=DEFAULT_DRAW_ELO, show_default=True, help="More: more draws.")
@click.option("--prior", type=float, default=DEFAULT_PRIOR, show_default=True, help="Virtual draws per player.")
@click.option(
    "--intervals", type=click.Choice(get_args(Kind)), default="covariance", show_default=True, help="95 % intervals."
)
@click.option("--backend", type=click.Choice(["builtin", "bayeselo"]), default="builtin", show_default=True)
@click.option("--bayeselo", "program", metavar="PATH", help="The original program; else $BAYESELO, else on PATH.")
@click.option("--imitate", is_flag=True, help="Stop where the original program stops: its table to the digit.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def rank(
    source: Path,
    advantage: Parameter,
    draw_elo: Parameter,
    prior: float,
    intervals: Kind,
    backend: str,
    program: str | None,
    imitate: bool,
    as_json: bool,
) -> None:
    """Rank the players of a run, or of the games in a PGN or CSV file (header white,black,result)."""
    reading = _read(source)
    results = reading.results
    wishes: dict[str, Any] = {"advantage": advantage, "draw_elo": draw_elo, "prior": prior, "intervals": intervals}
    if backend == "bayeselo":
        rating = rate_with_bayeselo(results, program=find_bayeselo(program), **wishes)
    else:
        rating = rate(results, imitate=imitate, **wishes)
        _compare(rating, results, program, wishes)
    warnings = [*_skipped(reading), *rating.warnings]
    if as_json:
        click.echo(json.dumps(document(rating, warnings), ensure_ascii=False, allow_nan=False))
        return
    click.echo(table(rating))
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


def document(rating: Rating, warnings: list[str]) -> dict[str, Any]:
    """Return what `tournament rank --json` prints; a number that cannot be known is null."""
    return {
        "players": [{key: _json_number(value) for key, value in asdict(player).items()} for player in rating.players],
        "advantage": _json_number(rating.advantage),
        "draw_elo": _json_number(rating.draw_elo),
        "scale": _json_number(rating.scale),
        "warnings": warnings,
    }


def _json_number(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _read(source: Path) -> Reading:
    if source.is_file():
        return read_results(source)
    from tournament.store import Store, find_run  # files need no store

    try:
        folder = find_run(str(source))
    except UsageError:
        if source.suffix and not source.is_dir():
            return read_results(source)  # which says what is wrong with a file of this name
        raise
    with Store.open(folder) as store:
        results = Results.from_games((game.first, game.second, game.result) for game in store.games())
    if not results.rows:
        raise UsageError(f"{folder}: expected a run with at least one finished game")
    return Reading(results, 0)


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
