"""The command `tournament simulate`: the rating error of a schedule and of other pairings."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec

from fiedler.support.console import print_json
from fiedler.support.errors import UsageError
from fiedler.support.files import write_whole
from fiedler.support.text import counted
from fiedler.tournament.commands.elo_option import Elo
from fiedler.tournament.commands.simulation_text import (
    error_text,
    simulation_document,
    simulation_text,
    simulation_title,
)
from fiedler.tournament.elo import LEAST_PLAYERS
from fiedler.tournament.ratings.posterior import KINDS, PriorKind
from fiedler.tournament.schedule.goal_keys import GOAL_PLAYERS
from fiedler.tournament.schedule.schedule import GOALS, PLANS, POSTERIOR, Schedule
from fiedler.tournament.schedule.validation import load
from fiedler.tournament.simulation import comparison
from fiedler.tournament.simulation.error_figure import error_figure
from fiedler.tournament.simulation.population import NOISY, ORDERS, RISING, SHAPES, Population, known, nameless
from fiedler.tournament.simulation.schemes import GOAL, OWN, SCHEMES, scheme
from fiedler.tournament.simulation.trial import Conditions, Summary

PLAYERS, GAMES = 100, 30_000


@click.command()
@click.argument("schedule", metavar="[SCHEDULE.toml]", type=click.Path(path_type=Path), required=False)
@click.option(
    "--all-methods/--own-method", "everything", default=True, help="Compare with other pairings, or not. Default: all."
)
@click.option("--method", "chosen", multiple=True, metavar="M", help="Only this method; repeat.")
@click.option("--repetitions", type=click.IntRange(1, 10**6), default=10, metavar="N", help="Default: 10.")
@click.option("--seed", type=click.IntRange(0, 2**62), default=0, metavar="S", help="Default: 0.")
@click.option(
    "--prior-sd",
    type=Elo(),
    metavar="SD",
    help="Error of the prior Elo that pairing uses. Default: elo_sd of a player, else 100.",
)
@click.option(
    "--prior",
    type=click.FloatRange(0, 1000),
    metavar="DRAWS",
    help="Virtual draws of the ratings. Default: the schedule's, or 0.2.",
)
@click.option("--style-sd", type=Elo(), default=0.0, metavar="SD", help="Elo of each pair alone.")
@click.option("--truth", type=click.Choice(SHAPES), help="Draw the true Elo, anew each time.")
@click.option("--players", type=click.IntRange(2, 5000), metavar="N", help="Without a schedule. Default: 100.")
@click.option("--games", type=click.IntRange(2, 10**7), metavar="N", help="Default: the schedule's, or 30000.")
@click.option("--spread", type=Elo(), metavar="ELO", help="Of a truth in order. Default: 1500.")
@click.option("--noise", type=Elo(), metavar="SD", help="Of --truth, in Elo. Default: 15.")
@click.option("--order", type=click.Choice(ORDERS), help="Of the players of --truth. Default: kept.")
@click.option(
    "--posterior", type=click.Choice(("none", *KINDS)), default="none", help="Ratings beside the table. Default: none."
)
@click.option("--plan", type=click.Choice(PLANS), default=POSTERIOR, help="Of adaptive. Default: posterior.")
@click.option("--goal", type=click.Choice(GOALS), help="Find the best player by adaptive, with --method beside others.")
@click.option("--play-on", "plays_on", is_flag=True, help="Play all --games, also after a decision.")
@click.option("--workers", type=click.IntRange(1, 256), default=2, metavar="N", help="Processes. Default: 2.")
@click.option("--svg", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Draw the errors.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def simulate(
    schedule: Path | None,
    everything: bool,
    chosen: tuple[str, ...],
    repetitions: int,
    seed: int,
    prior_sd: float | None,
    prior: float | None,
    style_sd: float,
    truth: str | None,
    players: int | None,
    games: int | None,
    spread: float | None,
    noise: float | None,
    order: str | None,
    posterior: str,
    plan: str,
    goal: str | None,
    plays_on: bool,
    workers: int,
    svg: Path | None,
    as_json: bool,
) -> None:
    """Play a schedule with players of known Elo in place of engines, and measure the error of the ratings.

    The `elo` of its players is the truth; results are drawn from the model of its [rating], and rated as [rating]
    defines, by our own code. Other pairing methods spend the same number of games for comparison, or the average number
    if the schedule's results decide its end. Without a schedule, --truth defines the players; with one, it sets aside
    `anchor`.
    """
    started = time.perf_counter()
    options, population = _setting(schedule, truth, players, games, {"spread": spread, "noise": noise, "order": order})
    if prior is not None:
        options = msgspec.structs.replace(options, rating=msgspec.structs.replace(options.rating, prior=prior))
    for name in chosen:
        scheme(name, options)  # refuses an unknown name before anything is played
    prior_kind: Any = None if posterior == "none" else posterior
    _check_posterior(options, prior_kind)
    _check_goal(options, goal, plan)
    conditions = Conditions(
        options, population, games or GAMES, seed, prior_sd, style_sd, prior_kind, plan, plays_on=plays_on
    )
    how = comparison.Effort(repetitions, workers)
    with _progress() as report:
        own: comparison.Trials = {}
        if games is None and schedule is not None:
            own = comparison.own_trials(conditions, how, report)
            conditions = msgspec.structs.replace(conditions, games=comparison.budget(own))
        names = _names(conditions, chosen, everything=everything, own=schedule is not None, goal=goal)
        found = comparison.compare(names, conditions, how, report, own)
    seconds = time.perf_counter() - started
    if schedule is None and names == [OWN]:
        _warn_of_more_games(conditions, found[0])
    if svg is not None:
        write_whole(svg, error_figure(found, simulation_title(conditions, repetitions)))
    _print(found, conditions, repetitions, seconds, as_json=as_json)


def _print(
    found: Sequence[Summary], conditions: Conditions, repetitions: int, seconds: float, *, as_json: bool
) -> None:
    if as_json:
        print_json(simulation_document(found, conditions, repetitions, seconds))
    else:
        click.echo("\n".join(simulation_text(found, conditions, repetitions, seconds)))


def _warn_of_more_games(conditions: Conditions, own: Summary) -> None:
    """Print a warning if the players need more games than were asked for."""
    if conditions.games < own.games_least:
        asked, needed = counted(conditions.games, "game"), counted(own.games_least, "game")
        players = conditions.population.players
        click.echo(f"warning: {asked} cannot connect {counted(players, 'player')}: {needed} are played", err=True)


def _setting(
    path: Path | None,
    truth: str | None,
    players: int | None,
    games: int | None,
    more: Mapping[str, Any],
) -> tuple[Schedule, Population]:
    """Return the schedule and its players."""
    if truth is None:
        if path is None:
            raise UsageError("give a schedule, or --truth")
        for name, value in {"players": players, **more}.items():
            if value is not None:
                raise UsageError(f"--{name} goes with --truth")
        schedule = load(path)
        return schedule, known(schedule)
    if path is not None and players is not None:
        raise UsageError("give either a schedule or --players, not both")
    schedule = _unanchored(load(path)) if path is not None else nameless(players or PLAYERS, games or GAMES)
    shape: Any = truth
    given: dict[str, Any] = {key: value for key, value in more.items() if value is not None}
    for key, shapes in (("spread", RISING), ("noise", NOISY)):
        if key in given and shape not in shapes:
            raise UsageError(f"--{key}: expected a truth of {', '.join(shapes)}, got {shape}")
    return schedule, Population(len(schedule.players), shape=shape, **given)


def _check_posterior(schedule: Schedule, kind: PriorKind | None) -> None:
    """Check that the schedule may have posterior ratings.

    Raises:
        UsageError: there are too few players, or the run is a sequential test.

    """
    if kind is None:
        return
    if schedule.pairing.kind.is_test:
        raise UsageError(f"--posterior: expected a method that rates players, got {schedule.pairing.method}")
    _check_players("--posterior", schedule)


def _check_goal(schedule: Schedule, goal: str | None, plan: str) -> None:
    """Check that the best player can be looked for.

    Raises:
        UsageError: there are too few players, or another plan is asked for.

    """
    if goal is None:
        return
    if plan != POSTERIOR:
        raise UsageError(f"--plan: expected {POSTERIOR} beside --goal, got {plan}")
    _check_players("--goal", schedule, GOAL_PLAYERS)


def _check_players(option: str, schedule: Schedule, least: int = LEAST_PLAYERS) -> None:
    if len(schedule.players) < least:
        got = counted(len(schedule.players), "player")
        raise UsageError(f"{option}: expected at least {least} players, got {got}")


def _unanchored(schedule: Schedule) -> Schedule:
    """Return the schedule without its anchors, which do not fit an Elo that is drawn."""
    return msgspec.structs.replace(schedule, rating=msgspec.structs.replace(schedule.rating, anchor={}))


def _names(
    conditions: Conditions, chosen: Sequence[str], *, everything: bool, own: bool, goal: str | None
) -> list[str]:
    """Return the methods to compare; a goal comes beside chosen ones, or else beside that of the schedule alone.

    Raises:
        UsageError: one is unknown, or there are too few players or games for it.

    """
    players, games = conditions.population.players, conditions.games
    for name, option in [*((name, f"--method {name}") for name in chosen), *([(GOAL, "--goal")] if goal else [])]:
        if not scheme(name, conditions.schedule).fits(players, games):
            raise UsageError(f"{option}: not with {counted(players, 'player')} and {counted(games, 'game')}")
    if goal is not None:
        return list(dict.fromkeys([*(chosen or ([OWN] if own else [])), GOAL]))
    if chosen:
        return list(dict.fromkeys(chosen))
    others = [name for name, one in SCHEMES.items() if one.fits(players, games)] if everything else []
    return [*([OWN] if own else []), *others] or [OWN]


@contextmanager
def _progress() -> Iterator[comparison.Report]:
    """Show the progress on standard error: a line per method, and on a terminal a bar."""
    from fiedler.support.bar import bar  # slow to import

    with bar() as progress:
        task = progress.add_task("repetitions", total=None)

        def report(finished: int, total: int, summary: Summary | None) -> None:
            progress.update(task, completed=finished, total=total)
            if summary is not None:
                progress.console.print(f"{summary.label}: RMS error {error_text(summary)} Elo", markup=False)

        yield report
