"""The player checkpoint: the files it accepts, and sessions that share batches and still play as if alone."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from fiedler.games import game
from fiedler.native import Limits, SearchInfo, StopFlag
from fiedler.players import create, player_kind
from fiedler.players.checkpoint import CheckpointPlayer
from fiedler.players.descent import DescentPlayer
from fiedler.players.entries import SEAL
from fiedler.players.incremental import read_incremental
from fiedler.players.model import load, load_bytes
from fiedler.players.model_file import BLANK, metadata, sealed
from fiedler.players.negamax import NegamaxPlayer
from fiedler.players.network import Network, _rows
from fiedler.players.network_player import NetworkFactory, NetworkPlayer
from fiedler.players.onnx_file import read_weights
from fiedler.support.errors import UsageError, WorkError
from fiedler.training.model.quantise import random_planes
from fiedler.training.nets.export import to_onnx
from fiedler.training.nets.kinds import fresh
from fiedler.training.recipe.registry import from_json
from tests.engine.engine_process import engine
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.training.recipes import alphazero

UTTT = game("uttt")
PURPOSE = CheckpointPlayer.purpose(UTTT)


@pytest.fixture(scope="session")
def untrained() -> bytes:
    recipe = alphazero("uttt-small")
    return to_onnx(fresh(recipe), recipe)


@pytest.fixture
def model_file(untrained: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "net.onnx"
    path.write_bytes(untrained)
    return path


@pytest.fixture
def factory(model_file: Path) -> Any:
    made = create(UTTT, "checkpoint", {"model": str(model_file), "seed": "1"})
    assert isinstance(made, NetworkFactory)
    yield made
    made.close()


def changed(data: bytes, **entries: str | None) -> bytes:
    """The file with other metadata; None removes an entry."""
    model = onnx.load_from_string(data)
    about = {entry.key: entry.value for entry in model.metadata_props} | entries
    del model.metadata_props[:]
    onnx.helper.set_model_props(model, {key: value for key, value in about.items() if value is not None})
    return with_checksum(model)


def with_checksum(model: onnx.ModelProto) -> bytes:
    """The file of a changed network, with its new checksum."""
    for entry in model.metadata_props:
        if entry.key == SEAL:
            entry.value = BLANK
    return sealed(model.SerializeToString())


def with_weights(data: bytes, name: str, factor: float) -> bytes:
    """The file with one of its weights multiplied."""
    model = onnx.load_from_string(data)
    for tensor in model.graph.initializer:
        if tensor.name == name:
            tensor.CopyFrom(onnx.numpy_helper.from_array(factor * onnx.numpy_helper.to_array(tensor), name))
    return with_checksum(model)


def search(player: Any, nodes: int = 400, moves: tuple[str, ...] = ()) -> SearchInfo:
    info: SearchInfo = player.search(UTTT.position(moves=moves), Limits(nodes=nodes), StopFlag())
    return info


def known(info: SearchInfo) -> tuple[Any, ...]:
    return info.nodes, info.score, info.mate, tuple(info.pv), info.best


def test_it_plays_legal_moves_by_its_own_limit(factory: NetworkFactory) -> None:
    player = factory.player()
    assert not player.bounded
    player.set_option("simulations", "50")
    assert player.bounded
    info = search(player, nodes=0)
    assert info.nodes == 50
    assert info.best in UTTT.position().legal_moves()
    assert isinstance(player, CheckpointPlayer)
    assert sum(move.visits for move in player.root_moves()) == 49


def test_its_title_names_the_network(factory: NetworkFactory) -> None:
    assert factory.player().title == "checkpoint uttt-small"


def test_it_makes_ready_and_gives_its_memory_back(factory: NetworkFactory) -> None:
    player = factory.player()
    assert isinstance(player, CheckpointPlayer)
    assert player.memory_mb == 256
    player.prepare()
    assert player._tree is not None
    player.close()
    assert player._tree is None


class Other:
    """A session of onnxruntime that does more at each call."""

    def __init__(self, session: Any, more: Callable[[], None]) -> None:
        self.session = session
        self.more = more

    def io_binding(self) -> Any:
        return self.session.io_binding()

    def run_with_iobinding(self, binding: Any, options: Any) -> None:
        self.more()
        self.session.run_with_iobinding(binding, options)


def test_sessions_share_batches_and_play_as_if_alone(factory: NetworkFactory, model_file: Path) -> None:
    lines = [("e5",), ("a1",), ("i9",), ("e5", "d4")]
    start = threading.Barrier(len(lines))

    def one(line: tuple[str, ...]) -> tuple[Any, ...]:
        player = factory.player()
        player.set_option("batch", "4")  # too few for a batch of its own while others search
        return known(search(player, 2000, line))

    def together(line: tuple[str, ...]) -> tuple[Any, ...]:
        start.wait()
        return one(line)

    alone = [one(line) for line in lines]
    before = factory.network.stats()
    model = load(model_file, PURPOSE)
    slow: Any = Other(model.session, lambda: time.sleep(0.002))  # a large network: others can ask meanwhile
    factory.network.replace(replace(model, session=slow))
    with ThreadPoolExecutor(len(lines)) as pool:
        assert list(pool.map(together, lines)) == alone
    after = factory.network.stats()
    assert before.evaluations / before.batches <= 4
    assert (after.evaluations - before.evaluations) / (after.batches - before.batches) > 4
    assert factory.evaluations() == after


def test_searches_of_full_batches_evaluate_at_the_same_time(factory: NetworkFactory, model_file: Path) -> None:
    lock = threading.Lock()
    inside = most = 0

    def more() -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.005)
        with lock:
            inside -= 1

    slow: Any = Other(load(model_file, PURPOSE).session, more)
    factory.network.replace(replace(factory.network.model, session=slow))
    with ThreadPoolExecutor(2) as pool:
        for one in [pool.submit(search, factory.player()) for _ in range(2)]:
            one.result(timeout=PATIENCE)
    assert most == 2


def test_bound_arrays_are_read_again_at_every_call(untrained: bytes) -> None:
    """On a GPU, too, where onnxruntime copies a bound input once: there nothing is bound."""

    class Unbound:
        def __init__(self, session: Any) -> None:
            self.run = session.run

    model = load_bytes(untrained, PURPOSE)
    unbound: Any = Unbound(model.session)
    gpu = replace(model, device="cuda", session=unbound)
    for one in (model, gpu):
        planes, answers = np.zeros((8, 6, 9, 9), np.float32), one.answers(8)
        evaluate = one.bind(planes, answers)
        for seed in (1, 2):
            planes[:] = np.random.default_rng(seed).integers(0, 2, planes.shape)
            evaluate()
            assert all(np.array_equal(*pair) for pair in zip(answers, model.evaluate(planes), strict=True))


def test_an_answer_does_not_depend_on_its_row_or_its_company(model_file: Path) -> None:
    model = load(model_file, PURPOSE)
    random = np.random.default_rng(0)
    leaf = UTTT.position(moves=["e5", "d4"]).planes()
    answers = set()
    for row in range(16):
        for company in (np.zeros((16, 6, 9, 9)), np.ones((16, 6, 9, 9)), random.random((16, 6, 9, 9))):
            planes = company.astype(np.float32)
            planes[row] = leaf
            policy, value = model.evaluate(planes)
            answers.add((policy[row].tobytes(), value[row].tobytes()))
    assert len(answers) == 1


def test_a_new_game_forgets_the_tree_and_a_setting_makes_another_search(factory: NetworkFactory) -> None:
    player = factory.player()
    first = known(search(player))
    player.new_game()
    assert known(search(player)) == first
    player.set_option("c_puct", "0.5")
    assert known(search(player)) != first
    player.set_option("temperature", "1")
    moves = set()
    for seed in range(10):
        player.set_option("seed", str(seed))
        moves.add(search(player, nodes=100).best)
    assert len(moves) > 2


def test_a_model_cannot_be_set_by_a_session(factory: NetworkFactory) -> None:
    for name in ("model", "device"):
        with pytest.raises(UsageError, match="where the engine starts"):
            factory.player().set_option(name, "x")


def test_a_failing_network_is_one_clear_error_and_no_hang(factory: NetworkFactory) -> None:
    def breaks() -> None:
        raise RuntimeError("the accelerator\nwent away")

    broken: Any = Other(factory.network.model.session, breaks)
    factory.network.replace(replace(factory.network.model, session=broken))
    with ThreadPoolExecutor(3) as pool:
        for result in [pool.submit(search, factory.player()) for _ in range(3)]:
            with pytest.raises(WorkError, match="checkpoint: the network failed: the accelerator went away"):
                result.result(timeout=PATIENCE)


def test_closing_refuses_searches(model_file: Path) -> None:
    network = Network(UTTT, load(model_file, PURPOSE))
    network.close()
    network.close()
    assert network.batcher.closed
    made = create(UTTT, "checkpoint", {"model": str(model_file)})
    player = made.player()
    made.close()
    with pytest.raises(WorkError, match="the network is closed"):
        search(player)


def test_a_file_describes_itself(model_file: Path) -> None:
    about = metadata(model_file)
    assert about.keys() == {
        "fiedler", "game", "planes", "actions", "player", "name", "recipe", "commit", "seconds", "probe", "sha256",
    }  # fmt: skip
    assert (about["game"], about["planes"], about["actions"], about["player"]) == ("uttt", "6x9x9", "81", "checkpoint")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"fiedler": None}, "not one of this project's"),
        ({"fiedler": "99"}, "made for format '99', expected '1'"),
        ({"game": "connect4"}, "made for game 'connect4', expected 'uttt'"),
        ({"game": None}, "its metadata has no entry 'game'"),
        ({"game": "g" * 100_000}, f"made for game '{'g' * 39}…', expected 'uttt'"),
        ({"game": "\x1b[31m"}, "made for game '.x1b.31m', expected 'uttt'"),
        ({"player": "descent"}, "made for player 'descent', expected 'checkpoint'"),
        ({"planes": "2x6x7"}, "made for planes '2x6x7', expected '6x9x9'"),
        ({"actions": "7"}, "made for actions '7', expected '81'"),
        ({"probe": "1 2 3"}, "expected [0-9]+ numbers in its entry 'probe', got 3"),
        ({"probe": " ".join(["0.5"] * 16)}, "gives other answers than the file records"),
        ({"probe": "one"}, "expected numbers in its entry 'probe', got 'one'"),
    ],
)
def test_another_purpose_is_refused(untrained: bytes, entries: dict[str, str | None], message: str) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        load_bytes(changed(untrained, **entries), PURPOSE, name="net.onnx")
    assert "\n" not in str(refused.value)
    assert "net.onnx" in str(refused.value)


def test_damage_is_refused(untrained: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for damaged in (b"", b"hello", untrained[:1000], untrained[: len(untrained) // 2], untrained[:-5000]):
        with pytest.raises(UsageError, match=r"net\.onnx: (not an ONNX network, or damaged|.*not one of)"):
            load_bytes(damaged, PURPOSE, name="net.onnx")
    for weight in ("embed.weight", "trunk1.weight", "value_raw.weight", "policy_logits.weight"):
        with pytest.raises(UsageError, match="gives other answers than the file records"):
            load_bytes(with_weights(untrained, weight, 3.0), PURPOSE, name="net.onnx")
    stream = random.Random(1)
    for most in 60 * [len(untrained), 5000]:
        one = bytearray(untrained)
        one[stream.randrange(most)] ^= 1 << stream.randrange(8)
        with pytest.raises(UsageError, match=r"net\.onnx: ") as refused:
            load_bytes(bytes(one), PURPOSE, name="net.onnx")
        assert "\n" not in str(refused.value)
    assert capfd.readouterr() == ("", "")
    with pytest.raises(UsageError, match="no such file"):
        load(tmp_path / "none.onnx", PURPOSE)
    with pytest.raises(UsageError, match=r"expected a network file as option 'model' \(--model F.onnx\)"):
        create(UTTT, "checkpoint", {"model": ""})


def test_metadata_that_is_not_utf_8_is_refused(untrained: bytes, tmp_path: Path) -> None:
    for entries in ({"name": "MARK" * 4}, {"MARK" * 4: "a key"}):
        damaged = changed(untrained, **entries).replace(b"MARKMARK", b"\xff\xfeRKMARK")
        with pytest.raises(UsageError, match=r"net\.onnx: damaged, its metadata is not UTF-8") as refused:
            load_bytes(damaged, PURPOSE, name="net.onnx")
        assert "\n" not in str(refused.value)
        (tmp_path / "net.onnx").write_bytes(damaged)
        with pytest.raises(UsageError, match="not UTF-8"):
            metadata(tmp_path / "net.onnx")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("n" * 100_000, "n" * 80),
        ("\x1b[31mred\x1b[0m\a\u202etxt\n", "[31mred [0m txt"),
        ("\x1b \n", "net.onnx"),
        ("", "net.onnx"),
    ],
)
def test_a_name_is_one_printable_line(untrained: bytes, name: str, shown: str) -> None:
    assert load_bytes(changed(untrained, name=name), PURPOSE, name="net.onnx").name == shown


def test_a_network_that_answers_huge_numbers_is_one_line_of_the_command(untrained: bytes, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(with_weights(untrained, "policy_logits.weight", 1e30))
    with pytest.raises(UsageError, match="gives other answers than the file records"):
        load(path, PURPOSE)
    ended = engine("serve", "--game", "uttt", "--stdio", "--model", str(path))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"error: model {path}: damaged, its network gives other answers than the file records\n"


def test_heads_of_the_wrong_shape_are_refused(untrained: bytes) -> None:
    model = onnx.load_from_string(untrained)
    for node in model.graph.node:
        if node.op_type == "Squeeze":
            node.op_type = "Identity"
            del node.input[1]
    del model.graph.output[1].type.tensor_type.shape.dim[:]
    with pytest.raises(UsageError, match=r"net\.onnx: head 'value' has the shape \(8, 1\), expected \(8,\)"):
        load_bytes(with_checksum(model), PURPOSE, name="net.onnx")


def test_a_device_that_is_not_there_is_refused(untrained: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: ["CPUExecutionProvider"])
    with pytest.raises(UsageError, match="device 'cuda': this onnxruntime has none"):
        load_bytes(untrained, PURPOSE, device="cuda")
    with pytest.raises(UsageError, match="expected auto, cpu or cuda, got 'tpu'"):
        load_bytes(untrained, PURPOSE, device="tpu")
    assert load_bytes(untrained, PURPOSE, device="auto").device == "cpu"


def test_the_shipped_networks_are_whole() -> None:
    found = sorted((ROOT / "models").glob("*.onnx"))
    assert found
    for path in found:
        about = metadata(path)
        kind = player_kind(about["player"])
        from_json(about["recipe"])
        assert path.stem == about["name"]
        assert path.stat().st_size < 4_100_000
        if kind is NegamaxPlayer:  # the core alone reads its networks
            read_incremental(game(about["game"]), path)
            continue
        assert issubclass(kind, NetworkPlayer | DescentPlayer)
        model = load(path, kind.purpose(game(about["game"])))
        assert replace(model, device="cpu") == model


def test_no_network_ships_twice() -> None:
    files = sorted((ROOT / "models").glob("*.onnx"))
    weights = [bytes(one) for path in files for one in read_weights(path.read_bytes()).values() if one.nbytes >= 4096]
    assert len(weights) > len(files) / 2
    assert len(set(weights)) == len(weights)


@pytest.mark.parametrize(
    ("leaves", "step", "most", "rows"), [(3, 8, 16, 8), (8, 8, 16, 8), (9, 8, 16, 16), (3, 0, 16, 16), (3, 8, 12, 12)]
)
def test_a_batch_has_few_rows_where_that_changes_no_answer(leaves: int, step: int, most: int, rows: int) -> None:
    assert _rows(leaves, step, most) == rows


def test_a_row_has_the_same_answer_in_every_batch(model_file: Path) -> None:
    model = load(model_file, PURPOSE)
    planes = random_planes(UTTT, 32, 3)
    whole = model.evaluate(planes)
    for size in range(model.step, 32, model.step) if model.step else ():
        for one, part in zip(whole, model.evaluate(planes[:size]), strict=True):
            assert np.array_equal(one[:size], part)
