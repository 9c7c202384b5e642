"""The opponent whose level rises after a match won without a draw or a loss: the rule, and real runs with it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from fiedler.support.errors import UsageError
from fiedler.training.alphazero.recipe import AlphaZeroRecipe
from fiedler.training.judge.match import Score
from fiedler.training.judge.opponent import RisingOpponent, level, result
from fiedler.training.loop.folder import PICTURE, TrainingFolder
from fiedler.training.loop.picture import picture
from fiedler.training.loop.run import Run
from fiedler.training.recipe.entry import Entry, OpponentMatch
from fiedler.training.recipe.recipe import OpponentTable
from fiedler.training.recipe.registry import load
from tests.tournament.report.pictures import SVG, Picture
from tests.training.recipes import RECIPES, TINY, alphazero
from tests.training.test_events import events
from tests.training.test_picture import entry
from tests.training.test_recipe import written

SEED = OpponentTable(every=1)
TABLE = OpponentTable(every=1, start=1000, step=1000, most=2500)
QUICK = OpponentTable(every=1, games=4, start=1, step=3, most=6, simulations=8)


def score(wins: int, draws: int, losses: int) -> Score:
    return Score(wins, draws, losses)


def follow(table: OpponentTable, found: list[Score], log: list[Entry] | None = None) -> list[Entry]:
    """Return the log after these matches."""
    log = list(log or [])
    for one in found:
        match = result(table, level(table, log), one)
        log.append(Entry(iteration=len(log) + 1, opponent=match))
    return log


def levels(log: list[Entry]) -> list[int]:
    return [one.opponent.level for one in log if one.opponent]


def test_only_a_match_won_without_a_draw_or_a_loss_raises_the_level() -> None:
    won, drawn, lost = score(10, 0, 0), score(9, 1, 0), score(9, 0, 1)
    log = follow(TABLE, [drawn, won, lost, won, won, lost])
    assert levels(log) == [1000, 1000, 2000, 2000, 2500, 2500]
    assert [one.opponent.clean for one in log if one.opponent] == [False, True, False, True, True, False]
    assert level(TABLE, log) == 2500
    assert level(TABLE, []) == 1000


def test_a_score_that_rounds_to_one_is_not_clean() -> None:
    match = result(TABLE, 1000, score(99_999, 1, 0))
    assert (match.score, match.clean, match.next) == (1.0, False, 1000)


def test_the_level_is_that_of_the_log() -> None:
    log = [*follow(TABLE, [score(10, 0, 0)]), Entry(iteration=2)]
    for length, expected in enumerate((1000, 2000, 2000)):
        assert level(TABLE, log[:length]) == expected
    replace = msgspec.structs.replace
    assert level(replace(TABLE, start=500, step=7), log) == 2000, "levels that were reached stay"
    assert level(replace(TABLE, most=1500), log) == 1500
    for other in (replace(TABLE, against="mcts rollout=heuristic"), replace(TABLE, option="leaf_rollouts")):
        assert level(other, log) == 1000, "another opponent begins at the start"
        back = follow(other, [score(10, 0, 0)], log)
        assert (level(other, back), level(TABLE, back)) == (2000, 2000)


@pytest.mark.parametrize(
    ("match", "text"),
    [
        (result(SEED, 3000, score(10, 0, 0)), "won 10:0 against mcts 3,000 simulations, next 4,000"),
        (
            result(SEED, 3000, score(7, 1, 2)),
            "won 7.5:2.5 against mcts 3,000 simulations, next 3,000",
        ),
        (result(SEED, 3000, score(4, 2, 4)), "drew 5:5 against mcts 3,000 simulations, next 3,000"),
        (
            result(OpponentTable(every=1, against="negamax tt=false", option="depth", step=1), 2, score(0, 0, 10)),
            "lost 0:10 against negamax depth 2, next 2",
        ),
    ],
)
def test_a_match_as_text(match: OpponentMatch, text: str) -> None:
    assert match.text() == text
    assert Entry(opponent=match).summary().endswith(f"; {text}")


def recipe(table: OpponentTable | None = QUICK, iterations: int = 3) -> AlphaZeroRecipe:
    tiny = alphazero("gomoku9-tiny")
    learning = msgspec.structs.replace(tiny.learning, samples=100, capacity=500)
    return msgspec.structs.replace(
        tiny, iterations=iterations, learning=learning, evaluation=None, opponent=table, int8=False
    )


def finish(path: Path, one: AlphaZeroRecipe) -> Run:
    run = Run(one, TrainingFolder(path))
    run.run(lambda *_: None, lambda _: None)
    return run


@pytest.mark.programs
def test_a_run_meets_its_opponent(tmp_path: Path) -> None:
    folder = finish(tmp_path / "run", recipe()).folder
    matches = [one.opponent for one in folder.log() if one.opponent]
    assert len(matches) == 3
    assert matches[0].clean, "the search by threats wins against one simulation"
    assert [one.level for one in matches[:2]] == [1, 4]
    for before, after in pairwise(matches):
        assert after.level == before.next == (min(before.level + 3, 6) if before.clean else before.level)
    assert all(one.wins + one.draws + one.losses == 4 for one in matches)
    numbers = [found for _, _, found in events(folder.path)]
    assert [(one["opponent/level"], one["opponent/score"]) for one in numbers] == [
        (float(one.level), one.score) for one in matches
    ]
    svg = (folder.path / PICTURE).read_text("utf-8")
    assert svg == picture(folder.recipe(), folder.log())
    assert f"{matches[0].text()}, after iteration 1" in svg
    without = finish(tmp_path / "without", recipe(None)).folder
    assert [one.losses for one in without.log()] == [one.losses for one in folder.log()]


@pytest.mark.programs
def test_a_match_that_was_interrupted_is_played_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = msgspec.structs.replace(QUICK, games=2)
    play = RisingOpponent.play

    def interrupt(self: RisingOpponent, iteration: int, log: list[Entry], model: Path) -> OpponentMatch:
        if iteration == 2:
            raise KeyboardInterrupt
        return play(self, iteration, log, model)

    with monkeypatch.context() as patched:
        patched.setattr(RisingOpponent, "play", interrupt)
        with pytest.raises(KeyboardInterrupt):
            finish(tmp_path / "run", recipe(table, 2))
    again = Run(recipe(table, 2), TrainingFolder(tmp_path / "run"))
    assert [one.opponent is None for one in again.folder.log()] == [False, True]
    again.run(lambda *_: None, lambda _: None)
    whole = finish(tmp_path / "whole", recipe(table, 2))
    assert [one.opponent for one in again.folder.log()] == [one.opponent for one in whole.folder.log()]
    more = finish(tmp_path / "run", recipe(msgspec.structs.replace(table, start=2, most=50), 2))
    assert more.folder.log() == again.folder.log(), "a run resumes with another table"


def test_every_match_has_openings_of_its_own() -> None:
    opponent = RisingOpponent(recipe(SEED))
    first, second = opponent.lines(2), opponent.lines(4)
    assert len(set(first)) == len(set(second)) == 5
    assert not set(first) & set(second)
    assert RisingOpponent(recipe(SEED)).lines(2) == first
    assert RisingOpponent(msgspec.structs.replace(recipe(SEED), seed=2)).lines(2) != first


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("every = 0", "opponent.every: expected a whole number >= 1, got 0"),
        ("games = 3", "opponent.games: expected a whole number that's a multiple of 2, got 3"),
        ("start = 0", "opponent.start: expected a whole number >= 1, got 0"),
        ("start = 9", "opponent.start: expected at most 6 (most), got 9"),
        ("option = 3", "opponent.option: expected a text, got 3"),
        ("stepp = 1", "opponent.stepp: unknown key; did you mean 'step'?"),
    ],
)
def test_a_wrong_table_is_one_line(tmp_path: Path, line: str, message: str) -> None:
    lines = {"every": "every = 1", "start": "start = 1", "most": "most = 6"} | {line.split(maxsplit=1)[0]: line}
    with pytest.raises(UsageError) as refused:
        load(written(tmp_path, "[net]", "\n".join(["[opponent]", *lines.values(), "[net]"])))
    assert str(refused.value).endswith(f"recipe.toml: {message}")


@pytest.mark.programs
@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"against": "mtcs"}, "opponent.against: unknown player 'mtcs'; did you mean 'mcts'"),
        ({"against": ""}, "opponent.against: against '': expected a player or a model file, then its options"),
        ({"against": "mcts 5"}, "opponent.against: against 'mcts 5': expected KEY=VALUE, got '5'"),
        ({"against": "mcts solver=no"}, "opponent.against: option 'solver': expected true or false"),
        ({"against": "mcts simulations=5"}, "opponent.against: expected no simulations, which is the level"),
        ({"against": "none.onnx"}, "opponent.against: model none.onnx: no such file"),
        ({"option": "simulation"}, "opponent.option: unknown option 'simulation' of player mcts; did you mean"),
        ({"option": "solver"}, "opponent.option: expected a whole number among the options of mcts, got"),
        (
            {"option": "leaf_rollouts"},
            "opponent.against: against 'mcts .*': its search has no end",
        ),
        (
            {"option": "leaf_rollouts", "most": 99},
            "opponent.most: option 'leaf_rollouts': expected a whole",
        ),
        ({"options": {"threat": "1"}}, "opponent.options: unknown option 'threat' of player checkpoint; did you mean"),
        ({"games": 1000, "plies": 1}, "opponent.games: gomoku9 has no 500 distinct openings of 1 ply"),
    ],
)
def test_a_wrong_opponent_is_refused_before_the_first_iteration(
    tmp_path: Path, table: dict[str, object], message: str
) -> None:
    wrong = msgspec.convert(msgspec.to_builtins(QUICK) | table, OpponentTable)
    with pytest.raises(UsageError, match=message) as refused:
        Run(recipe(wrong), TrainingFolder(tmp_path / "run"))
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "run").exists()


def test_a_model_that_does_not_search_has_no_opponent(tmp_path: Path) -> None:
    path = tmp_path / "td.toml"
    text = (RECIPES / "tictactoe-td-tiny.toml").read_text("utf-8")
    path.write_text(f"{text}\n[opponent]\nevery = 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="opponent: expected no such table: the models of system 'td' do not search"):
        load(path)


def drawn(length: int, table: OpponentTable) -> list[Entry]:
    """Return the log of a run that wins every game of every second match."""
    log: list[Entry] = []
    for number in range(1, length + 1):
        match = result(table, level(table, log), score(10 - number % 2, 0, number % 2))
        log.append(msgspec.structs.replace(entry(number, 1.0, 1.0), opponent=match))
    return log


def triangles(found: Picture) -> int:
    return sum(path.attrib["d"].endswith("Z") for path in found.root.iter(f"{SVG}path"))


@pytest.mark.parametrize("length", [1, 2, 40])
@pytest.mark.parametrize("most", [1000, 100_000])
def test_the_picture_marks_a_match_by_its_shape(length: int, most: int) -> None:
    log = drawn(length, OpponentTable(every=1, most=most))
    found, without = (
        Picture(picture(TINY, one)) for one in (log, [msgspec.structs.replace(one, opponent=None) for one in log])
    )
    assert found.faults() == []
    assert {"simulations", "every game won", "other results", "against mcts solver=false rollout=random"} < {
        label.text for label in found.labels
    }
    assert triangles(found) - triangles(without) == length // 2 + 1, "one for each clean match, one in the legend"
    assert len(list(found.discs())) - len(list(without.discs())) == length - length // 2 + 1


def test_the_picture_has_the_levels_of_the_newest_opponent() -> None:
    log = drawn(4, SEED)
    other = result(OpponentTable(every=1, against="negamax", option="depth"), 3, score(10, 0, 0))
    svg = picture(TINY, [*log, msgspec.structs.replace(entry(5, 1.0, 1.0), opponent=other)])
    assert Picture(svg).faults() == []
    texts = {label.text for label in Picture(svg).labels}
    assert {"depth", "against negamax"} < texts
    assert "mcts" not in svg
