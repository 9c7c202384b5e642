"""The Q-network: boards against the native core, targets by hand, a small run, its file and its player."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from msgspec.structs import replace

from fiedler.games import game
from fiedler.native import Limits, Position, StopFlag
from fiedler.players import about, create
from fiedler.players.dqn import DqnPlayer
from fiedler.players.model import load, load_bytes
from fiedler.support.errors import UsageError
from fiedler.training.dqn.boards import Bitboards, Moves
from fiedler.training.dqn.entry import DqnEntry
from fiedler.training.dqn.export import to_onnx
from fiedler.training.dqn.games import Seating, opened, osp_moves, play, random_moves
from fiedler.training.dqn.net import fresh
from fiedler.training.dqn.recipe import DqnRecipe
from fiedler.training.dqn.samples import SAMPLE, Record, SampleMemory, Samples
from fiedler.training.dqn.system import Dqn, seated
from fiedler.training.dqn.targets import targets
from fiedler.training.dqn.values import ILLEGAL, best_moves, q_values, state_values
from fiedler.training.loop.folder import PICTURE, TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.recipe.registry import load as load_recipe
from fiedler.training.recipe.system import Stamp
from tests.folders import CONFIGS, ROOT

CONNECT4 = game("connect4")
PURPOSE = DqnPlayer.purpose(CONNECT4)


def recipe(name: str = "connect4-dqn-tiny") -> DqnRecipe:
    found = load_recipe(CONFIGS / "training" / f"{name}.toml")
    assert isinstance(found, DqnRecipe)
    return found


TINY = recipe()


def line(moves: str) -> Position:
    return CONNECT4.position(moves=list(moves))


def some_positions(count: int) -> list[Position]:
    source, found = random.Random(3), []
    for _ in range(count):
        position, plies = CONNECT4.position(), source.randint(0, 42)
        while position.ply < plies and position.result is None:
            position.play(source.choice(position.legal_moves()))
        found.append(position)
    return found


def known_by_play(position: Position, move: int) -> float:
    """The value of a move by playing every answer; NaN if that does not decide it."""
    after = position.copy()
    after.play(move)
    if after.result is not None:
        return abs(after.result)
    for answer in after.legal_moves():
        end = after.copy()
        end.play(answer)
        if end.result:
            return -1
    return float("nan")


def test_boards_are_those_of_the_core() -> None:
    positions = some_positions(600)
    boards = Bitboards.of(positions)
    assert np.array_equal(boards.planes(), np.stack([position.planes() for position in positions]))
    assert [not end for end in boards.lost | boards.full] == [one.result is None for one in positions]
    assert boards.plies.tolist() == [position.ply for position in positions]


def test_moves_and_their_known_values_are_those_of_the_core() -> None:
    positions = [position for position in some_positions(400) if position.result is None]
    boards = Bitboards.of(positions)
    legal, known = boards.legal(), boards.known()
    for place, position in enumerate(positions):
        assert np.flatnonzero(legal[place]).tolist() == position.legal_moves()
        for move in position.legal_moves():
            np.testing.assert_equal(known[place, move], np.float32(known_by_play(position, move)))
            after = position.copy()
            after.play(move)
            played = boards[place : place + 1].play(np.array([move]))
            assert np.array_equal(played.planes()[0], after.planes())
    assert np.isnan(known[~legal]).all()


def test_osp_wins_and_prevents() -> None:
    boards = Bitboards.of([line("ababa"), line("ababag"), line("gb")])
    chosen = [osp_moves(boards, np.random.default_rng(seed)).tolist() for seed in range(30)]
    assert {moves[0] for moves in chosen} == {0}  # prevents the four in a
    assert {moves[1] for moves in chosen} == {0}  # wins in a
    assert len({moves[2] for moves in chosen}) > 3


def test_openings_are_running_games() -> None:
    starts = opened(500, 0.8, 30, np.random.default_rng(1))
    assert not (starts.lost | starts.full).any()
    assert starts.plies.min() == 0
    assert starts.plies.max() > 20
    assert 0.15 < (starts.plies == 0).mean() < 0.35


def test_games_end_and_are_counted_for_the_right_side() -> None:
    def first_column(boards: Bitboards) -> Moves:
        return best_moves(boards.legal().astype(np.float32))

    def last_column(boards: Bitboards, _: np.random.Generator) -> Moves:
        return 6 - best_moves(boards.legal()[:, ::-1].astype(np.float32))

    seats = np.array([[0, 1], [1, 0], [0, 0]])
    ends = play(Bitboards.empty(3), Seating(first_column, 0.0, [last_column], seats), np.random.default_rng(0))
    assert ends.results.tolist()[:2] == [1, 1]
    assert ends.lengths.tolist()[:2] == [7, 7]


def test_seats_have_the_shares_of_the_recipe() -> None:
    seats = seated(4000, [0.25, 0.05], np.random.default_rng(0))
    assert ((seats == 0).any(1)).all()
    assert (seats == 1).any(1).mean() == pytest.approx(0.25, abs=0.03)
    assert (seats == 2).any(1).mean() == pytest.approx(0.05, abs=0.02)
    assert (seats[:, 0] == 1).mean() == pytest.approx(0.125, abs=0.03)


def recorded(moves: str, chosen: list[bool], result: int, plies: int) -> Samples:
    record, position = Record(), CONNECT4.position()
    for name, good in zip(moves, chosen, strict=True):
        move = position.parse_move(name)
        record.add(np.array([0]), Bitboards.of([position]), np.array([move]), np.array([good]))
        position.play(move)
    return record.samples(np.array([result]), plies)


def test_a_return_ends_with_the_game_or_before_another_choice() -> None:
    samples = recorded("abababa", [True] * 7, 1, 3)
    assert samples["sign"].tolist() == [-1, -1, -1, -1, 0, 0, 0]
    assert samples["end_own"][4:].tolist() == [2, 0, 2]
    assert samples["end_mask"][0] == samples["mask"][3]
    samples = recorded("abababa", [True, True, False, True, True, True, False], 1, 3)
    assert samples["sign"].tolist() == [1, -1, -1, -1, 1, -1, 0]
    assert samples["end_mask"][0] == samples["mask"][2]
    assert samples["end_mask"][1] == samples["mask"][2]
    assert samples["end_mask"][5] == samples["mask"][6]


def test_targets_follow_the_rules_and_the_network() -> None:
    net, other = fresh(TINY), fresh(recipe("connect4-dqn"))
    samples = recorded("ababa", [True] * 5, 0, 1)
    every = replace(TINY.learning, lookahead=1.0)
    found = targets(net, other, samples, every, np.random.default_rng(0))
    assert found[4, 0] == 0  # the recorded game was counted as a draw
    boards = Bitboards.of([line("ab")])
    for move in range(1, 7):
        after = boards.play(np.array([move]))
        assert found[2, move] == pytest.approx(-state_values(other, other, after, bf16=False)[0], abs=1e-5)
    double = state_values(net, other, Bitboards.of([line("aba")]), bf16=False)
    assert found[2, 0] == pytest.approx(-double[0], abs=1e-5)
    few = targets(net, other, samples, replace(every, lookahead=0.0), np.random.default_rng(0))
    assert np.isnan(few[2]).sum() == 6


def test_only_targets_by_the_rules_are_beyond_the_bound() -> None:
    samples = recorded("abababa", [True] * 7, 1, 3)
    near = replace(TINY.learning, bound=0.5, lookahead=1.0)
    found = targets(fresh(TINY), fresh(TINY), samples, near, np.random.default_rng(0))
    assert found[6, 0] == 1
    assert found[5].tolist() == [pytest.approx(found[5, 0]), *[-1] * 6]
    assert abs(found[5, 0]) <= 0.5
    assert abs(found[:4]).max() <= 0.5


def test_full_columns_have_no_value() -> None:
    values = q_values(fresh(TINY), Bitboards.of([line("aaaaaa")]), bf16=False)
    assert values[0, 0] == ILLEGAL
    assert (abs(values[0, 1:]) <= 1).all()


def test_epsilon_falls_and_is_raised_again() -> None:
    found = [TINY.epsilon(iteration) for iteration in range(6)]
    assert found == pytest.approx([0.3, 0.2, 0.1, 0.3, 0.2, 0.1])


def test_a_memory_keeps_the_newest_and_refuses_damage() -> None:
    memory, samples = SampleMemory(3), np.zeros(5, SAMPLE)
    samples["move"] = range(5)
    memory.add(samples)
    assert memory.samples["move"].tolist() == [2, 3, 4]
    other = SampleMemory(3)
    other.load(memory.dump())
    assert np.array_equal(other.samples, memory.samples)
    with pytest.raises(ValueError, match="expected a multiple of 34 bytes, got 35"):
        other.load(bytes(35))
    with pytest.raises(ValueError, match="expected at most 3, got 4"):
        other.load(bytes(4 * 34))


@pytest.mark.parametrize("dueling", [False, True])
def test_the_file_answers_as_the_network(dueling: bool) -> None:
    changed = replace(TINY, net=replace(TINY.net, dueling=dueling))
    net = fresh(changed)
    planes = np.stack([position.planes() for position in some_positions(50)])
    (found,) = load_bytes(to_onnx(net, changed), PURPOSE).evaluate(planes)
    with torch.no_grad():
        assert np.allclose(found, torch.tanh(net(torch.from_numpy(planes))).numpy(), atol=1e-5)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    found = Run(TINY, TrainingFolder(tmp_path_factory.mktemp("dqn") / TINY.name))
    found.run(lambda *_: None, lambda _: None)
    return found


def test_a_small_run_beats_random(run: Run) -> None:
    entries = [entry for entry in run.folder.log() if isinstance(entry, DqnEntry)]
    assert [entry.random_score is not None for entry in entries] == [False, False, True] * 2
    assert entries[-1].random_score is not None
    assert entries[-1].random_score > 0.7
    assert entries[-1].q_loss < entries[0].q_loss
    assert "against random" in entries[-1].summary()
    assert "against" not in entries[0].summary()
    said = about(run.model)
    assert (said["game"], said["player"]) == ("connect4", "dqn")


def test_the_picture_of_a_run_has_its_curves(run: Run) -> None:
    picture = (run.folder.path / PICTURE).read_text("utf-8")
    for label in ("score, random", "score, osp", "plies, random", "plies, training"):
        assert f">{label}</text>" in picture


def test_a_run_that_was_interrupted_ends_with_the_same_model(run: Run) -> None:
    first, resumed = Dqn(TINY), Dqn(TINY)
    for iteration in range(3):
        first.iterate(iteration, lambda *_: None)
    resumed.restore(first.state())
    resumed.memory.load(first.memory.dump())
    for iteration in range(3, TINY.iterations):
        resumed.iterate(iteration, lambda *_: None)
    assert resumed.export(Stamp()) == Dqn.export(run.system, Stamp())  # type: ignore[arg-type]


def test_a_damaged_state_is_refused() -> None:
    for damaged in (b"", b"hello", Dqn(TINY).state()[:1000]):
        with pytest.raises(ValueError, match=r"\w"):
            Dqn(TINY).restore(damaged)


def test_the_player_takes_the_best_legal_move(run: Run) -> None:
    factory = create(CONNECT4, "dqn", {"model": str(run.model)})
    model = load(run.model, PURPOSE)
    player = factory.player()
    assert player.title == "dqn connect4-dqn-tiny"
    assert player.bounded
    for position in (one for one in some_positions(60) if one.result is None):
        mirrored = position.transformed(1)
        (values,) = model.evaluate(np.stack([position.planes(), mirrored.planes()]))
        mean = values[0] + values[1, ::-1]
        found = player.search(position, Limits(), StopFlag())
        assert found.best == max(position.legal_moves(), key=lambda move: mean[move])
        assert found.nodes == 1
        answer = player.search(mirrored, Limits(), StopFlag()).best
        assert answer is not None
        assert mean[position.transformed_move(1, answer)] == mean[found.best]
    factory.close()


def test_epsilon_plays_other_moves_by_its_seed(run: Run) -> None:
    factory = create(CONNECT4, "dqn", {"model": str(run.model), "epsilon": "1"})

    def moves(seed: str) -> list[int | None]:
        player = factory.player()
        player.set_option("seed", seed)
        return [player.search(CONNECT4.position(), Limits(), StopFlag()).best for _ in range(20)]

    assert len(set(moves("1"))) > 3
    assert moves("1") == moves("1") != moves("2")
    factory.close()


def test_a_damaged_file_is_refused(run: Run) -> None:
    data = run.model.read_bytes()
    for damaged in (b"", data[:1000], data[: len(data) // 2]):
        with pytest.raises(UsageError, match=r"net\.onnx: not an ONNX network, or damaged"):
            load_bytes(damaged, PURPOSE, name="net.onnx")
    model = onnx.load_from_string(data)
    for tensor in model.graph.initializer:
        if tensor.name == "moves.weight":
            tensor.CopyFrom(onnx.numpy_helper.from_array(9 * onnx.numpy_helper.to_array(tensor), tensor.name))
    with pytest.raises(UsageError, match="its checksum does not fit"):
        load_bytes(model.SerializeToString(), PURPOSE, name="net.onnx")


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ('game = "connect4"', 'game = "uttt"', "game: expected 'connect4', the only game of this system, got 'uttt'"),
        ("kernel = 5", "kernel = 4", "net.kernel: expected an odd number, got 4"),
        (
            "osp_share = 0.2",
            "osp_share = 0.9",
            r"games: expected older_share \+ osp_share \+ random_share of at most 1",
        ),
    ],
)
def test_a_wrong_recipe_is_refused(tmp_path: Path, key: str, value: str, message: str) -> None:
    text = (CONFIGS / "training" / "connect4-dqn-tiny.toml").read_text("utf-8")
    (tmp_path / "wrong.toml").write_text(text.replace(key, value), encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        load_recipe(tmp_path / "wrong.toml")


def test_the_shipped_network_beats_random() -> None:
    model = load(ROOT / "models" / "connect4-dqn.onnx", PURPOSE)
    wins = play(
        Bitboards.empty(100),
        Seating(
            lambda boards: best_moves(np.where(boards.legal(), model.evaluate(boards.planes())[0], ILLEGAL)),
            0.0,
            [random_moves],
            np.stack([np.arange(100) % 2, 1 - np.arange(100) % 2], axis=1),
        ),
        np.random.default_rng(1),
    )
    assert (wins.results * (1 - 2 * (np.arange(100) % 2)) > 0).mean() > 0.9
