"""Descent: the switches of a recipe, the resumed run, the gate and the experts."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from fiedler.players.onnx_file import read_weights
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.provenance import commit
from fiedler.training.alphazero.recipe import GateTable
from fiedler.training.alphazero.system import AlphaZero
from fiedler.training.cli import train
from fiedler.training.descent import architectures
from fiedler.training.descent.architectures import ArchitectureSearch
from fiedler.training.descent.comparison import ABOUT, COMPARISONS, FINISHED
from fiedler.training.descent.entry import DescentEntry
from fiedler.training.descent.net import IncrementalValueNet
from fiedler.training.descent.recipe import DescentRecipe
from fiedler.training.descent.system import Descent
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.recipe.registry import comparison, load, untrained_model
from fiedler.training.recipe.rows import Row
from fiedler.training.recipe.system import DivergedError, Stamp
from tests.folders import CONFIGS
from tests.training.recipes import TINY

RECIPES = CONFIGS / "training"


def recipe(**changes: Any) -> DescentRecipe:
    """The tiny recipe, smaller still, with other tables or keys of them."""
    found = load(RECIPES / "uttt-tiny.toml")
    assert isinstance(found, DescentRecipe)
    small: dict[str, Any] = {
        "evaluation": None,
        "selfplay": {"expansions": 20},
        "learning": {"samples": 2000, "capacity": 20000, "batch": 256},
    }
    data = msgspec.to_builtins(found)
    for table, values in [*small.items(), *changes.items()]:
        data[table] = data[table] | values if isinstance(values, dict) and data.get(table) else values
    return msgspec.convert(data, DescentRecipe)


def iterated(system: Descent, count: int) -> list[DescentEntry]:
    return [system.iterate(i, lambda *_: None) for i in range(count)]


def test_the_same_recipe_gives_the_same_model_and_a_stop_changes_nothing(tmp_path: Path) -> None:
    one = Descent(recipe())
    entries = iterated(one, 3)
    assert [entry.greedy for entry in entries] == [0.7, 0.8, 0.9]
    assert all(entry.samples >= 2000 and entry.games and entry.value_loss > 0 for entry in entries)
    run = Run(recipe(), TrainingFolder(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        run.run(lambda *_: None, _interrupt)
    again = Run(recipe(), TrainingFolder(tmp_path))
    assert again.iteration == 1
    again.run(lambda *_: None, lambda _: None)
    assert isinstance(again.system, Descent)
    assert again.system.export(Stamp()) == one.export(Stamp())


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("before", ["note", "_settle"])
def test_a_stop_between_two_files_of_an_iteration_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """The samples of an iteration are not counted twice when it is repeated, nor lost when it is not."""
    one = Descent(recipe())
    iterated(one, 3)
    run = Run(recipe(), TrainingFolder(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        run.run(lambda *_: None, _interrupt)
    run = Run(recipe(), TrainingFolder(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(TrainingFolder, before, _interrupt)
        with pytest.raises(KeyboardInterrupt):
            run.run(lambda *_: None, lambda _: None)
    again = Run(recipe(), TrainingFolder(tmp_path))
    assert again.iteration == (1 if before == "note" else 2)
    again.run(lambda *_: None, lambda _: None)
    assert again.system.export(Stamp()) == one.export(Stamp())
    assert [path.name for path in sorted(tmp_path.glob("samples*"))] == ["samples.bin"]


def test_a_network_learns_the_values_of_states() -> None:
    """The lead in won boards, which the patterns show, as the value of random positions."""
    system, source = Descent(recipe(learning={"passes": 30.0, "rate": 5e-3})), random.Random(1)
    while len(system.samples) < 2000:
        position = system.game.position()
        while position.result is None:
            planes = position.planes()
            lead = float(planes[3].sum() - planes[4].sum()) / 45
            system.samples.add(position, [np.array([lead], np.float32)])
            position.play(source.choice(position.legal_moves()))
    values = system.samples.draw_patterns(2000, 1)[1]
    assert values.std() > 0.1
    assert system.learner.learn(system.samples, 2000, 1).loss < values.var() / 4


@pytest.mark.parametrize(
    "selfplay",
    [{"search": "descent"}, {"replies": True}, {"proven_states": False}, {"mean_share": 0.0}, {"result_share": 0.0}],
)
def test_switches_of_selfplay_change_the_model(selfplay: dict[str, Any]) -> None:
    plain, other = Descent(recipe()), Descent(recipe(selfplay={"expansions": 20} | selfplay))
    iterated(plain, 1)
    iterated(other, 1)
    assert plain.export(Stamp()) != other.export(Stamp())


def test_two_versions_play_from_the_second_iteration_on() -> None:
    system = Descent(recipe(selfplay={"opponent_age": 1, "winners_only": True}))
    first, second, third = iterated(system, 3)
    assert first.opponent_score is None, "there is no older version"
    assert None not in (second.opponent_score, third.opponent_score)
    state = system.state()
    restored = Descent(recipe(selfplay={"opponent_age": 1, "winners_only": True}))
    restored.restore(state)
    assert len(restored._versions) == 1


def test_experts_evaluate_a_share_that_shrinks(tmp_path: Path) -> None:
    expert = tmp_path / "expert.onnx"
    expert.write_bytes(Descent(recipe(seed=9)).export(Stamp()))
    table = {"models": [str(expert)], "share": 0.8, "until": 0.5}
    with_expert, without = Descent(recipe(experts=table)), Descent(recipe())
    entries = iterated(with_expert, 3)
    iterated(without, 3)
    assert [entry.expert_share for entry in entries] == [0.8, 0.0, 0.0]
    assert with_expert.export(Stamp()) != without.export(Stamp())


def test_older_versions_become_experts() -> None:
    table = {"own": 2, "every": 1, "share": 0.6, "until": 1.0}
    system = Descent(recipe(experts=table, iterations=4))
    entries = iterated(system, 3)
    assert [entry.expert_share for entry in entries] == [0.0, 0.4, 0.2], "the first iteration has no older version"
    assert len(system._older) == 2


def test_an_update_is_kept_only_if_it_is_no_weaker() -> None:
    never = Descent(recipe(gate={"games": 2, "score": 1.0, "expansions": 20}, learning={"rate": 0.05}))
    before = never.export(Stamp())
    entry = never.iterate(1, lambda *_: None)
    assert entry.gate_score is not None
    assert entry.accepted == (entry.gate_score >= 1.0)
    assert (never.export(Stamp()) == before) == (not entry.accepted)
    always = Descent(recipe(gate={"games": 2, "score": 0.0, "expansions": 20}))
    assert always.iterate(1, lambda *_: None).accepted
    assert always.export(Stamp()) != before


def test_weights_that_grow_too_large_end_the_run_in_one_line(tmp_path: Path) -> None:
    run = Run(recipe(learning={"rate": 1.0, "batch": 32}), TrainingFolder(tmp_path))
    with pytest.raises(WorkError, match=r"weights are too large.*lower learning.rate"):
        run.run(lambda *_: None, lambda _: None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ('game = "connect4"', "game: no patterns in game connect4"),
        ("[selfplay]\nwinners_only = true", "selfplay.winners_only: expected opponent_age, too"),
        ("[net]\nwidth = 48", "net.width"),
        ("[selfplay]\nsearch = 'ubfm'", "selfplay.search"),
    ],
)
def test_wrong_recipes_are_refused_by_key(tmp_path: Path, changes: str, message: str) -> None:
    text = (RECIPES / "uttt-tiny.toml").read_text("utf-8")
    *table, line = changes.split("\n")
    if table:
        text = text.replace(table[0], changes)
        key = line.split(" ")[0]
        text = "\n".join(one for one in text.split("\n") if not one.startswith(f"{key} =") or one == line)
    else:
        text = text.replace('game = "uttt"', changes)
    path = tmp_path / "wrong.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=message):
        load(path)


def test_the_untrained_network_needs_no_expert() -> None:
    table = {"models": ["none.onnx"], "share": 0.5}
    without = Descent(recipe()).export(Stamp())
    assert untrained_model(recipe()) == without
    assert weights(untrained_model(recipe(experts=table))) == weights(without)


def weights(model: bytes) -> list[bytes]:
    return [one.tobytes() for _, one in sorted(read_weights(model).items())]


def test_a_missing_expert_is_refused() -> None:
    with pytest.raises(UsageError, match=r"experts\.models: model none.onnx: no such file"):
        Descent(recipe(experts={"models": ["none.onnx"], "share": 0.5}))


@pytest.fixture
def at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An expert in an empty folder, which is the present one; returns the folder of comparisons."""
    (tmp_path / "expert.onnx").write_bytes(untrained_model(recipe(seed=9)))
    monkeypatch.setattr(architectures, "HELD_OUT", 2000)
    monkeypatch.chdir(tmp_path)
    return tmp_path / COMPARISONS / "uttt-tiny"


