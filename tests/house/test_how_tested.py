"""The counts of docs/how-tested.md are those of the files."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from fiedler.protocol import DIALECTS
from tests.folders import DATA, DOCS, ROOT
from tests.games.spiel_twins import TWINS
from tests.network.table import cells
from tests.simulated.planted import PLANTED

PAGE = (DOCS / "how-tested.md").read_text("utf-8")
GAMES = {path.stem: json.loads(path.read_text("utf-8")) for path in (DATA / "games").glob("*.json")}


def total(key: str) -> int:
    """Return the number of entries of a key of the games."""
    return sum(len(one[key]) for name, one in GAMES.items() if name in FULL and key in one)


FULL = [name for name, one in GAMES.items() if "perft" in one]
VCF: Any = GAMES["vcf"]
OPTIMA = json.loads((DATA / "graph/optimal_lambda2.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("row", "count"),
    [
        ("recorded random games", total("records")),
        ("kept positions with", total("positions")),
        ("move paths in the deepest", GAMES["uttt"]["perft"][-1]["paths"]),
        ("starts of Chess960", len(GAMES["chess960_starts"]["starts"])),
        ("positions of renju", len(GAMES["renju_forbidden"]["positions"])),
        ("positions of Connect 4 with exact scores", len(GAMES["connect4_scores"]["positions"])),
        (
            "positions of Connect 4 with the exact score",
            len((DATA / "games/connect4_sets.jsonl").read_text("utf-8").splitlines()),
        ),
        ("positions with and without a win", len(VCF["positions"]) + len(VCF["no_vcf"])),
        ("cells", len(cells())),
        ("faults of the manager", len(PLANTED)),
        ("protocols", len(DIALECTS)),
        ("recorded cases of the original", len([*(DATA / "bayeselo").glob("*.json")])),
        ("meeting graphs against proven", sum(map(len, OPTIMA.values()))),
    ],
)
def test_a_count_is_that_of_the_files(row: str, count: int) -> None:
    found = re.search(rf"^\| {re.escape(row)}[^|]*\| ([\d,]+) \|", PAGE, re.MULTILINE)
    assert found, row
    assert found[1] == f"{count:,}"


def test_the_games_beside_openspiel_are_those_of_the_test() -> None:
    assert f"| {len(TWINS)} games beside OpenSpiel |" in PAGE


def test_there_are_more_tests_than_the_page_says() -> None:
    said = re.search(r"more than ([\d,]+) functions of tests", PAGE)
    assert said
    tests = sum(
        len(re.findall(r"^\s*(?:async )?def test_", path.read_text("utf-8"), re.MULTILINE))
        for path in (ROOT / "tests").rglob("test_*.py")
    )
    assert tests > int(said[1].replace(",", ""))


def test_the_least_share_of_lines_is_that_of_pyproject() -> None:
    least = re.search(r"^fail_under = (\d+)", (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert least
    assert f"at least {least[1]} % of the lines" in " ".join(PAGE.split())
