"""Runs for the tests of pages, played by a manager of its own: a browser's thread has a loop already."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from tests.patience import PATIENCE
from tests.tournament.manager_process import COMMAND
from tests.tournament.schedules import Bench, Tables

HELD = {"nodes": 1, "startup_s": PATIENCE, "stall_s": 5 * PATIENCE}
"""A limit under which a player that is `held` loses no game on time, however long its page takes."""


def release(bench: Bench) -> None:
    """Let the players move that are `held`."""
    (bench.folder / "released").touch()


def play(bench: Bench, players: Sequence[Tables], **changes: Tables) -> None:
    """Play a schedule to its end."""
    bench.write(players, **changes)
    command = [*COMMAND, "run", str(bench.path), "--results", str(bench.results), "--quiet"]
    subprocess.run(command, check=True, capture_output=True, timeout=5 * PATIENCE)
