"""The player policy: narrow searches with rollouts, legal in renju, and equal to checkpoint with neither."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.games import game
from fiedler.native import Limits, Position, SearchInfo, StopFlag
from fiedler.players import Factory, Player, create, loaded_mb, player_kind
from fiedler.players.incremental import read_incremental
from fiedler.players.model_file import metadata
from fiedler.players.registry import FACTOR
from fiedler.players.shipped import is_native
from fiedler.support.errors import UsageError
from fiedler.training.cli import train
from fiedler.training.model.join import joined
from fiedler.training.nets.export import to_onnx
from fiedler.training.nets.kinds import fresh
from fiedler.training.policy.recipe import PolicyRecipe
from fiedler.training.recipe.registry import load
from tests.folders import ROOT
from tests.native.positions import load as positions
from tests.training.recipes import RECIPES

RENJU = game("renju15")
MODELS = ROOT / "models"
CELLS = MODELS / "renju15.onnx"
"""A file that has a policy network, too."""
WON = [record for record in positions("vcf")["positions"] if record["rule"] == "renju"]
FORBIDDEN = positions("renju_forbidden")["positions"]


def after(moves: list[list[int]]) -> Position:
    position = RENJU.position()
    for column, row in moves:
        position.play(15 * row + column)
    return position


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = load(RECIPES / "renju15-tiny.toml")
    assert isinstance(recipe, PolicyRecipe)
    path = tmp_path_factory.mktemp("model") / "net.onnx"
    path.write_bytes(to_onnx(fresh(recipe), recipe))
    return path


@pytest.fixture
def factory(model: Path) -> Iterator[Factory]:
    made = create(RENJU, "policy", {"model": str(model), "seed": "1", "hash_mb": "8"})
    yield made
    made.close()


def searched(player: Player, position: Position, nodes: int) -> SearchInfo:
    return player.search(position, Limits(nodes=nodes), StopFlag())


def test_it_plays_a_legal_game(factory: Factory) -> None:
    player, position = factory.player(), RENJU.position()
    while position.result is None:
        info = searched(player, position, 40)
        assert info.best is not None
        assert 0 <= info.score <= 1
        position.play(info.best)  # raises for a forbidden point


def test_its_options_reach_the_search(factory: Factory) -> None:
    position = RENJU.position(moves=["h8", "h9", "j10"])
    for width in (2, 7):
        player = factory.player()
        player.set_option("width", str(width))
        searched(player, position, 60)
        assert len(player.root_moves()) == width
    scores = set()
    for share in ("0", "0.5", "1"):
        player = factory.player()
        player.set_option("rollout_share", share)
        scores.add(searched(player, position, 60).score)
    assert len(scores) == 3


def test_the_same_seed_gives_the_same_game(factory: Factory) -> None:
    position = RENJU.position(moves=["h8", "h9", "j10"])
    one, other = (searched(factory.player(), position, 200) for _ in range(2))
    assert (one.pv, one.score) == (other.pv, other.score)


def test_it_wins_by_fours(factory: Factory) -> None:
    player = factory.player()
    mates = [searched(player, after(record["moves"]), 50).mate for record in WON[:20]]
    assert len(mates) == 20
    assert all(mate is not None and mate > 0 for mate in mates)


def test_it_never_searches_a_forbidden_point(factory: Factory) -> None:
    player = factory.player()
    player.set_option("width", "0")
    for record in FORBIDDEN[:40]:
        position = after(record["moves"])
        assert searched(player, position, 30).best in position.legal_moves()
        assert not {15 * row + column for column, row in record["forbidden"]} & {
            one.move for one in player.root_moves()
        }


@pytest.fixture(scope="module")
def both(model: Path) -> Path:
    """A policy network with a network of cells."""
    path = model.with_name("both.onnx")
    done = CliRunner().invoke(train, ["join", str(model), str(CELLS), "-o", str(path)])
    assert done.exit_code == 0, done.output
    return path


def test_a_joined_network_of_cells_values_the_nodes(model: Path, both: Path) -> None:
    position = RENJU.position(moves=["h8", "h9", "j10"])
    player = create(RENJU, "policy", {"model": str(both), "hash_mb": "8"}).player()
    value = read_incremental(RENJU, CELLS).net.value(position)
    assert 2 * searched(player, position, 1).score - 1 == pytest.approx(value, abs=0.006)
    searched(player, position, 2000)
    assert len(player.root_moves()) > 5
    alone = create(RENJU, "policy", {"model": str(model), "hash_mb": "8"})
    assert metadata(both)["probe"] == metadata(model)["probe"]
    assert alone.player().title == player.title


def test_a_file_is_joined_again(both: Path) -> None:
    assert joined(both, CELLS) == joined(both, both) == both.read_bytes()


def test_negamax_plays_by_the_network_of_cells_alone() -> None:
    """The moves, scores and lines are those of the file in which the network was alone."""
    position = RENJU.position(moves=["h8", "h9", "j10"])
    with closing(create(RENJU, "negamax", {"model": str(CELLS)})) as factory:
        player = factory.player()
        found = searched(player, position, 20_000)
        assert player.title == "negamax renju15-nnue"
    assert (found.best, round(found.score, 9), found.nodes, found.depth) == NNUE_SIGNATURE


NNUE_SIGNATURE = (98, 0.355966146, 20_000, 10)


def test_a_file_without_a_network_of_cells_is_not_for_negamax(model: Path) -> None:
    with pytest.raises(UsageError, match="made for player 'policy', expected 'descent'"):
        read_incremental(RENJU, model)


def test_the_core_evaluates_a_joined_file_for_negamax_alone() -> None:
    assert is_native(CELLS, "negamax")
    assert not is_native(CELLS, "policy")
    assert not is_native(CELLS)


def test_the_rows_of_a_joined_network_count_in_its_memory(model: Path, both: Path) -> None:
    added = (both.stat().st_size - model.stat().st_size) / 2**20
    assert loaded_mb(both, RENJU) > loaded_mb(model, RENJU) + FACTOR * added + 1


def test_what_does_not_fit_is_not_joined(model: Path, both: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="made for player 'policy', expected 'descent'"):
        joined(CELLS, model)
    with pytest.raises(UsageError, match="game"):
        joined(model, MODELS / "gomoku15.onnx")
    with pytest.raises(UsageError, match=r"missing\.onnx: no such file"):
        joined(model, tmp_path / "missing.onnx")
    damaged = tmp_path / "damaged.onnx"
    data = both.read_bytes()
    damaged.write_bytes(data.replace(b"cells.last.bias", b"cells.last.bIas"))
    for kind in ("policy", "negamax"):
        with pytest.raises(UsageError, match="damaged"):
            create(RENJU, kind, {"model": str(damaged)})
    with pytest.raises(UsageError, match="made for game 'renju15', expected 'gomoku15'"):
        create(game("gomoku15"), "negamax", {"model": str(both)})


def test_its_options_are_those_of_checkpoint_and_four_more() -> None:
    policy, checkpoint = (player_kind(name) for name in ("policy", "checkpoint"))
    assert {one.name for one in policy.options()} - {one.name for one in checkpoint.options()} == {
        "width",
        "rollouts",
        "rollout_share",
        "ask_from",
    }
