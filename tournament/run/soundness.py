"""Whether a run is sound: checked once for every change of its file, for all readers of this process."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import NamedTuple

from fiedler.support.errors import UsageError
from fiedler.support.lock import is_locked
from fiedler.tournament.run.run_file import file_stats
from fiedler.tournament.run.store import Store

SHARE = 0.05
"""The share of a processor that the checks of a run may take which its manager keeps changing."""


TICK_NS = 100_000_000
"""The times of files are that exact at worst: one that changed so shortly before is checked again."""


class _Verdict(NamedTuple):
    state: tuple[tuple[int, ...], ...]
    """That of the files, as it was before the check; empty if they had just changed."""
    wrong: str
    """The damage; empty if there is none."""
    holds_until: float
    """The time until which a manager may change a sound file without another check."""


_verdicts: dict[Path, _Verdict] = {}
_checks: dict[Path, threading.Lock] = {}


def open_sound(folder: Path, kind: type[Store] = Store) -> Store:
    """Open the store of a run, as this kind of it; raises as `Store.open`, which checks it each time."""
    store = kind.open_again(folder)
    try:
        _refuse_damage(store)
    except BaseException:
        store.close()
        raise
    return store


def _refuse_damage(store: Store) -> None:
    path = store.folder.resolve()
    with _checks.setdefault(path, threading.Lock()):  # one check for all who ask
        verdict, state = _verdicts.get(path), _state(path)
        if verdict is None or not (verdict.state == state or _may_wait(verdict, path)):
            verdict = _verdicts[path] = _checked(store, state)
    if verdict.wrong:
        raise UsageError(verdict.wrong)


def _may_wait(verdict: _Verdict, folder: Path) -> bool:
    """Return whether the changes since a check are those of a manager, and it is too early for another check."""
    return not verdict.wrong and time.monotonic() < verdict.holds_until and is_locked(folder)


def _checked(store: Store, state: tuple[tuple[int, ...], ...]) -> _Verdict:
    began, wrong = time.monotonic(), ""
    try:
        store.refuse_damage()
    except UsageError as error:
        wrong = str(error)
    ended = time.monotonic()
    settled = max((changed for *_, changed in state), default=0) < time.time_ns() - (ended - began) * 1e9 - TICK_NS
    return _Verdict(state if settled else (), wrong, ended + (ended - began) / SHARE)


def _state(folder: Path) -> tuple[tuple[int, ...], ...]:
    return tuple((one.st_ino, one.st_size, one.st_mtime_ns) for one in file_stats(folder))
