"""From runs of configs/strength/ to models/strengths.json and results/strengths/: `python tools/strengths.py RUN…`."""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

from fiedler.players import about

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "models/strengths.json"
RESULTS = ROOT / "results/strengths"
Entry = dict[str, Any]


def entries(run: Path) -> tuple[str, list[Entry]]:
    """Return the game of a finished run, and its players, strongest first.

    Of equal players the first is one without a model, then the first in the schedule.
    """
    schedule = tomllib.loads((run / "schedule.toml").read_text("utf-8"))
    ranking = json.loads((run / "ranking.json").read_text("utf-8"))["players"]
    players = {player["name"]: player for player in schedule["players"]}
    name = schedule["tournament"]["name"]
    rows = sorted(ranking, key=lambda row: list(players).index(row["name"]))
    found = [_entry(players[row["name"]], row, name) for row in rows]
    return schedule["tournament"]["game"], sorted(found, key=lambda entry: (-entry["elo"], "model" in entry))


def _entry(player: Entry, row: Entry, run: str) -> Entry:
    options = {name: str(value) for name, value in player.get("options", {}).items()}
    model = player.get("model") or options.pop("model", None)
    entry: Entry = {"player": player.get("player"), "options": options}
    if model:
        entry["model"] = Path(model).name
        entry["player"] = entry["player"] or about(ROOT / "models" / entry["model"])["player"]
    error = (row["plus"] + row["minus"]) / 2
    return {**entry, "elo": round(row["elo"]), "error": round(error), "run": run}


def main(runs: list[str]) -> None:
    """Read runs, write the table and keep their games."""
    table = json.loads(TABLE.read_text("utf-8")) if TABLE.is_file() else {}
    for run in map(Path, runs):
        game, found = entries(run)
        table[game] = found
        for name in ("ranking.json", "games.pgn"):
            shutil.copyfile(run / name, RESULTS / f"{game}{Path(name).suffix}")
    lines = ",\n".join(
        f" {json.dumps(game)}: [\n  " + ",\n  ".join(map(json.dumps, table[game])) + "]" for game in sorted(table)
    )
    TABLE.write_text(f"{{\n{lines}\n}}\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
