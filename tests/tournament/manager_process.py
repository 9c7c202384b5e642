"""A manager in a process of its own, and what the tests of whole runs have in common."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE, wait_until
from tests.tournament.schedules import Bench, example, programs_of
from tournament.game import GameRecord

MAIN = "from tournament.cli import main; main()"
COMMAND = [sys.executable, "-c", MAIN]
UTTT = {"game": "uttt", "games_per_pair": 8, "concurrency": 2}
NODES = {"nodes": 1}
PLIES = {"plies": 2}
RANDOM = [example("r1"), example("r2"), example("r3")]


def played(games: list[GameRecord]) -> dict[str, tuple[object, ...]]:
    """What must be the same in two runs of one schedule, by id."""
    return {game.id: (game.first, game.second, game.moves, game.result) for game in games}


def children(process: subprocess.Popen[str], word: bytes) -> list[Path]:
    """The processes that a process has started, and that have this word in their command lines."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    found = [Path("/proc") / number for file in threads for number in file.read_text("utf-8").split()]
    return [folder for folder in found if word in (folder / "cmdline").read_bytes()]


class Manager:
    """`tournament run` as a process of its own; `first` is Python that it runs before."""

    def __init__(self, bench: Bench, *options: str, first: str = "") -> None:
        arguments = [
            sys.executable,
            "-c",
            f"{first}\n{MAIN}",
            "run",
            str(bench.path),
            "--results",
            str(bench.results),
            *options,
        ]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(arguments, stdout=pipe, stderr=pipe, text=True, start_new_session=True)

    def comes_to(self, line: str, count: int) -> bool:
        """Wait for so many lines of this kind; False if the run ends before."""
        assert self.process.stdout is not None
        for text in self.process.stdout:
            count -= text.startswith(line)
            if not count:
                return True
        return False

    def wait_for(self, line: str, count: int) -> None:
        if not self.comes_to(line, count):
            raise AssertionError(f"the run ended early: {self.end()}")

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors


def wait_until_gone(bench: Bench) -> None:
    wait_until(lambda: not programs_of(bench), "players outlived their manager")
