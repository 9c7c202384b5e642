"""Many tournaments without engines, on several cores."""

from __future__ import annotations

import multiprocessing
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from statistics import fmean

from msgspec import Struct

from fiedler.support.errors import WorkError
from fiedler.tournament.simulation.schemes import OWN, scheme
from fiedler.tournament.simulation.trial import Conditions, Summary, Trial, run_trial

AHEAD = 4
"""Trials for each process that are handed out at a time: a million at once would take gigabytes."""

Report = Callable[[int, int, Summary | None], None]
"""report(finished trials, all trials, the summary of a method after its last trial or None)."""
Trials = Mapping[tuple[str, int], Trial]
"""Trials by method and repetition."""


class Effort(Struct, frozen=True):
    """The number of repetitions and of parallel processes."""

    repetitions: int = 10
    workers: int = 2


def compare(
    names: Sequence[str], conditions: Conditions, settings: Effort, report: Report, known: Trials | None = None
) -> list[Summary]:
    """Return one summary per method, in the order of `names`; `report` is called after every trial.

    The numbers depend on the conditions alone, not on the number of processes. `known` trials are not repeated.

    Raises:
        UsageError: a method has an unknown name.
        WorkError: a process died.
    """
    tasks = [(name, repetition) for name in names for repetition in range(settings.repetitions)]
    trials = {task: trial for task, trial in (known or {}).items() if task in set(tasks)}
    finished = Counter(name for name, _ in trials)
    found: dict[str, Summary] = {}

    def summary(name: str) -> Summary | None:
        if finished[name] < settings.repetitions:
            return None
        in_order = [trials[name, number] for number in range(settings.repetitions)]
        found[name] = Summary.of(name, scheme(name, conditions.schedule).label, in_order)
        return found[name]

    for name in finished:
        report(len(trials), len(tasks), summary(name))
    report(len(trials), len(tasks), None)
    remaining = [task for task in tasks if task not in trials]
    for name, repetition, trial in _trials(remaining, conditions, settings.workers):
        trials[name, repetition] = trial
        finished[name] += 1
        report(len(trials), len(tasks), summary(name))
    return [found[name] for name in names]


def own_trials(conditions: Conditions, settings: Effort, report: Report) -> Trials:
    """Return the trials that determine the number of games of the schedule's own method.

    One is enough if the number does not depend on results.
    """
    pairing = conditions.schedule.pairing
    repetitions = settings.repetitions if pairing.kind.is_test or pairing.ends_early else 1
    trials: dict[tuple[str, int], Trial] = {}
    report(0, repetitions, None)
    tasks = [(OWN, repetition) for repetition in range(repetitions)]
    for name, repetition, trial in _trials(tasks, conditions, settings.workers):
        trials[name, repetition] = trial
        report(len(trials), repetitions, None)
    return trials


def budget(trials: Trials) -> int:
    """Return the mean number of games, rounded to meetings of two games."""
    return 2 * round(fmean(trial.games for trial in trials.values()) / 2)


def _trials(tasks: Sequence[tuple[str, int]], conditions: Conditions, workers: int) -> Iterator[tuple[str, int, Trial]]:
    if workers == 1 or len(tasks) <= 1:
        for name, repetition in tasks:
            yield _one(name, conditions, repetition)
        return
    context = multiprocessing.get_context("spawn")
    # An interrupt ends the workers without a message; the parent prints one.
    quiet = (signal.SIGINT, signal.SIG_DFL)
    pool = ProcessPoolExecutor(min(workers, len(tasks)), mp_context=context, initializer=signal.signal, initargs=quiet)
    try:
        waiting = (pool.submit(_one, name, conditions, repetition) for name, repetition in tasks)
        running = set(islice(waiting, AHEAD * workers))
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            yield from (future.result() for future in finished)
            running.update(islice(waiting, len(finished)))
    except BrokenProcessPool as error:
        raise WorkError("a process of the simulation has died, perhaps for lack of memory: try --workers 1") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _one(name: str, conditions: Conditions, repetition: int) -> tuple[str, int, Trial]:
    return name, repetition, run_trial(name, scheme(name, conditions.schedule), conditions, repetition)
