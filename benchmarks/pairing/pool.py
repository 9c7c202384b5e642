"""All trials of a comparison, on several cores, and those that a file has already."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import msgspec
from msgspec import Struct

from benchmarks.pairing.rules import RULES
from benchmarks.pairing.setting import Duel
from benchmarks.pairing.trial import RuleTrial, run_rule
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.files import write_whole

Task = tuple[str, int]
"""A rule and a repetition."""
Report = Callable[[int, int], None]
"""report(finished trials, all trials)."""


class Duels(Struct, frozen=True):
    """The trials of one setting, by rule and repetition."""

    setting: Duel
    trials: tuple[RuleTrial, ...] = ()

    def joined(self, trials: Iterable[RuleTrial]) -> Duels:
        """Return these trials with others; a later one of the same rule and repetition replaces an earlier one."""
        found = {(trial.rule, trial.repetition): trial for trial in (*self.trials, *trials)}
        places = {name: place for place, name in enumerate(RULES)}
        order = sorted(found, key=lambda task: (places.get(task[0], len(places)), task[1]))
        return Duels(self.setting, tuple(found[task] for task in order))

    def write(self, path: Path) -> None:
        """Write the file, a line for each trial."""
        head = msgspec.json.encode(self.setting).decode()
        lines = ",\n".join(msgspec.json.encode(trial).decode() for trial in self.trials)
        write_whole(path, f'{{"setting": {head},\n"trials": [\n{lines}\n]}}\n')


def read(path: Path) -> Duels:
    """Return the trials of a file.

    Raises:
        UsageError: it has other contents.

    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Duels)
    except msgspec.DecodeError as error:
        raise UsageError(f"{path}: expected trials of this command: {error}") from error


def joined(paths: Sequence[Path]) -> Duels:
    """Return the trials of several files.

    Raises:
        UsageError: they have different settings, or other contents.

    """
    first, *others = [read(path) for path in paths]
    for path, other in zip(paths[1:], others, strict=True):
        if other.setting != first.setting:
            raise UsageError(f"{path}: expected the setting of {paths[0]}, got another")
        first = first.joined(other.trials)
    return first.joined(())


def played(tasks: Sequence[Task], known: Duels, workers: int, report: Report, path: Path | None) -> Duels:
    """Return the known trials with those of the tasks; the file is written after each of them.

    The numbers do not depend on the number of processes.

    Raises:
        WorkError: a process died, or the file cannot be written.

    """
    has = {(trial.rule, trial.repetition) for trial in known.trials}
    missing = [task for task in tasks if task not in has]
    finished = len(tasks) - len(missing)
    report(finished, len(tasks))
    for trial in _trials(missing, known.setting, workers):
        known = known.joined([trial])
        finished += 1
        report(finished, len(tasks))
        if path is not None:
            known.write(path)
    return known


def _trials(tasks: Sequence[Task], setting: Duel, workers: int) -> Iterator[RuleTrial]:
    if workers == 1 or len(tasks) <= 1:
        yield from (run_rule(name, setting, repetition) for name, repetition in tasks)
        return
    # An interrupt ends the workers without a message; the parent prints one.
    quiet = (signal.SIGINT, signal.SIG_DFL)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(workers, len(tasks)), mp_context=context, initializer=signal.signal, initargs=quiet)
    try:
        waiting = [pool.submit(run_rule, name, setting, repetition) for name, repetition in tasks]
        yield from (future.result() for future in as_completed(waiting))
    except BrokenProcessPool as error:
        raise WorkError("a process has died, perhaps for lack of memory: try --workers 1") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
