"""Many tournaments without engines, on several cores."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from msgspec import Struct

from games import WorkError
from tournament.simulation.methods import OWN, method
from tournament.simulation.trial import Conditions, Summary, Trial, run_trial

Told = Callable[[int, int, Summary | None], None]
"""told(trials finished, trials in all, the summary of a method whose last trial this was)"""


class Settings(Struct, frozen=True):
    """How often, and by how many processes at a time."""

    repetitions: int = 10
    workers: int = 2


def compare(names: Sequence[str], conditions: Conditions, settings: Settings, tell: Told) -> list[Summary]:
    """Return one summary per method, in the order of `names`; `tell` hears of every trial as soon as it is there.

    The same conditions give the same numbers, whatever the number of processes.
    """
    trials: dict[str, dict[int, Trial]] = {name: {} for name in names}
    found: dict[str, Summary] = {}
    total = len(names) * settings.repetitions
    for finished, (name, repetition, trial) in enumerate(_trials(names, conditions, settings), start=1):
        trials[name][repetition] = trial
        if len(trials[name]) == settings.repetitions:
            in_order = [trials[name][number] for number in range(settings.repetitions)]
            found[name] = Summary.of(name, method(name, conditions.schedule).label, in_order)
        tell(finished, total, found.get(name))
    return [found[name] for name in names]


def budget(conditions: Conditions) -> int:
    """Return how many games the schedule's own method plays in the first repetition."""
    return _one(OWN, conditions, 0)[2].games


def _trials(names: Sequence[str], conditions: Conditions, settings: Settings) -> Iterator[tuple[str, int, Trial]]:
    tasks = [(name, repetition) for name in names for repetition in range(settings.repetitions)]
    if settings.workers == 1 or len(tasks) == 1:
        for name, repetition in tasks:
            yield _one(name, conditions, repetition)
        return
    context = multiprocessing.get_context("spawn")
    # An interrupt ends the workers without a word; the parent says what there is to say.
    quiet = (signal.SIGINT, signal.SIG_DFL)
    workers = min(settings.workers, len(tasks))
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=signal.signal, initargs=quiet)
    try:
        futures = [pool.submit(_one, name, conditions, repetition) for name, repetition in tasks]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool as error:
        raise WorkError("a process of the simulation has died, perhaps for want of memory: try --workers 1") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _one(name: str, conditions: Conditions, repetition: int) -> tuple[str, int, Trial]:
    return name, repetition, run_trial(name, method(name, conditions.schedule), conditions, repetition)
