"""Prove an installed wheel, from an empty folder: its programs are found on PATH, and this Python is its own.

    python -P REPOSITORY/tools/prove_wheel.py

Two games between programs, the move paths of every game against the tables of the tests, the tournament of
docs/install.md with a shipped model, and its pages. Only the standard library is used, and of the repository only the
tables and that page. The extras `cpu` and `web` are needed. The exit code is 1 at the first failure.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
TABLES = ROOT / "tests/data/games"
MOST_PATHS = 1_000_000
"""The move paths of the deepest count of a game."""
PATIENCE_S = 300
"""The time limit of one program."""
PAGE = ROOT / "docs/install.md"
"""It has the schedule of the tournament."""


def main() -> None:
    """Prove it, step by step; each step prints its line."""
    print(run("fiedler"), end="")
    games = [game["id"] for game in json.loads(run("engine", "games", "--json"))["games"]]
    for game in games:
        print(f"{game}: {counted(game):,} move paths")
    play()
    print(f"a tournament, and its pages: {pages()}")


def run(*command: str) -> str:
    """Return the output of a program."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def table(game: str) -> list[dict[str, Any]]:
    """Return the counts of a game by depth, of the game whose moves it has if it has no table of its own."""
    data = json.loads((TABLES / f"{game}.json").read_text("utf-8"))
    found: list[dict[str, Any]] = data["perft"] if "perft" in data else table(data["moves_of"])
    return found


def counted(game: str) -> int:
    """Return the move paths of a game at the greatest depth below MOST_PATHS; every count up to there is right."""
    expected: list[int] = [row["paths"] for row in table(game) if row["paths"] <= MOST_PATHS]
    got = json.loads(run("engine", "perft", "--game", game, "--depth", str(len(expected)), "--json"))["nodes"]
    if got != expected:
        raise SystemExit(f"{game}: expected {expected} move paths, got {got}")
    return expected[-1]


def play() -> None:
    """Play the tournament of PAGE in the present folder."""
    schedule = re.search(r"^```toml\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert schedule is not None
    Path("first.toml").write_text(schedule[1], encoding="utf-8")
    print(run("tournament", "run", "first.toml", "--quiet"), end="")
    if "checkpoint" not in Path("results/first/report.html").read_text("utf-8"):
        raise SystemExit("results/first/report.html: expected the player checkpoint, got none")


def pages() -> str:
    """Return the address of the pages of the tournament, which have shown it."""
    with subprocess.Popen(["tournament", "serve", "--port", "0"], stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            address = re.search(r"http://\S+", server.stderr.readline())
            if address is None:
                raise SystemExit("tournament serve: expected an address in its first line")
            with urlopen(f"{address[0]}api/runs", timeout=PATIENCE_S) as answer:  # noqa: S310 - our own server
                if b'"first"' not in answer.read():
                    raise SystemExit(f"{address[0]}: expected the run first, got none")
            with urlopen(f"{address[0]}runs/first", timeout=PATIENCE_S) as page:  # noqa: S310
                page.read()
            return address[0]
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
