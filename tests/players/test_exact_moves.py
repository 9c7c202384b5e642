"""The benchmark of players over the exact sets of Connect 4."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from benchmarks.exact_moves import ALPHAZERO_JL, exact_moves, keeps_value
from fiedler.training.recipe.registry import new_system
from fiedler.training.recipe.system import Stamp
from tests.training.recipes import TINY
from tools.connect4_sets import Line


def run(*words: str) -> Result:
    return CliRunner().invoke(exact_moves, list(words))


def measured(*words: str) -> dict[str, dict[str, Any]]:
    """The sets of the document, by name."""
    done = run("--json", *words)
    assert done.exit_code == 0, done.output
    return {one["set"]: one for one in json.loads(done.stdout)["sets"]}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An untrained model of Connect 4."""
    path = tmp_path_factory.mktemp("models") / "net.onnx"
    path.write_bytes(new_system(msgspec.structs.replace(TINY, name="connect4-test", game="connect4")).export(Stamp()))
    return str(path)


def test_a_move_keeps_the_value_if_its_score_has_the_sign_of_the_best() -> None:
    won = Line("end-easy", "a", [3, 1, 0, None, -2, 9, -1])
    assert [move for move in range(7) if keeps_value(won, move)] == [0, 1, 5]
    drawn = Line("end-easy", "a", [0, -1, None, None, -2, 0, -1])
    assert [move for move in range(7) if keeps_value(drawn, move)] == [0, 5]


def test_the_sets_have_their_rows_and_the_last_one_counts_all() -> None:
    found = measured("--player", "random", "--set", "seed=5", "--first", "20")
    assert [*found] == [name for name in ALPHAZERO_JL if name in found] + ["all"]
    sets = [one for name, one in found.items() if name != "all"]
    assert {one["positions"] for one in sets} == {20}
    assert found["all"]["positions"] == 20 * len(sets)
    assert found["all"]["kept"] == sum(one["kept"] for one in sets)
    assert 0 < found["all"]["low"] < found["all"]["share"] < found["all"]["high"] < 0.7


def test_a_perfect_player_errs_nowhere() -> None:
    words = ("--player", "mcts", "--set", "simulations=100000", "--first", "3")
    assert measured(*words)["end-easy"]["share"] == 1


def test_the_moves_do_not_depend_on_the_threads() -> None:
    words = ("--player", "mcts", "--set", "simulations=20", "--first", "30")
    assert measured(*words, "--threads", "1") == measured(*words, "--threads", "3")


@pytest.mark.programs
def test_a_model_is_measured_raw_and_with_a_search(model: str) -> None:
    raw = measured("--model", model, "--simulations", "0", "--first", "30")
    searched = measured("--model", model, "--simulations", "200", "--first", "30")
    assert raw["end-easy"]["kept"] < searched["end-easy"]["kept"]
    assert raw == measured("--model", model, "--simulations", "0", "--first", "30", "--untrained")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ((), "expected either --player or --model"),
        (("--player", "mcts"), "player mcts: expected an option that bounds its search"),
        (("--player", "osp", "--set", "seed"), "--set: expected KEY=VALUE, got 'seed'"),
        (("--player", "osp", "--sets", __file__), "expected the sets of tools/connect4_sets.py"),
        (("--model", str(Path(__file__).parents[2] / "models/uttt-small.onnx")), "made for game 'uttt'"),
    ],
)
def test_wrong_words_are_refused(words: tuple[str, ...], error: str) -> None:
    assert error in str(run(*words).exception)
