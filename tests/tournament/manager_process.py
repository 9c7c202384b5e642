"""A manager in its own process, and the shared parts of the tests of whole runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fiedler.tournament.game import GameRecord
from tests.patience import PATIENCE, wait_until
from tests.tournament.schedules import Bench, example, programs_of

MAIN = "from fiedler.tournament.cli import main; main()"
COMMAND = [sys.executable, "-c", MAIN]
UTTT = {"game": "uttt", "games_per_pair": 8, "concurrency": 2}
NODES = {"nodes": 1}
PLIES = {"plies": 2}
RANDOM = [example("r1"), example("r2"), example("r3")]


def played(games: list[GameRecord]) -> dict[str, tuple[object, ...]]:
    """Return by id the part of games that is the same in all runs of one schedule."""
    return {game.id: (game.first, game.second, game.moves, game.result) for game in games}


def children(process: subprocess.Popen[str], word: bytes) -> list[Path]:
    """Return the children of a process with this word in their command lines."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    found = [Path("/proc") / number for file in threads for number in _content(file).decode().split()]
    return [folder for folder in found if word in _content(folder / "cmdline")]


def _content(file: Path) -> bytes:
    """Return what a file of a process or a thread says; nothing if that has just ended."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


WAITING = """
import sys, time
left, write = {games}, sys.stdout.write
def written(text):
    global left
    write(text)
    left -= text.startswith("Finished game")
    while not left:
        sys.stdout.flush()
        time.sleep(3600)
sys.stdout.write = written
"""


def waiting_after(games: int) -> str:
    """Return code for a manager that waits after so many games to be killed: its run is not over before."""
    return WAITING.format(games=games)


class Manager:
    """`tournament run` in its own process, which runs the Python code `first` before."""

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
        """Wait for `count` lines of this kind; False if the run ends before."""
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
