"""The players td and td-net: choices one ply ahead, the files that they accept, the exact play of the shipped ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from fiedler.games import game
from fiedler.native import Limits, Position, StopFlag
from fiedler.players import Factory, about, create
from fiedler.players.afterstates import greedy_move
from fiedler.players.table_file import Array, dump, load
from fiedler.players.td import TdPlayer, board_code
from fiedler.support.errors import UsageError
from fiedler.training.judge.walk import walk
from fiedler.training.recipe.registry import from_json
from tests.folders import ROOT

TICTACTOE = game("tictactoe")
ABOUT = {"fiedler": "1", "game": "tictactoe", "player": "td", "name": "small"}
SHIPPED = sorted((ROOT / "models").glob("tictactoe-td*"))


def arrays(first: Mapping[int, float], second: Mapping[int, float]) -> dict[str, Array]:
    made: dict[str, Array] = {}
    for side, table in (("first", first), ("second", second)):
        made[f"{side}_codes"] = np.array(list(table), np.uint64)
        made[f"{side}_values"] = np.array(list(table.values()), np.float32)
    return made


def written(folder: Path, content: dict[str, Array], **entries: str) -> Path:
    path = folder / "small.table"
    path.write_bytes(dump(ABOUT | entries, content))
    return path


def factory(model: Path, game_id: str = "tictactoe") -> Factory:
    return create(game(game_id), "td", {"model": str(model)})


def choice(made: Factory, *moves: str) -> str:
    position = TICTACTOE.position(moves=moves)
    best = made.player().search(position, Limits(), StopFlag()).best
    assert best is not None
    return position.move_text(best)


def code(*moves: str) -> int:
    return board_code(TICTACTOE.position(moves=moves))


def test_the_code_of_a_board_is_a_number_in_base_3() -> None:
    assert code() == 0
    assert code("c1") == 1
    assert code("c1", "b1") == 1 + 2 * 3
    assert code("a3") == 3**8


def test_each_side_has_its_own_table(tmp_path: Path) -> None:
    first = {code("b2"): 0.5, code("c1"): 0.75, code("c1", "a3", "b2"): 0.25}
    second = {code("b2"): 0.5, code("b2", "a1"): 0.25, code("b2", "c1"): 0.125}
    made = factory(written(tmp_path, arrays(first, second)))
    assert choice(made) == "c1"
    assert choice(made, "c1", "a3") == "b2"
    assert choice(made, "b2") == "a1"
    assert made.player().title == "td small"
    assert made.player().bounded


def test_unknown_positions_are_even_and_the_first_of_equals_is_chosen(tmp_path: Path) -> None:
    made = factory(written(tmp_path, arrays({code("a3"): -0.5, code("b3"): -0.1}, {})))
    assert choice(made) == "c3"
    assert choice(made, "c3") == "a3"


def test_ends_of_the_game_are_exact(tmp_path: Path) -> None:
    moves = ("a1", "a3", "b1", "b3")
    made = factory(written(tmp_path, arrays({code(*moves, "c3"): 1.0, code(*moves, "c2"): 1.0}, {})))
    assert choice(made, *moves) == "c3", "the first of equals"
    better = factory(written(tmp_path, arrays({code(*moves, "c3"): 0.9}, {})))
    assert choice(better, *moves) == "c1", "a win"


def test_a_choice_counts_the_ends_for_the_side_to_move() -> None:
    position = TICTACTOE.position(moves=["a1", "a3", "b1", "b3", "a2"])
    asked = list[Position]()

    def values(after: list[Position]) -> list[float]:
        asked.extend(after)
        return [0.9] * len(after)

    assert position.move_text(greedy_move(position, values)) == "c3"  # type: ignore[arg-type]
    assert len(asked) == 3, "the end of the game is not asked for"


@pytest.mark.parametrize(
    ("content", "entries", "message"),
    [
        (arrays({}, {}), {"player": "random"}, "made for player 'random', expected 'td'"),
        (arrays({}, {}), {"game": "uttt"}, "made for game 'uttt', expected 'tictactoe'"),
        ({}, {}, "player td needs the array 'first_codes'"),
        (
            arrays({1: 0.5}, {}) | {"first_values": np.zeros(2, np.float32)},
            {},
            "array 'first_values' is float32 2, expected float32 n",
        ),
    ],
)
def test_unfit_files_are_refused(
    tmp_path: Path, content: dict[str, Array], entries: dict[str, str], message: str
) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        factory(written(tmp_path, content, **entries))
    assert "\n" not in str(refused.value)


def test_a_model_is_needed() -> None:
    with pytest.raises(UsageError, match=r"player td: expected a table as option 'model' \(--model F.table\)"):
        create(game("connect4"), "td")
    with pytest.raises(UsageError, match="expected a network file as option 'model'"):
        create(game("connect4"), "td-net")


def test_both_ways_to_learn_are_shipped() -> None:
    assert [path.name for path in SHIPPED] == ["tictactoe-td-net.onnx", "tictactoe-td.table"]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_a_shipped_model_plays_every_position_exactly_and_loses_no_game(path: Path) -> None:
    entries = about(path)
    assert (entries["name"], from_json(entries["recipe"]).name) == (path.stem, path.stem)
    assert "dirty" not in entries["commit"]
    made = create(TICTACTOE, entries["player"], {"model": str(path)})
    found = walk(TICTACTOE, made)
    made.close()
    assert (found.preserved, found.positions) == (4520, 4520)
    assert [one.losses for one in found.sides.values()] == [0, 0]
    assert all(one.wins > 0 for one in found.sides.values())


def test_the_shipped_tables_are_whole() -> None:
    table = load(ROOT / "models/tictactoe-td.table", TdPlayer.purpose(TICTACTOE))
    known = sum(len(table.arrays[f"{side}_codes"]) for side in ("first", "second"))
    assert known == 4519, "every running position but the start of the game"
    assert all(abs(table.arrays[f"{side}_values"]).max() <= 1 for side in ("first", "second"))


def test_a_player_named_without_a_model_takes_the_shipped_one() -> None:
    for name in ("td", "td-net"):
        made = create(TICTACTOE, name)
        assert made.player().title == f"{name} tictactoe-{name}"
        made.close()
