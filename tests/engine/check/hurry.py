"""Examinations in a hurry: shorter waits, fewer games, several engines at a time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from engine import link
from engine.check import diagnosis, peer, replies, steps
from engine.check.examination import examine
from engine.check.report import CheckReport
from engine.check.subject import subject_of
from games import game
from tests.folders import ROOT
from tests.patience import PATIENCE

PYTHON = [sys.executable, "-S", "-E"]
TOGETHER = 8
"""Examinations at a time: they wait more than they work."""
QUICK = 1.0
"""The time for an answer of an engine that gives none."""
Key = TypeVar("Key", bound=Hashable)


@contextmanager
def hurried() -> Iterator[None]:
    """Shorten the waits of examinations, and their games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagnosis, "OTHER_SECONDS", 1.5)
        patch.setattr(steps, "END_SECONDS", 1.0)
        patch.setattr(link, "QUIT_SECONDS", 0.2)
        patch.setattr(peer, "UNANSWERED_GRACE_S", 0.1)
        patch.setattr(replies, "GAMES", 6)
        patch.setattr(replies, "GAME_SECONDS", 0.3)
        yield


def checked(command: list[str], protocol: str, game_id: str, timeout: float = PATIENCE) -> CheckReport:
    """Examine a program."""
    return examine(subject_of(command, None, protocol, game(game_id), timeout), lambda _done, _of: None)


def all_checked(keys: Iterable[Key], check: Callable[[Key], CheckReport]) -> dict[Key, CheckReport]:
    """Examine several engines at a time."""
    keys = [*keys]
    with hurried(), ThreadPoolExecutor(TOGETHER) as pool:
        return dict(zip(keys, pool.map(check, keys), strict=True))


def failed(report: CheckReport) -> dict[str, str]:
    """The steps that failed, with what came."""
    return {step.name: step.got for step in report.steps if step.passed is False}


def changed_example(folder: Path, name: str, changes: dict[str, str]) -> list[str]:
    """Write an example with replacements in its text into a folder; return its command."""
    text = (ROOT / "examples" / f"{name}_random.py").read_text("utf-8")
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    bot = folder / f"{name}{len([*folder.iterdir()])}.py"
    bot.write_text(text, "utf-8")
    return [*PYTHON, str(bot)]
