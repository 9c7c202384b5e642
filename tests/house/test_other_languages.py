"""The examples in other languages keep every rule of UGI, and play whole games by the rules."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from fiedler.client import open_engine
from fiedler.games import game
from fiedler.protocol import Limit
from tests.engine.check.hurry import checked, hurried
from tests.folders import ROOT
from tests.patience import PATIENCE

EXAMPLES = ROOT / "examples"
STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-O2")


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The commands of the examples whose compiler or interpreter is installed."""
    found = {}
    if (compiler := shutil.which("cc")) is not None:
        program = tmp_path_factory.mktemp("c") / "ugi_random"
        subprocess.run([compiler, *STRICT, "-o", str(program), str(EXAMPLES / "ugi_random.c")], check=True)
        found["c"] = [str(program)]
    if (node := shutil.which("node")) is not None:
        found["js"] = [node, str(EXAMPLES / "ugi_random.js")]
    return found


@pytest.fixture(params=["c", "js"])
def command(request: pytest.FixtureRequest, commands: dict[str, list[str]]) -> list[str]:
    if request.param not in commands:
        pytest.skip(f"{ {'c': 'cc', 'js': 'node'}[request.param] } is not installed")
    return commands[request.param]


def test_it_keeps_the_rules_of_the_protocol(command: list[str]) -> None:
    with hurried():
        report = checked(command, "ugi", "uttt")
    assert {step.grade for step in report.steps} == {"passed"}, report


def test_it_plays_legal_moves_from_any_position_and_the_same_with_the_same_seed(command: list[str]) -> None:
    rng = random.Random(5)
    with open_engine(command, "uttt", start_seconds=PATIENCE) as engine:
        for number in range(4):
            position = game("uttt").position()
            moves: list[str] = []
            while position.result is None:
                text = f"startpos moves {' '.join(moves)}" if moves else "startpos"
                given = str(position) if number % 2 else text
                found = [
                    engine.play(given, Limit(nodes=1), options={"seed": seed}, new_game=False).move
                    for seed in (1, 1, 2)
                ]
                assert found[0] == found[1]
                assert {*found} <= {position.move_text(move) for move in position.legal_moves()}
                moves.append(position.move_text(rng.choice(position.legal_moves())))
                position.play(position.parse_move(moves[-1]))


@pytest.mark.parametrize("file", ["ugi_random.c", "ugi_random.js"])
def test_its_lines_are_short(file: str) -> None:
    text = (EXAMPLES / file).read_text("utf-8")
    assert [line for line in text.splitlines() if len(line) > 120] == []


def test_the_page_names_every_example() -> None:
    page = (EXAMPLES / "README.md").read_text("utf-8")
    for path in sorted(EXAMPLES.iterdir()):
        if path.suffix in {".py", ".c", ".js"}:
            assert f"`{Path(path).name}`" in page
