"""Descent: the switches of a recipe, the resumed run, the gate and the experts."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from support.errors import UsageError, WorkError
from tests.folders import CONFIGS
from training.descent.entry import DescentEntry
from training.descent.recipe import DescentRecipe
from training.descent.system import Descent
from training.folder import TrainingFolder
from training.registry import load
from training.run import Run
from training.system import Stamp

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


def _interrupt(_: object) -> None:
    raise KeyboardInterrupt


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


def test_a_missing_expert_is_refused() -> None:
    with pytest.raises(UsageError, match="No such file"):
        Descent(recipe(experts={"models": ["none.onnx"], "share": 0.5}))
