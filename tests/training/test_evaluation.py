"""A run measures its models against fixed references: in the log, in the picture, the same every time."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from fiedler.games.score import score_text
from fiedler.support.errors import UsageError
from fiedler.training.alphazero.recipe import AlphaZeroRecipe
from fiedler.training.judge.evaluation import Evaluator
from fiedler.training.judge.measure import Setup, measure
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.picture import picture
from fiedler.training.loop.run import Run
from fiedler.training.recipe.entry import Strength
from fiedler.training.recipe.recipe import References
from fiedler.training.recipe.registry import load
from tests.tournament.report.pictures import Picture
from tests.training.recipes import TINY
from tests.training.test_recipe import written

pytestmark = pytest.mark.programs

MATCHES = References(every=2, games=6, against=["random", "mcts simulations=5"], simulations=5, plies=2)


def recipe(evaluation: References | None = MATCHES, iterations: int = 5) -> AlphaZeroRecipe:
    learning = msgspec.structs.replace(TINY.learning, samples=100, capacity=500)
    return msgspec.structs.replace(TINY, iterations=iterations, learning=learning, evaluation=evaluation)


def finish(path: Path, one: AlphaZeroRecipe) -> Run:
    run = Run(one, TrainingFolder(path))
    run.run(lambda *_: None, lambda _: None)
    return run


def test_a_run_evaluates_its_models_which_stay_the_same(tmp_path: Path) -> None:
    one, same, without = (finish(tmp_path / str(n), recipe(e)) for n, e in enumerate((MATCHES, MATCHES, None)))
    assert [entry.iteration for entry in one.folder.log() if entry.strength] == [2, 4, 5]
    assert [entry.strength for entry in one.folder.log()] == [entry.strength for entry in same.folder.log()]
    last = one.folder.log()[-1]
    assert list(last.strength) == ["random", "mcts simulations=5"]
    for found in last.strength.values():
        assert 0 <= found.low <= found.score <= found.high <= 1
        assert found.games == 6
    assert last.losses == without.folder.log()[-1].losses
    assert last.summary().endswith("; mcts simulations=5 " + last.strength["mcts simulations=5"].text())


def test_the_score_is_that_of_a_match(tmp_path: Path) -> None:
    run = finish(tmp_path / "run", recipe(iterations=2))
    setup = Setup(run.model, "mcts", ("simulations=5",), 6, 5, 2, TINY.seed, False)
    measured, found = measure(setup).document(), run.folder.log()[-1].strength["mcts simulations=5"]
    assert msgspec.to_builtins(found) == {key: measured[key] for key in ("score", "low", "high", "games")}


def test_an_evaluation_that_was_interrupted_is_played_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Evaluator, "strength", interrupt)
        with pytest.raises(KeyboardInterrupt):
            finish(tmp_path / "run", recipe())
    again = Run(recipe(), TrainingFolder(tmp_path / "run"))
    assert [(entry.iteration, entry.strength) for entry in again.folder.log()] == [(1, {}), (2, {})]
    again.run(lambda *_: None, lambda _: None)
    log = again.folder.log()
    assert [entry.iteration for entry in log] == [1, 2, 3, 4, 5]
    assert log[1].strength == finish(tmp_path / "whole", recipe()).folder.log()[1].strength


def test_a_run_resumes_with_other_references(tmp_path: Path) -> None:
    finish(tmp_path / "run", recipe(None))
    log = finish(tmp_path / "run", recipe()).folder.log()
    assert [entry.iteration for entry in log if entry.strength] == [5]
    assert TrainingFolder(tmp_path / "run").recipe() == recipe()


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"against": ["rnadom"]}, "evaluation: unknown player 'rnadom'; did you mean 'random'"),
        ({"against": ["mcts 5"]}, "evaluation: against 'mcts 5': expected KEY=VALUE, got '5'"),
        ({"against": ["mcts simulations=no"]}, "evaluation: option 'simulations': expected a whole number"),
        ({"against": ["none.onnx"]}, "evaluation: model none.onnx: no such file"),
        ({"against": [""]}, "evaluation: against '': expected a player or a model file, then its options"),
        ({"games": 1000}, r"evaluation: tictactoe has no 500 distinct openings of 2 plies \(found 12\)"),
    ],
)
def test_wrong_references_are_refused_before_the_first_iteration(
    tmp_path: Path, table: dict[str, object], message: str
) -> None:
    wrong = msgspec.convert(msgspec.to_builtins(MATCHES) | table, References)
    with pytest.raises(UsageError, match=message):
        Run(recipe(wrong), TrainingFolder(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("every = 0", r"evaluation.every: expected a whole number >= 1, got 0"),
        ("games = 3", r"evaluation.games: expected a whole number that's a multiple of 2, got 3"),
        (
            'against = ["osp", "random", "osp"]',
            "evaluation.against: expected each reference once, got 'osp' twice",
        ),
        ("against = []", r"evaluation.against: expected an array of length >= 1, got \[\]"),
        ("evry = 1", r"evaluation.evry: unknown key; did you mean 'every'"),
    ],
)
def test_a_wrong_table_is_one_line(tmp_path: Path, line: str, message: str) -> None:
    lines = {"every": "every = 1", "games": "games = 2", "against": 'against = ["random"]'}
    lines |= {line.split(maxsplit=1)[0]: line}
    with pytest.raises(UsageError, match=message):
        load(written(tmp_path, "[net]", "\n".join(["[evaluation]", *lines.values(), "[net]"])))


def test_every_reference_has_its_line_in_the_picture(tmp_path: Path) -> None:
    (entry,) = finish(tmp_path / "run", recipe(None, iterations=1)).folder.log()
    names = ["random", "osp", "hsp", "mcts simulations=1000", "negamax depth=3", "models/some-other-network.onnx"]
    log = [
        msgspec.structs.replace(
            entry,
            iteration=number,
            strength={name: Strength(number / 40 + place / 10, 0.1, 0.95, 200) for place, name in enumerate(names)}
            if number % 5 == 0
            else {},
        )
        for number in range(1, 21)
    ]
    found = Picture(picture(TINY, log))
    assert found.faults() == []
    texts = [label.text for label in found.labels]
    assert "score, 95 % interval" in texts
    for place, name in enumerate(names):
        assert f"{name}: {score_text(0.5 + place / 10, (0.1, 0.95), 1)}" in texts
    assert len(list(found.discs())) == len(entry.losses) + 4 * len(names)