def compared(**changes: Any) -> DescentRecipe:
    few = {"expert": "expert.onnx", "samples": 500, "rounds": 1, "width": [32, 64], "games": 4, "expansions": 20}
    return recipe(architectures=few | changes)


def nothing(*_: object) -> None:
    pass


def test_architectures_learn_from_an_expert_and_play(at_hand: Path) -> None:
    steps, seen = list[str](), list[Row]()
    own, other = comparison(compared())(lambda name, *_: steps.append(name), seen.append)
    learned = ["learning: 32-16-64", "playing: 32-16-64", "learning: 32-16-32", "playing: 32-16-32"]
    assert steps == ["the expert plays", *learned, ""]
    assert (own["width"], other["width"]) == (64, 32)
    assert own["score"] is None
    assert isinstance(other["score"], float)
    assert (8 * other["score"]).is_integer(), "points of four games, in halves"
    assert seen == [own, other] == [json.loads(line) for line in (at_hand / FINISHED).read_text("utf-8").splitlines()]
    about = json.loads((at_hand / ABOUT).read_text("utf-8"))
    assert (about["seed"], about["recipe"]["name"], about["commit"]) == (
        compared().seed,
        "uttt-tiny",
        commit() or "unknown",
    )


def test_more_states_of_the_expert_teach_more(at_hand: Path) -> None:
    errors = []
    for name, samples in (("few", 200), ("many", 20_000)):
        table = msgspec.to_builtins(compared(samples=samples, rounds=3, width=[]).architectures)
        (row,) = comparison(recipe(name=name, architectures=table))(nothing, nothing)
        errors.append(float(str(row["error"])))
    assert errors[1] < errors[0]


