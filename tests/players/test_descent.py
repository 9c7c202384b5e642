"""The player descent: incremental networks in the native core, others behind onnxruntime, and the files it accepts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from fiedler.games import game
from fiedler.native import Limits, Position, StopFlag
from fiedler.players import Player, create
from fiedler.players.descent import DescentFactory, DescentPlayer
from fiedler.players.entries import SEAL
from fiedler.players.incremental import IncrementalNet, rows_bytes
from fiedler.players.model import load_bytes
from fiedler.players.model_file import BLANK, sealed
from fiedler.players.network import Network
from fiedler.players.onnx_file import read_weights
from fiedler.support.errors import UsageError
from fiedler.training.descent.recipe import DescentRecipe
from fiedler.training.recipe.registry import load, new_system
from fiedler.training.recipe.system import Stamp
from tests.folders import CONFIGS

pytestmark = pytest.mark.programs

UTTT = game("uttt")


@pytest.fixture(scope="module")
def content() -> bytes:
    """An untrained model."""
    recipe = load(CONFIGS / "training" / "uttt-tiny.toml")
    assert isinstance(recipe, DescentRecipe)
    system = new_system(recipe)
    return system.export(Stamp())


@pytest.fixture(scope="module")
def model(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("descent") / "net.onnx"
    path.write_bytes(content)
    return path


def changed(content: bytes, **entries: str) -> bytes:
    """The file with other metadata, which are dropped where the value is empty, and with a checksum that fits."""
    found = onnx.load_model_from_string(content)
    about = {entry.key: entry.value for entry in found.metadata_props} | entries | {SEAL: BLANK}
    del found.metadata_props[:]
    onnx.helper.set_model_props(found, {key: value for key, value in about.items() if value})
    return sealed(found.SerializeToString())


def moves(player: Player, nodes: int) -> list[int]:
    """A game of the player against itself."""
    position, found = UTTT.position(), []
    while position.result is None:
        best = player.search(position, Limits(nodes=nodes), StopFlag()).best
        assert best is not None
        position.play(best)
        found.append(best)
    return found


def positions() -> list[Position]:
    random = np.random.default_rng(1)
    found = []
    for _ in range(20):
        position = UTTT.position()
        while position.result is None:
            found.append(position.copy())
            position.play(int(random.choice(position.legal_moves())))
    return found


def test_the_file_in_onnxruntime_has_the_values_of_the_native_core(content: bytes, model: Path) -> None:
    factory = create(UTTT, "descent", {"model": str(model)})
    assert isinstance(factory, DescentFactory)
    assert isinstance(factory.source, IncrementalNet)
    network = load_bytes(content, DescentPlayer.purpose(UTTT))
    seen = positions()
    (floats,) = network.evaluate(np.stack([position.planes() for position in seen]))
    whole = [factory.source.net.value(position) for position in seen]
    assert np.abs(floats - whole).max() < 0.005
    assert np.std(whole) > 0.005


def test_weights_of_a_file_are_read_without_onnx(content: bytes) -> None:
    expected = {
        tensor.name: onnx.numpy_helper.to_array(tensor)
        for tensor in onnx.load_model_from_string(content).graph.initializer
        if tensor.data_type == onnx.TensorProto.FLOAT
    }
    found = read_weights(content)
    assert expected.keys() <= found.keys()
    assert all(np.array_equal(found[name], expected[name]) for name in expected)
    with pytest.raises(ValueError, match=r"ends too early|not a list"):
        read_weights(content[: len(content) // 2])


def test_it_plays_a_game_by_limits_and_by_its_own_option(model: Path) -> None:
    factory = create(UTTT, "descent", {"model": str(model), "evaluations": "30"})
    player = factory.player()
    assert (player.title, player.bounded, player.prepared) == ("descent uttt-tiny", True, False)
    player.prepare()
    assert player.prepared
    info = player.search(UTTT.position(), Limits(), StopFlag())
    assert info.nodes == 30
    assert sum(move.visits for move in player.root_moves()) == 29
    player.set_option("evaluations", "10")
    assert player.prepared, "the tree stays"
    player.new_game()
    assert player.search(UTTT.position(), Limits(nodes=20), StopFlag()).nodes == 10
    player.set_option("exploration", "0.5")
    assert not player.prepared
    assert moves(player, 20)
    assert moves(factory.player(), 20) == moves(factory.player(), 20)
    assert factory.evaluations() is None
    player.close()
    factory.close()


def test_another_value_network_goes_through_onnxruntime(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "plain.onnx"
    path.write_bytes(changed(content, incremental=""))
    factory = create(UTTT, "descent", {"model": str(path), "evaluations": "5"})
    assert isinstance(factory, DescentFactory)
    assert isinstance(factory.source, Network)
    player = factory.player()
    info = player.search(UTTT.position(), Limits(), StopFlag())
    done = factory.evaluations()
    assert info.nodes == 5
    assert done is not None
    assert done.evaluations > 5 * 8
    native = create(UTTT, "descent", {"model": str(_written(tmp_path, content)), "evaluations": "5"}).player()
    assert native.search(UTTT.position(), Limits(), StopFlag()).best is not None
    factory.close()
    with pytest.raises(UsageError, match="expected an incremental network"):
        create(UTTT, "negamax", {"model": str(path)})


def _written(folder: Path, content: bytes) -> Path:
    path = folder / "native.onnx"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"incremental": "lines"}, "made for incremental 'lines', expected 'patterns'"),
        ({"game": "tictactoe"}, "made for game 'tictactoe', expected 'uttt'"),
        ({"player": "checkpoint"}, "made for player 'checkpoint', expected 'descent'"),
        ({"probe": "0 0 0 0 0 0 0 0.5"}, "gives other answers than the file records"),
        ({"probe": "zero"}, "expected numbers in its entry 'probe', got 'zero'"),
        ({"probe": ""}, "its metadata has no entry 'probe'"),
    ],
)
def test_unfit_files_are_refused(content: bytes, tmp_path: Path, entries: dict[str, str], message: str) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(changed(content, **entries))
    with pytest.raises(UsageError, match=message):
        create(UTTT, "descent", {"model": str(path)})


@pytest.mark.parametrize("shape", [(), (0, 4)])
def test_the_rows_of_damaged_layers_are_refused(monkeypatch: pytest.MonkeyPatch, shape: tuple[int, ...]) -> None:
    weights = {"first.weight": np.zeros((4, 4), np.float32), "embed.weight": np.zeros(shape, np.float32)}
    monkeypatch.setattr("fiedler.players.incremental.read_weights", lambda _: weights)
    with pytest.raises(UsageError, match=r"^model net\.onnx: damaged, its network cannot be read"):
        rows_bytes(b"", {"incremental": "patterns"}, "uttt", "net.onnx")


def test_damaged_and_missing_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    middle = len(content) // 2
    for damaged, message in (
        (content[:middle], "not an ONNX network, or damaged"),
        (content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :], "its checksum does not fit"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(UsageError, match=message):
            create(UTTT, "descent", {"model": str(path)})
    with pytest.raises(UsageError, match="no such file"):
        create(UTTT, "descent", {"model": str(tmp_path / "none.onnx")})
    with pytest.raises(UsageError, match="expected a network file"):
        DescentFactory(UTTT, {})


def test_a_network_without_its_layers_is_refused(content: bytes, tmp_path: Path) -> None:
    found = onnx.load_model_from_string(content)
    for tensor in found.graph.initializer:
        if tensor.name == "second.bias":
            tensor.name = "other.bias"
    path = tmp_path / "net.onnx"
    path.write_bytes(changed(found.SerializeToString()))
    with pytest.raises(UsageError, match="cannot be read"):
        create(UTTT, "descent", {"model": str(path)})


def test_options(model: Path) -> None:
    names: list[Any] = [option.name for option in DescentPlayer.options()]
    assert names == ["model", "device", "evaluations", "mean_share", "exploration", "hash_mb", "threads"]
    player = create(UTTT, "descent", {"model": str(model)}).player()
    assert not player.bounded
    with pytest.raises(UsageError, match=r"from 0\.0 to 1\.0"):
        player.set_option("mean_share", "2")
