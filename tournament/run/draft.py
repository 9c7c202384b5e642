"""The plan of a run before any player is started, and the games of a step."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.game import PlannedGame, now
from fiedler.tournament.pairing import Over, Planner, Step, Wait, planner, predicted_rms
from fiedler.tournament.pairing.disputes import parted
from fiedler.tournament.pairing.plan import Decision, History, plan
from fiedler.tournament.run.continuation import refuse_changes, reopened
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.run.run_file import NoRunError
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.goal_keys import with_plan
from fiedler.tournament.schedule.newcomers import extended_by
from fiedler.tournament.schedule.pairs import Pair
from fiedler.tournament.schedule.returning import futile_wait
from fiedler.tournament.schedule.schedule import POSTERIOR, PlayerEntry, Schedule
from fiedler.tournament.schedule.told_time import unknown_times


class Draft(Struct, frozen=True):
    """The plan of a run before any player is started: the games so far, and the next step, if it is known."""

    history: History
    left: list[PlannedGame]
    """Earlier planned games without a result."""
    step: Step | Over | None
    """The next step, or the end; None while it depends on the games that are left, or the method waits."""
    games: list[PlannedGame]
    """The games of the step."""
    openings: OpeningList
    planner: Planner
    found: Decision | None = None
    """The decision by the games of the run, if it is not written yet."""
    given_up: int = 0
    """Games that are not played because of it."""
    reopened: str = ""
    """The reason that a decided run is open again."""

    @property
    def own(self) -> list[PlannedGame]:
        """The games of the step that this run plays: all of them, unless other shards play some."""
        return [game for game in self.games if self.planner.schedule.plays(game.number)]

    @property
    def warnings(self) -> list[str]:
        """The warnings about the plan."""
        repeated = self.openings.warnings if self.games or self.left else []
        untimed = unknown_times(self.planner.schedule) if self.games or self.left else []
        futile = futile_wait(self.planner.schedule) if self.games or self.left else []
        again = [f"the run was decided and is open again: {self.reopened}"] if self.reopened else []
        return [
            *again,
            *untimed,
            *futile,
            *repeated,
            *too_few(self.openings, self.games),
            *self._separate_groups(),
        ]

    def _separate_groups(self) -> list[str]:
        """Return a warning if only `prior_games` connect some groups of players."""
        schedule = self.planner.schedule
        if not schedule.pairing.prior_games:
            return []
        from fiedler.tournament.graph.spectrum import components

        place = schedule.places
        groups = components(len(place), [(place[a], place[b]) for a, b in self.meetings])
        if groups == 1:
            return []
        return [
            f"pairing.prior_games: the games planned now leave the players in {groups} groups; "
            "`tournament rank` rates several runs and files together"
        ]

    @property
    def targets(self) -> Mapping[Pair, int]:
        """The pairs of this step, or of the games that are left, and their meetings in all."""
        if isinstance(self.step, Step):
            return self.step.pairs
        known = {pair: self.history.targets[key] for key, pair in self.history.pairs.items()}
        if self.planner.overlaps:
            return known
        left = {frozenset((game.first, game.second)) for game in self.left}
        return {pair: number for pair, number in known.items() if frozenset(pair) in left}

    @property
    def over(self) -> str:
        """The reason that no games are left; empty if there are some."""
        return self.step.why if isinstance(self.step, Over) else ""

    @property
    def meetings(self) -> Counter[frozenset[str]]:
        """The meetings of every pair, two games each, once the whole plan is played."""
        planned = self.history.meetings.copy()
        for game in self.games:
            pair = frozenset((game.first, game.second))
            planned[pair] = max(planned[pair], game.turn + 1)
        return planned

    def write(self, journal: Journal) -> None:
        """Write the step, or the end of the tournament if it is not written yet."""
        if self.reopened:
            journal.reopen()
        if self.found is not None:
            journal.decide(self.found)
        elif isinstance(self.step, Step):
            write_step(journal, self.step, self.openings, self.games, self.history)
        elif self.step is not None and self.step.why != journal.over:
            journal.record_end(self.step.why, self.history.standing)


def draft(schedule: Schedule, openings: OpeningList, store: Store | None) -> Draft:
    """Plan the first step of a schedule, or the next one of the run in `store`.

    Raises:
        UsageError: no plan fits the schedule.

    """
    method = planner(schedule)
    if store is None:
        return _draft(History(), [], "", openings, method)
    again = reopened(store, schedule)
    history, left = store.history(reopened=bool(again)), store.unplayed(reopened=bool(again))
    left, apart = parted(schedule, history.disputes, left)
    history.give_up(apart)
    if history.decision is not None:
        return Draft(history, [], Over(history.decision.why), [], openings, method)
    if found := method.decide(history):
        history.decision = found
        over = Over(found.why)
        return Draft(history, [], over, [], openings, method, found, given_up=len(left), reopened=again)
    return _draft(history, left, again, openings, method)


def _draft(history: History, left: list[PlannedGame], again: str, openings: OpeningList, method: Planner) -> Draft:
    """Plan a step, unless it depends on the games that are `left`."""
    step = method.next_step(history) if method.overlaps or not left else None
    if step is None or isinstance(step, Wait) or (left and (method.open_end or isinstance(step, Over))):
        return Draft(history, left, None, [], openings, method, reopened=again)
    games = games_of(step, history, method.schedule, openings) if isinstance(step, Step) else []
    drafted = Draft(history, left, step, games, openings, method, reopened=again)
    if games and not (drafted.own or history.planned):
        raise UsageError(f"--shard {method.schedule.shard}: the plan has only {counted(len(games), 'game')}")
    return drafted


def games_of(step: Step, history: History, schedule: Schedule, openings: OpeningList) -> list[PlannedGame]:
    """Return the games of a step that comes next."""
    return list(plan(step.meetings, openings, schedule.tournament.seed, history, history.steps + 1))


def too_few(openings: OpeningList, games: Iterable[PlannedGame]) -> list[str]:
    """Return a warning if a pair of these games has more meetings than there are openings."""
    needed = max((game.turn + 1 for game in games), default=0)
    if not openings.short_of(needed):
        return []
    found = len(openings.found)
    return [f"openings: only {found} distinct, {needed} needed for each pair: they are used again in order"]


def write_step(
    journal: Journal, step: Step, openings: OpeningList, games: Iterable[PlannedGame], history: History
) -> None:
    """Write a step and its games."""
    judged = (history.undecided, history.standing)
    journal.record_step(now(), step.note, step.pairs, openings.found, games, *judged)


def prepare(schedule: Schedule, store: Store | None = None, openings: OpeningList | None = None) -> Draft:
    """Return the first plan of a schedule, or the next one of the run in `store`.

    `openings` is the unused list of the schedule; its maker closes it.

    Raises:
        UsageError: the schedule is impossible, or contradicts the run.

    """
    openings = openings or OpeningList(schedule)
    if store is not None:
        refuse_changes(store, schedule, openings)
    openings.extend(1)
    return draft(schedule, openings, store)


def resumed(schedule: Schedule, results: Path, *, fresh: bool) -> Schedule:
    """Return the schedule with the players that were added to its run by hand, unless it has them by now.

    Without the key `plan` it has the plan of the run.
    """
    added: tuple[PlayerEntry, ...] = ()
    plan = POSTERIOR
    with contextlib.suppress(UsageError), Store.open(results / schedule.tournament.name) as store:
        if not fresh:
            added, plan = store.added, store.schedule.pairing.plan or POSTERIOR
    schedule = with_plan(schedule, plan)
    return extended_by(schedule, [player for player in added if player.name not in schedule.names])


def is_over(schedule: Schedule, results: Path) -> bool:
    """Return whether the run of a schedule has no games left, so that nothing needs to be started.

    Only a finished run is planned again: its schedule may ask for more games now.

    Raises:
        UsageError: the schedule is impossible, or contradicts the run.

    """
    schedule = resumed(schedule, results, fresh=False)
    with contextlib.suppress(NoRunError), Store.open(results / schedule.tournament.name) as store:
        if store.state == "finished":
            with contextlib.closing(OpeningList(schedule)) as openings:
                return not needed_players(schedule, prepare(schedule, store, openings))
    return False


def plan_rms(schedule: Schedule, drafted: Draft) -> float | None:
    """Return the predicted RMS error, in Elo, of a plan that is complete from the start, and all played; else None."""
    left = drafted.left or drafted.games
    known = left and schedule.pairing.kind.fixed and not schedule.pairing.stop and schedule.shard is None
    return predicted_rms(schedule, drafted.meetings) if known else None


def needed_players(schedule: Schedule, drafted: Draft) -> list[str]:
    """Return the players that have games left, or may get some."""
    if drafted.step is None or (drafted.games and not drafted.planner.overlaps):
        return [name for name in schedule.names if name not in drafted.history.benched]
    return list(dict.fromkeys(name for game in (*drafted.left, *drafted.own) for name in (game.first, game.second)))


def to_resume(journal: Journal, *, fresh: bool) -> Journal | None:
    """Return the run to resume, if there is one; a plan without a finished game is made anew."""
    if fresh or journal.is_new:
        return None
    if not journal.has_begun:
        journal.forget_plan()
        return None
    return journal


def draft_readmitting(
    schedule: Schedule, journal: Journal | None, openings: OpeningList, readmit: Sequence[str]
) -> Draft:
    """Plan as if the players in `readmit` were readmitted, which happens once they have answered."""
    with contextlib.nullcontext() if journal is None else journal.supposing_readmitted(readmit):
        return prepare(schedule, journal, openings)
