"""Measuring a network: distinct openings, reversed colours, the score and its error."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiedler.games import game
from fiedler.games.score import interval
from fiedler.players import create
from fiedler.support.errors import UsageError
from fiedler.training.judge.match import Score, openings, play_match, score
from fiedler.training.judge.measure import Setup, measure
from fiedler.training.nets.export import to_onnx
from fiedler.training.nets.kinds import fresh
from tests.training.recipes import TINY


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "net.onnx"
    path.write_bytes(to_onnx(fresh(TINY), TINY))
    return path


def test_openings_are_distinct_up_to_symmetry() -> None:
    lines = openings(game("uttt"), 4, 100, seed=1)
    assert {len(line.moves) for line in lines} == {4}
    keys = set()
    for line in lines:
        position = game("uttt").position(moves=line.moves)
        assert position.result is None
        keys.add(min(position.transformed(s).key for s in range(8)))
    assert len(keys) == 100
    assert openings(game("uttt"), 4, 100, seed=1) == lines != openings(game("uttt"), 4, 100, seed=2)


def test_too_few_openings_are_an_error() -> None:
    assert len(openings(game("tictactoe"), 1, 3, seed=1)) == 3
    with pytest.raises(UsageError, match=r"tictactoe has no 4 distinct openings of 1 ply \(found 3\)"):
        openings(game("tictactoe"), 1, 4, seed=1)


def test_the_score_and_its_error_come_from_pairs() -> None:
    counted = Score()
    for pair in [(1, 1), (1, 0), (0, 0), (1, -1), (-1, -1)]:
        counted.add_pair(pair)
    assert (counted.wins, counted.draws, counted.losses, counted.games) == (4, 3, 3, 10)
    assert counted.mean == pytest.approx(0.55)
    assert counted.sides == pytest.approx((0.7, 0.4))
    assert dict(counted.pairs) == {2.0: 1, 1.5: 1, 1.0: 2, 0.0: 1}
    assert counted.interval == interval(2.75, 1 + 0.75**2 + 2 * 0.5**2, 5)
    assert Score().interval == (0.0, 1.0)


def test_a_score_of_100_percent_is_not_certain() -> None:
    counted = Score()
    for _ in range(10):
        counted.add_pair((1, 1))
    low, high = counted.interval
    assert (low, high) == pytest.approx((0.7225, 1.0), abs=1e-4), "Wilson's of ten wins: pairs, not games, count"


def test_a_match_repeats_with_any_number_of_threads() -> None:
    found = []
    for threads in (1, 4):
        ours = create(game("uttt"), "mcts", {"simulations": "30"})
        theirs = create(game("uttt"), "hsp")
        lines = openings(game("uttt"), 2, 6, seed=3)
        found.append(sorted(play_match(ours, theirs, lines, seed=5, threads=threads)))
    assert found[0] == found[1]


def test_colours_are_reversed() -> None:
    """Two equal deterministic players: each pair is a game and its mirror image."""
    lines = openings(game("connect4"), 3, 8, seed=1)
    one = create(game("connect4"), "negamax", {"depth": "3"})
    counted = score(play_match(one, one, lines, seed=0))
    assert dict(counted.pairs) == {1.0: 8}


def test_measure_a_network(model: Path) -> None:
    setup = Setup(model, "osp", (), 20, 30, 2, 1, False)
    measured = measure(setup)
    document = measured.document()
    assert (document["games"], document["game"], document["against"]) == (20, "tictactoe", "osp")
    assert document["wins"] + document["draws"] + document["losses"] == 20
    assert sum(document["pairs"].values()) == 10
    assert str(model) in measured.sentence()
    again = measure(setup).document()
    assert {**again, "seconds": 0, "mean_batch": 0} == {**document, "seconds": 0, "mean_batch": 0}


def test_measure_the_untrained_network_and_another_one(model: Path) -> None:
    untrained = measure(Setup(model, str(model), ("c_puct=1",), 4, 20, 1, 1, True))
    assert untrained.document()["untrained"] is True
    assert "(untrained)" in untrained.sentence()


@pytest.mark.parametrize(
    ("against", "options", "message"),
    [
        ("hps", (), "unknown player 'hps'; did you mean 'hsp'"),
        ("mcts", ("simulations",), "--set: expected KEY=VALUE, got 'simulations'"),
        ("mcts", ("simulatoins=5",), "did you mean 'simulations'"),
        ("none.onnx", (), "model none.onnx: no such file"),
    ],
)
def test_a_wrong_opponent_is_refused(model: Path, against: str, options: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        measure(Setup(model, against, options, 4, 20, 1, 1, False))


def test_a_file_that_is_not_a_network_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.onnx").write_bytes(b"hello")
    with pytest.raises(UsageError, match="not an ONNX network, or damaged"):
        measure(Setup(tmp_path / "x.onnx", "hsp", (), 4, 20, 1, 1, False))
    with pytest.raises(UsageError, match=r"x\.txt: expected a file \*\.onnx"):
        measure(Setup(tmp_path / "x.txt", "hsp", (), 4, 20, 1, 1, False))


def test_a_model_meets_itself_untrained_with_its_own_options(model: Path) -> None:
    against = measure(Setup(model, "untrained", (), 8, 20, 2, 1, untrained=False, own=("threats=0", "c_puct=2")))
    same = measure(
        Setup(model, str(model), ("threats=0", "c_puct=2"), 8, 20, 2, 1, untrained=False, own=("threats=0", "c_puct=2"))
    )
    assert against.score == same.score  # this model is the untrained one
    document = against.document()
    assert document["own"] == ["threats=0", "c_puct=2"]
    assert document["as_first"] + document["as_second"] == pytest.approx(2 * document["score"], abs=1e-3)
    assert "threats=0 c_puct=2 against untrained: 50.0" in against.sentence()
