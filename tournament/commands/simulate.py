"""The command `tournament simulate`: the rating error of a schedule and of other pairings."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec

from support.console import print_json
from support.errors import UsageError
from support.files import write_whole
from support.numbers import without_nan
from support.text import counted
from tournament.commands.elo_option import Elo
from tournament.ratings.posterior import KINDS, PriorKind
from tournament.ratings.posterior.posterior import LEAST_PLAYERS
from tournament.schedule.schedule import GOALS, PLANS, POSTERIOR, Schedule
from tournament.schedule.validation import load
from tournament.simulation import comparison
from tournament.simulation.error_figure import error_figure
from tournament.simulation.population import NOISY, ORDERS, RISING, SHAPES, Population, known, nameless
from tournament.simulation.schemes import GOAL, OWN, SCHEMES, scheme
from tournament.simulation.trial import Conditions, Summary

PLAYERS, GAMES = 100, 30_000
HEADER = f"{'method':<28} {'RMS error':>13} {'predicted':>9} {'tau':>6} {'worst':>6} {'games':>7} {'pairs':>6} {'s':>6}"
INTERVALS = (
    f"{'method':<28} {'coverage':>8} {'loss':>6} {'posterior RMS':>14} {'coverage':>8} {'loss':>6} {'curve':>6} "
    f"{'evidence':>8}"
)

LEGEND = (
    "RMS error: of the ratings, in Elo, ± its standard error; predicted: the same from the games and the true Elo",
    "tau: Kendall's rank correlation of ranking and truth, 1 is the right order; worst: the largest error of a player",
    "games, pairs: of a repetition; s: seconds of a repetition on one core; all numbers are means",
    "coverage: share of players within their 95 % interval; loss: true Elo that the chosen player lacks to the best",
    "posterior RMS, coverage, loss: the same with --posterior; curve: share of repetitions that show one",
    "evidence: nats for the prior against the next simpler one",
)
"""The columns in words."""


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
    if goal is not None:
        _check_goal(options, plan)
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
        write_whole(svg, error_figure(found, title(conditions, repetitions)))
    if as_json:
        print_json(document(found, conditions, repetitions, seconds))
    else:
        click.echo("\n".join(text(found, conditions, repetitions, seconds)))


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


def _check_goal(schedule: Schedule, plan: str) -> None:
    """Check that the best player can be looked for.

    Raises:
        UsageError: there are too few players, or another plan is asked for.

    """
    if plan != POSTERIOR:
        raise UsageError(f"--plan: expected {POSTERIOR} beside --goal, got {plan}")
    _check_players("--goal", schedule)


def _check_players(option: str, schedule: Schedule) -> None:
    if len(schedule.players) < LEAST_PLAYERS:
        got = counted(len(schedule.players), "player")
        raise UsageError(f"{option}: expected at least {LEAST_PLAYERS} players, got {got}")


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
    from support.bar import bar  # slow to import

    with bar() as progress:
        task = progress.add_task("repetitions", total=None)

        def report(finished: int, total: int, summary: Summary | None) -> None:
            progress.update(task, completed=finished, total=total)
            if summary is not None:
                progress.console.print(f"{summary.label}: RMS error {_error(summary)} Elo", markup=False)

        yield report


def _error(summary: Summary) -> str:
    return f"{summary.rms:.2f}{_unsure(summary.rms_se, 2)}"


def _unsure(error: float | None, digits: int = 1) -> str:
    return "" if error is None else f" ± {error:.{digits}f}"


def title(conditions: Conditions, repetitions: int) -> str:
    """Return the title of the picture."""
    players, games = counted(conditions.population.players, "player"), counted(conditions.games, "game")
    return f"Error of the ratings: {players}, {games}, {counted(repetitions, 'repetition')}"


def text(found: Sequence[Summary], conditions: Conditions, repetitions: int, seconds: float) -> list[str]:
    """Return the result as a table, the schedule's own method on top, then the most precise first."""
    head = f"{counted(conditions.population.players, 'player')}, {counted(repetitions, 'repetition')}, {seconds:.0f} s"
    tests = [_tested(one) for one in found if one.accepted is not None]
    ordered = sorted(found, key=lambda one: (one.method != OWN, one.rms))
    table = [HEADER, *(_line(one) for one in ordered)]
    intervals = [INTERVALS, *(_interval_line(one) for one in ordered)]
    goals = [line for one in ordered for line in _chosen_lines(one)]
    more = [line for part in (goals, tests) if part for line in ("", *part)]
    return [head, "", *table, "", *intervals, "", *LEGEND, *more]


def _chosen_lines(one: Summary) -> list[str]:
    """Return the stops of a goal, and the true losses of its chosen players; none without a goal."""
    found = one.chosen
    if found is None:
        return []
    median = f"after {found.games:.0f} games in the median" if math.isfinite(found.games) else "fewer than half of all"
    stops = f"stopped in {found.stopped} of {counted(one.repetitions, 'repetition')}, {median}"
    losses = ", ".join(
        f"{loss:.1f}{_unsure(found.losses_se[games])} after {games}" for games, loss in found.losses.items()
    )
    return [
        f"{one.label}: {stops}; right in {found.right}",
        f"loss of the chosen player: {found.loss:.1f}{_unsure(found.loss_se)} Elo at the end; {losses} games; "
        f"pairs differ from the ratings by {found.style_sd:.0f} Elo",
    ]


def _tested(one: Summary) -> str:
    """Return the verdicts of a sequential test, and its numbers of games."""
    assert one.accepted is not None
    ended = ", ".join(f"{kind} {number}" for kind, number in one.accepted.items())
    spread = "" if one.games_sd is None else f", standard deviation {one.games_sd:.0f}"
    return (
        f"{one.label}: accepted in {counted(one.repetitions, 'repetition')}: {ended}; "
        f"games: {one.games:.0f} on average{spread}, {one.games_least} to {one.games_most}"
    )


def _line(one: Summary) -> str:
    tau = "-" if math.isnan(one.tau) else f"{one.tau:.3f}"
    return (
        f"{one.label:<28} {_error(one):>13} {one.predicted:>9.2f} {tau:>6} {one.worst:>6.0f} "
        f"{one.games:>7.0f} {one.pairs:>6.0f} {one.seconds:>6.1f}"
    )


def _interval_line(one: Summary) -> str:
    line = f"{one.label:<28} {one.coverage:>8.3f} {one.loss:>6.1f}"
    found = one.posterior
    if found is None:
        return line
    rms = f"{found.rms:.2f}{_unsure(found.rms_se, 2)}"
    return f"{line} {rms:>14} {found.coverage:>8.3f} {found.loss:>6.1f} {found.curve:>6.0%} {found.evidence:>8.1f}"


def document(found: Sequence[Summary], conditions: Conditions, repetitions: int, seconds: float) -> dict[str, Any]:
    """Return the document of `--json`; numbers that do not exist are null."""
    return {
        "players": conditions.population.players,
        "truth": conditions.population.shape or "schedule",
        "games": conditions.games,
        "repetitions": repetitions,
        "seed": conditions.seed,
        "prior_sd": conditions.prior_sd,
        "prior": conditions.schedule.rating.prior,
        "style_sd": conditions.style_sd,
        "order": conditions.population.order,
        "posterior": conditions.posterior,
        "plan": conditions.plan,
        "play_on": conditions.plays_on,
        "methods": [without_nan(msgspec.to_builtins(one)) for one in found],
        "seconds": seconds,
    }