@pytest.mark.parametrize("ends", ["learning: 32-16-64", "learning: 32-16-32", "playing: 32-16-32"])
def test_a_comparison_that_ends_early_resumes(at_hand: Path, monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    monkeypatch.setattr(ArchitectureSearch, "_speed", lambda *_: 1000.0)
    whole = comparison(compared())(nothing, nothing)
    shutil.rmtree(at_hand)

    def stop(name: str, *_: object) -> None:
        if name == ends:
            raise KeyboardInterrupt

    kept = list[Row]()
    with pytest.raises(KeyboardInterrupt):
        comparison(compared())(stop, kept.append)
    steps, new = list[str](), list[Row]()
    assert comparison(compared())(lambda name, *_: steps.append(name), new.append) == whole
    assert kept + new == whole
    assert len(kept) == (ends != "learning: 32-16-64")
    again = list[str]()
    assert comparison(compared())(lambda name, *_: again.append(name), nothing) == whole
    assert again == []


def test_a_comparison_keeps_to_its_expert(at_hand: Path) -> None:
    comparison(compared())(nothing, nothing)
    Path("expert.onnx").write_bytes(untrained_model(recipe(seed=10)))
    with pytest.raises(UsageError, match=f"{at_hand.name}: begun with another expert.onnx; remove the folder"):
        comparison(compared())(nothing, nothing)


def test_the_command_prints_each_row_and_an_interrupt_keeps_it(at_hand: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = '[architectures]\nexpert = "expert.onnx"\nsamples = 500\nrounds = 1\nwidth = [32]\ngames = 4\n'
    text = (RECIPES / "uttt-tiny.toml").read_text("utf-8")
    Path("tiny.toml").write_text(f"{text}\n{table}expansions = 20\n", encoding="utf-8")
    played = ArchitectureSearch._played
    monkeypatch.setattr(ArchitectureSearch, "_played", _interrupt)
    runner, command = CliRunner(), ["architectures", "tiny.toml"]
    ended = runner.invoke(train, command, standalone_mode=False)
    assert ended.return_value == 130
    row, kept, hint = ended.stderr.splitlines()
    assert row.startswith("describe 32, depth 16, width 64, weights ")
    assert kept == "interrupted; the finished networks are kept"
    assert hint == "continue with: train architectures tiny.toml"
    monkeypatch.setattr(ArchitectureSearch, "_played", played)
    found = runner.invoke(train, [*command, "--json"], standalone_mode=False)
    assert found.stderr.startswith("describe 32, depth 16, width 32, ")
    assert [one["width"] for one in json.loads(found.stdout)["architectures"]] == [64, 32]


def test_a_comparison_of_another_recipe_or_a_damaged_one_is_refused(at_hand: Path) -> None:
    comparison(compared(width=[]))(nothing, nothing)
    message = r"results/architectures/uttt-tiny: begun with another recipe \(different: .*samples\); remove it"
    with pytest.raises(UsageError, match=message):
        comparison(compared(width=[], samples=400))(nothing, nothing)
    with (at_hand / FINISHED).open("a") as file:
        file.write("{")
    with pytest.raises(UsageError, match=r"candidates.jsonl:2: damaged \(.*\); remove this line: its network"):
        comparison(compared(width=[]))(nothing, nothing)


def test_networks_without_a_measured_speed_play_with_the_same_expansions(
    at_hand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ArchitectureSearch, "_speed", lambda *_: 0.0)
    assert [row["expansions"] for row in comparison(compared())(nothing, nothing)] == [20, 20]


def test_a_size_that_does_not_fit_is_refused_before_the_learning(
    at_hand: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise DivergedError("its weights are too large")

    monkeypatch.setattr(IncrementalValueNet, "native", refuse)
    with pytest.raises(UsageError, match="architectures: 32-16-64 does not fit: its weights are too large"):
        comparison(compared())(nothing, nothing)
    assert not at_hand.exists()


def test_weights_that_grow_too_large_end_a_comparison(at_hand: Path) -> None:
    table = msgspec.to_builtins(compared(width=[], samples=2000, rounds=3).architectures)
    compare = comparison(recipe(architectures=table, learning={"rate": 1.0, "batch": 32}))
    with pytest.raises(WorkError, match=r"architecture 32-16-64: .*its weights are too large.*lower learning.rate"):
        compare(nothing, nothing)


def test_a_comparison_needs_its_table_and_its_expert() -> None:
    with pytest.raises(UsageError, match=r"expected system 'descent' with the table \[architectures\]"):
        comparison(recipe())
    with pytest.raises(UsageError, match=r"architectures\.expert: model missing.onnx: no such file"):
        comparison(recipe(architectures={"expert": "missing.onnx"}))


def test_tables_with_too_few_openings_are_named(at_hand: Path) -> None:
    few = {"games": 40, "plies": 1}
    message = r"uttt has no 20 distinct openings of 1 ply \(found 15\)"
    with pytest.raises(UsageError, match=rf"architectures\.games: {message}"):
        comparison(compared(**few))
    with pytest.raises(UsageError, match=rf"gate\.games: {message}"):
        Descent(recipe(gate=few))
    with pytest.raises(UsageError, match=r"gate\.games: tictactoe has no 20 distinct openings of 1 ply"):
        AlphaZero(msgspec.structs.replace(TINY, gate=GateTable(games=40, plies=1)))
