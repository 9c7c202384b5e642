"""Examinations in a hurry: shorter waits, fewer games, several engines at a time.

Only what an engine leaves out ends a wait: one that has not had its time, on a machine that pauses, gets more of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from fiedler.client import carrier
from fiedler.engine.check import diagnosis, dialect_steps, peer, replies, steps
from fiedler.engine.check.examination import examine
from fiedler.engine.check.link import Link
from fiedler.engine.check.report import CheckReport
from fiedler.engine.check.subject import subject_of
from fiedler.games import game
from tests.folders import ROOT
from tests.patience import PATIENCE, wait_until

PYTHON = [sys.executable, "-S", "-E"]
TOGETHER = 8
"""Examinations at a time: they wait more than they work."""
QUICK = 1.0
"""The time for an answer of an engine that gives none."""
ATTEMPTS = 20
"""Searches of which one must keep its limit."""
END = 5.0
"""The time for a program to end; those that stay use it up."""
Key = TypeVar("Key", bound=Hashable)


@contextmanager
def hurried(game_seconds: float = 0.3) -> Iterator[None]:
    """Shorten the waits of examinations, and their games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Link, "receive", patient(Link.receive))
        patch.setattr(diagnosis, "OTHER_SECONDS", 1.5)
        patch.setattr(steps, "END_SECONDS", END)
        patch.setattr(steps, "ATTEMPTS", ATTEMPTS)
        patch.setattr(dialect_steps, "LATE_SECONDS", PATIENCE)
        patch.setattr(carrier, "QUIT_SECONDS", END)
        patch.setattr(peer, "UNANSWERED_GRACE_S", 0.1)
        patch.setattr(replies, "GAMES", 6)
        patch.setattr(replies, "GAME_SECONDS", game_seconds)
        yield


def patient(receive: Callable[[Any, float], bytes]) -> Callable[[Any, float], bytes]:
    """Let a wait for bytes go on until the program waits, too; it may not compute until it is stopped."""

    def received(self: Link, seconds: float) -> bytes:
        try:
            return receive(self, seconds)
        except TimeoutError:
            process = self.process
            wait_until(lambda: process is None or rests(process), "the program never waits")
            return receive(self, 0.0)

    return received


def rests(process: int) -> bool:
    """Return whether every thread of a program waits, or it has ended."""
    try:
        stats = [file.read_text("utf-8") for file in Path(f"/proc/{process}/task").glob("*/stat")]
    except OSError:  # a thread has just ended
        return False
    return all(text.rpartition(")")[2].split()[0] in "SZX" for text in stats)


def checked(command: list[str], protocol: str, game_id: str, timeout: float = PATIENCE) -> CheckReport:
    """Examine a program."""
    return examine(subject_of(command, None, protocol, game(game_id), timeout), lambda _done, _of: None)


def all_checked(
    keys: Iterable[Key], check: Callable[[Key], CheckReport], game_seconds: float = 0.3
) -> dict[Key, CheckReport]:
    """Examine several engines at a time."""
    keys = [*keys]
    with hurried(game_seconds), ThreadPoolExecutor(TOGETHER) as pool:
        return dict(zip(keys, pool.map(check, keys), strict=True))


def failed(report: CheckReport) -> dict[str, str]:
    """The steps that failed, with what came."""
    return {step.name: step.got for step in report.steps if step.grade == "failed"}


def wrong(report: CheckReport) -> dict[str, str]:
    """The steps that failed or are remarks, with what came."""
    return {step.name: step.got for step in report.steps if step.grade in ("failed", "remark")}


def changed_example(folder: Path, name: str, changes: dict[str, str]) -> list[str]:
    """Write an example with replacements in its text into a folder; return its command."""
    text = (ROOT / "examples" / f"{name}_random.py").read_text("utf-8")
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    bot = folder / f"{name}{len([*folder.iterdir()])}.py"
    bot.write_text(text, "utf-8")
    return [*PYTHON, str(bot)]
