"""The games that a run would play, for `tournament run --dry-run`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

import click

from fiedler.games import any_game
from fiedler.support.complaints import usage_error
from fiedler.support.console import print_json
from fiedler.support.stages import shown
from fiedler.support.text import counted
from fiedler.tournament.commands.next_steps import suggest, tournament
from fiedler.tournament.elo import prediction
from fiedler.tournament.pairing import Step, lambda2
from fiedler.tournament.run import draft, manager
from fiedler.tournament.run.affinity import shares, too_many_threads
from fiedler.tournament.run.draft import Draft
from fiedler.tournament.run.duration import estimate
from fiedler.tournament.run.interim import expected_games
from fiedler.tournament.run.known_options import refuse_unknown
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.run.run_file import RESULTS, NoRunError
from fiedler.tournament.run.store import Store, shard_option
from fiedler.tournament.schedule.pairs import Pair, shares_games
from fiedler.tournament.schedule.programs import missing_programs
from fiedler.tournament.schedule.schedule import Schedule

SHOWN = 30
"""Most pairs that the text lists."""
PATIENCE_S = 2.0
"""Seconds after which a terminal shows that the games are still being planned: a million take some."""


def describe(
    schedule: Schedule, results: Path, concurrency: int | None, processes: int, *, fresh: bool, as_json: bool
) -> None:
    """Print the games that a run would play."""
    schedule = draft.resumed(schedule, results, fresh=fresh)
    refuse_unknown(schedule)
    at_once = manager.games_at_once(schedule, concurrency, processes)
    shares(schedule, at_once)
    with ExitStack() as stack:
        store = None if fresh else _begun(stack, results / schedule.tournament.name)
        openings = OpeningList(schedule, _print_judged)
        stack.callback(openings.close)
        with shown("planning the games", after=PATIENCE_S):
            drafted = draft.prepare(schedule, store, openings)
        _refuse_missing(schedule, draft.needed_players(schedule, drafted))
        plan = _Plan(store, drafted)
        finished = 0 if store is None else store.counts.finished
        each_s = None if store is None else store.seconds_per_game
    pairs = plan.pairs
    own = drafted.own
    left = len(drafted.left) + len(own)
    expected = left if drafted.over else expected_games(schedule.pairing, finished + left) - finished
    time = estimate(schedule, expected, at_once, each_s)
    document = {
        "name": schedule.tournament.name,
        "game": schedule.tournament.game,
        "rules": schedule.tournament.rules,
        "players": schedule.names,
        "pairs": pairs,
        "games": finished + left,
        "left": left,
        "openings": len({(game.start, game.opening) for game in (*drafted.left, *own)}),
        "openings_listed": drafted.openings.listed,
        "duration_s": time.seconds,
        "duration": time.text,
        "rms": draft.plan_rms(schedule, drafted),
        "lambda2": lambda2(schedule, list(drafted.targets)) if schedule.pairing.kind.designed else None,
        "planned": plan.games,
    }
    if as_json:
        print_json(document)
    else:
        _print_draft(schedule, drafted, document, concurrency, plan)
        words = ("run", schedule.file, *shard_option(schedule), *(() if results == RESULTS else ("--results", results)))
        suggest(((tournament(*words), "plays these games"),) if left else ())


class _Plan:
    """The pairs of a plan and their games; of a shard those that it plays."""

    def __init__(self, store: Store | None, drafted: Draft) -> None:
        targets = drafted.targets
        self._each = {frozenset(pair): 2 * meetings for pair, meetings in targets.items()}
        if drafted.planner.schedule.shard is not None:
            self._each = Counter(frozenset((game.first, game.second)) for game in drafted.own)
            for a, b, games in () if store is None else store.pair_games:
                self._each[frozenset((a, b))] += games
        self.pairs = [pair for pair in targets if frozenset(pair) in self._each]
        self.games = drafted.history.planned + len(drafted.games)
        """The games of the whole run, as far as they are planned; with those of other shards, and those given up."""

    def of(self, pair: Pair) -> int:
        """Return the games of a pair in all."""
        return self._each[frozenset(pair)]


def _refuse_missing(schedule: Schedule, needed: Sequence[str]) -> None:
    """Refuse programs that are not there; everything else only the players can report."""
    if wrong := [str(schedule.error(*one)) for one in missing_programs(schedule, needed)]:
        raise usage_error(wrong)


def _print_judged(judged: int, kept: int) -> None:
    click.echo(f"judged {counted(judged, 'opening')}: {kept} balanced", err=True)


def _begun(stack: ExitStack, folder: Path) -> Store | None:
    """Open the run to resume: one with a finished game; None if there is none."""
    try:
        store = stack.enter_context(Store.open(folder))
    except NoRunError:
        return None
    return store if store.has_begun else None


def _print_draft(
    schedule: Schedule, drafted: Draft, document: dict[str, Any], concurrency: int | None, plan: _Plan
) -> None:
    click.echo(f"{schedule.tournament.name} ({schedule.tournament.game}): {counted(len(schedule.players), 'player')}")
    if rules := any_game(schedule.tournament.game).rules_text(schedule.tournament.rules):
        click.echo(f"rules: {rules}")
    differ = shares_games(schedule.pairing) or schedule.shard is not None
    for a, b in islice(plan.pairs, SHOWN):
        click.echo(f"  {a} - {b}" + (f": {counted(plan.of((a, b)), 'game')}" if differ else ""))
    if (more := len(plan.pairs) - SHOWN) > 0:
        click.echo(f"  … and {counted(more, 'more pair')}: --json has all")
    total, finished = document["games"], document["games"] - document["left"]
    here = total if drafted.planner.overlaps else document["left"]
    fixed = schedule.pairing.kind.fixed and not differ
    each = f", {counted(schedule.tournament.games_per_pair, 'game')} each" if fixed else ""
    of_shard = f"; this shard: {total:,} of {plan.games:,} games"
    games = f": {counted(here, 'game')}" if schedule.shard is None else of_shard
    click.echo(f"{counted(len(plan.pairs), 'pair')}{each}{games}")
    if text := _next_step(drafted, document["left"]):
        click.echo(text)
    if finished:
        click.echo(f"resuming a run: {finished} finished, {total - finished} left")
    if left := document["openings"]:
        listed = document["openings_listed"]
        click.echo(counted(left, "opening") + ("" if listed is None else f" of {listed:,} in the file"))
    if isinstance(rms := document["rms"], float):
        click.echo(prediction(rms))
    if document["left"]:
        click.echo(f"time: {document['duration']}")
    at_once = concurrency or schedule.tournament.concurrency
    threads = too_many_threads(schedule.players, at_once) if document["left"] else []
    for warning in (*drafted.warnings, *threads):
        click.echo(f"warning: {warning}", err=True)


def _next_step(drafted: Draft, left: int) -> str:
    """Return why nothing is left to play, or the next step if results decide the rest; else empty."""
    if drafted.over:
        return f"{'finished' if drafted.history.decision is None else 'decided'}: {drafted.over}"
    games = counted(left, "game")
    if not drafted.planner.overlaps:
        note = drafted.step.note if isinstance(drafted.step, Step) else ""
        what = f"{note}, {games}" if note else f"the {games} planned so far"
        return f"next: {what}; the rest depends on the results"
    return f"next: {games}; the end depends on the results" if drafted.planner.open_end else ""
