"""The network of cells, negamax with it, and the self-play that teaches it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiedler import native
from tests.native.incremental import CELL_GAMES, Layers, cell_layers, cell_net
from tests.native.positions import SLOW, random_positions

STOP = native.StopFlag()


def value_in_floats(rows: np.ndarray, layers: Layers, position: native.Position) -> float:
    own, other = np.array(position.patterns()).reshape(2, -1)
    x = np.clip(rows[own] + rows[other], 0, 1).sum(0)
    for number, (weights, biases) in enumerate(layers):
        x = weights @ x + biases
        if number < 2:
            x = np.clip(x, 0, 1)
    return float(np.tanh(x[0] / 2))


@pytest.mark.parametrize("game", CELL_GAMES)
def test_the_network_in_whole_numbers_is_the_one_in_floats(game: str) -> None:
    positions = [p for p in random_positions(game, 3 if SLOW else 10, seed=1) if p.result is None]
    for seed in range(1 if SLOW else 3):
        rows, layers = cell_layers(game, seed)
        whole = native.CellNet(game, rows, *layers)
        difference = [whole.value(p) - value_in_floats(rows, layers, p) for p in positions]
        assert max(map(abs, difference)) < 0.003
        assert np.std([whole.value(p) for p in positions]) > 0.005


@pytest.mark.numbers
@pytest.mark.parametrize("game", CELL_GAMES)
def test_patterns_do_not_depend_on_the_symmetries_of_the_board(game: str) -> None:
    for position in random_positions(game, 3, seed=2):
        if position.result is not None:
            continue
        own, other = np.array(position.patterns()).reshape(2, -1)
        pairs = sorted(zip(own, other, strict=True))
        for symmetry in range(position.num_symmetries):
            turned = np.array(position.transformed(symmetry).patterns()).reshape(2, -1)
            assert sorted(zip(*turned, strict=True)) == pairs


def test_rows_belong_to_the_side_to_move_and_the_other_one() -> None:
    """In renju both players have rows of their own."""
    position = native.Position("gomoku15")
    position.play(112)
    own, other = np.array(position.patterns()).reshape(2, -1)
    count = len(native.pattern_sets("gomoku15"))
    assert (own < count).all()
    assert ((other >= count) & (other < 2 * count)).all()
    assert native.cell_rows("gomoku15") == 2 * count
    assert native.cell_rows("renju15") == 4 * count
    black = np.array(native.Position("renju15").patterns())
    assert black.max() < 2 * count <= np.array(whites_turn("renju15").patterns()).min()


def whites_turn(game: str) -> native.Position:
    position = native.Position(game)
    position.play(112)
    return position


def test_sets_are_all_combinations_of_four_patterns() -> None:
    sets = native.pattern_sets("renju15")
    assert sets.shape == (3876, 4)
    assert len(np.unique(sets, axis=0)) == 3876
    assert (np.diff(sets.astype(int), axis=1) <= 0).all()
    assert sets[0].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("game", CELL_GAMES)
def test_negamax_evaluates_with_the_network(game: str) -> None:
    """The sanitized build compares every sum with one made anew."""
    position = native.Position(game)
    for move in (40, 41, 50):
        position.play(move)
    limits = native.Limits(nodes=300 if SLOW else 3000)
    found = [native.Negamax(game, 1, 1, cell_net(game)).search(position, limits, STOP) for _ in range(2)]
    assert (found[0].pv, found[0].score) == (found[1].pv, found[1].score)
    plain = native.Negamax(game, 1).search(position, limits, STOP)
    assert plain.score != found[0].score
    assert found[0].best in position.legal_moves()


def test_no_evaluation_is_a_proof() -> None:
    """However sure the network is, of positions near the leaves too."""
    rows, (first, second, (weights, _)) = cell_layers("gomoku15", 0)
    sure = native.CellNet("gomoku15", rows, first, second, (weights, np.full(1, 250, np.float32)))
    found = native.Negamax("gomoku15", 1, 1, sure).search(whites_turn("gomoku15"), native.Limits(nodes=2000), STOP)
    assert found.depth > 1
    assert not found.proven_draw
    assert found.mate is None


def test_one_ply_chooses_the_move_with_the_worst_value_for_the_other_side() -> None:
    position = native.Position("gomoku15")
    for move in (112, 113, 97, 99):
        position.play(move)
    found = native.Negamax("gomoku15", 1, 1, cell_net()).search(position, native.Limits(depth=1), STOP)
    values = []
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        values.append(cell_net().value(after))
    after = position.copy()
    assert found.best is not None
    after.play(found.best)
    expected = 1 - (1 + cell_net().value(after)) / 2
    assert found.score == pytest.approx(expected, abs=0.002)  # centipawns are whole
    assert found.score <= 1 - (1 + min(values)) / 2 + 0.002


def test_wrong_networks_are_refused() -> None:
    rows, layers = cell_layers("gomoku15", 0)
    with pytest.raises(ValueError, match="no patterns of cells in game uttt"):
        native.CellNet("uttt", rows, *layers)
    with pytest.raises(ValueError, match="expected a width of 32, 64 or 128"):
        native.CellNet("gomoku15", rows[:, :16].copy(), *layers)
    with pytest.raises(ValueError, match="expected rows for every side and pattern"):
        native.CellNet("renju15", rows, *layers)
    with pytest.raises(ValueError, match="layer second: expected 32 x 32"):
        native.CellNet("gomoku15", rows, layers[0], layers[2], layers[2])
    broken = layers[1][0].copy()
    broken[3, 3] = np.nan
    with pytest.raises(ValueError, match="layer second: a weight is not a number"):
        native.CellNet("gomoku15", rows, layers[0], (broken, layers[1][1]), layers[2])
    with pytest.raises(ValueError, match="its weights are too large"):
        native.CellNet("gomoku15", rows, (layers[0][0] * 1e6, layers[0][1]), layers[1], layers[2])
    for game in ("gomoku9", "renju15", "uttt", "connect4"):
        with pytest.raises(ValueError, match=f"network: not made for {game}"):
            native.Negamax(game, 1, 1, cell_net("gomoku15"))
    for other in (native.Position("gomoku9"), whites_turn("renju15")):
        with pytest.raises(ValueError, match="of another game"):
            cell_net("gomoku15").value(other)


def label_play(game: str = "gomoku9", **changes: Any) -> native.LabelPlay:
    settings: dict[str, Any] = {
        "nodes": 60,
        "label_nodes": 30,
        "neighbours": 2,
        "steps": 3,
        "random_share": 0.2,
        "opening_plies": 5,
        "opening_square": 5,
        "balance": 0.4,
        "seed": 1,
    }
    return native.LabelPlay(game, **(settings | changes))


def test_selfplay_gives_samples_that_a_search_evaluates() -> None:
    samples = native.Samples("gomoku9", 10_000, "value")
    stats = label_play().play(200, samples)
    assert stats.samples == len(samples) >= 200
    assert stats.games
    assert stats.plies
    assert stats.nodes > stats.samples
    patterns, values = samples.draw_patterns(500, 1)
    assert patterns.shape == (500, 162)
    assert (np.abs(values) <= 1).all()
    assert values.std() > 0.1


def test_selfplay_repeats_and_heeds_its_settings() -> None:
    def drawn(net: native.CellNet | None = None, **changes: Any) -> list[bytes]:
        play, samples = label_play(**changes), native.Samples("gomoku9", 1000, "value")
        if net is not None:
            play.use(net)
        play.play(60, samples)
        return [array.tobytes() for array in samples.draw_patterns(100, 1)]

    first = drawn()
    assert drawn() == first
    for changes in ({"seed": 2}, {"neighbours": 0}, {"steps": 1}, {"random_share": 0.9}, {"label_nodes": 90}):
        assert drawn(**changes) != first
    assert drawn(cell_net("gomoku9")) != first


def test_wrong_settings_of_selfplay_are_refused() -> None:
    with pytest.raises(ValueError, match="no patterns of cells in game connect4"):
        label_play("connect4")
    wrong: dict[str, Any] = {"steps": 0, "random_share": 1.5, "balance": 0.7, "opening_plies": 0, "nodes": 0}
    for name, value in wrong.items():
        changes: dict[str, Any] = {name: value}
        with pytest.raises(ValueError, match=name):
            label_play(**changes)
    with pytest.raises(RuntimeError, match="none of 1,000 random openings is about even"):
        label_play(balance=0, opening_plies=1, opening_square=1).play(1, native.Samples("gomoku9", 10, "value"))
    with pytest.raises(ValueError, match="expected samples of gomoku9"):
        label_play().play(1, native.Samples("gomoku15", 10, "value"))
    with pytest.raises(ValueError, match="not made for gomoku9"):
        label_play().use(cell_net("gomoku15"))
