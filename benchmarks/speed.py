"""Measure what `benchmarks/README.md` quotes and print it as a table: `make bench`.

Every figure is one command that anybody can type; the command stands in the table's last column.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

BIN = Path(sys.executable).parent
GAMES = ("tictactoe", "connect4", "uttt")


def run(command: str) -> str:
    """Run one of our commands and return what it prints."""
    program, *arguments = shlex.split(command)
    done = subprocess.run([str(BIN / program), *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def bench_row(label: str, command: str, key: str = "nps", digits: int = 0) -> str:
    """One row of the table from an `engine bench --json` command."""
    figures = json.loads(run(command))
    return f"| {label} | {figures[key]:,.{digits}f} | `{command}` |"


def search_rows() -> list[str]:
    """Rollouts, simulations and nodes a second of every game."""
    counted = {"rollouts": "rollouts/s", "mcts": "UCT simulations/s", "negamax": "negamax nodes/s"}
    return [
        bench_row(f"{game}: {unit}", f"engine bench --game {game} --player {player} --seconds 2 --json")
        for game in GAMES
        for player, unit in counted.items()
    ]


def checkpoint_rows() -> list[str]:
    """Network searches of one and of two sessions, and how full their batches are."""
    rows = []
    for threads in (1, 2):
        command = f"engine bench --game uttt --player checkpoint --seconds 3 --threads {threads} --json"
        rows.append(bench_row(f"uttt: checkpoint simulations/s, {threads} session(s)", command))
        rows.append(bench_row(f"uttt: mean batch, {threads} session(s)", command, "mean_batch", digits=1))
    return rows


SCHEDULE = """
[tournament]
name = "overhead"
game = "{game}"
games_per_pair = {games}
seed = 1

[limit]
nodes = 1

[pairing]
method = "round-robin"

[openings]
plies = 2

[[players]]
name = "a"
player = "random"

[[players]]
name = "b"
player = "random"
"""


def manager_rows(games: int = 1000) -> list[str]:
    """Games and plies a second of the manager with two random players, start-up left out."""
    rows = []
    for game in ("tictactoe", "uttt"):
        for concurrency in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                schedule = Path(folder) / "overhead.toml"
                schedule.write_text(SCHEDULE.format(game=game, games=games))
                command = f"tournament run {schedule} --results {folder} --concurrency {concurrency} --quiet"
                run(command)
                rows.append(_manager_row(game, concurrency, Path(folder) / "overhead" / "events.jsonl"))
    return rows


def _manager_row(game: str, concurrency: int, events: Path) -> str:
    """Games and plies a second between the first start and the last finish that the run's events tell of."""
    lines = [json.loads(line) for line in events.read_text().splitlines()]
    began = min(line["at"] for line in lines if line["event"] == "started")
    finished = [line for line in lines if line["event"] == "finished"]
    seconds = (datetime.fromisoformat(finished[-1]["at"]) - datetime.fromisoformat(began)).total_seconds()
    plies = sum(len(line["game"]["moves"]) for line in finished)
    label = f"{game}: manager, two random players, concurrency {concurrency}"
    return f"| {label} | {len(finished) / seconds:,.0f} games/s, {plies / seconds:,.0f} plies/s | `make bench` |"


def main() -> None:
    """Print the tables."""
    began = time.monotonic()
    print("| measure | figure | command |\n|---|---|---|")
    for row in (*search_rows(), *checkpoint_rows(), *manager_rows()):
        print(row, flush=True)
    print(f"\n{time.monotonic() - began:.0f} s in all", file=sys.stderr)


if __name__ == "__main__":
    main()
