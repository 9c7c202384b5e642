"""Self-play and its samples: legal, exact where proven, the same for the same seed; the ring of samples."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from fiedler import native
from fiedler.games import FILLED
from tests.native.evaluator import Evaluate, Floats, has_opinions, policy_and_value, serving

QUICK: dict[str, Any] = {
    "games": 8,
    "workers": 2,
    "full": 24,
    "fast": 6,
    "full_share": 0.5,
    "opening_plies": 6,
    "opening_share": 0.8,
    "noise_alpha": 10.0,
    "noise_share": 0.25,
    "temperature": 1.0,
    "temperature_plies": 8,
    "late_temperature": 0.3,
    "c_puct": 1.5,
    "fpu_reduction": 0.2,
    "threats": 0,
    "solve": 0,
    "candidates": False,
    "tactics_share": 1.0,
    "seed": 1,
}


@pytest.fixture(params=FILLED)
def game(request: pytest.FixtureRequest) -> str:
    """Every game with a policy."""
    return str(request.param)


def played(
    game: str, wanted: int = 300, calls: int = 1, evaluate: Evaluate | None = None, **changes: Any
) -> tuple[native.Samples, list[native.SelfPlayStats]]:
    samples = native.Samples(game, 5000, "policy-value")
    with serving(game, evaluate or has_opinions(game), rows=8, evaluators=2) as batcher:
        play = native.SelfPlay(game, batcher, **(QUICK | changes))
        stats = [play.play(wanted, samples) for _ in range(calls)]
    return samples, stats


@cache
def some(game: str) -> native.Samples:
    """Samples for the tests that only read them."""
    return played(game)[0]


def test_counts(game: str) -> None:
    samples, stats = played(game, wanted=100, calls=3)
    assert len(samples) == samples.added == sum(one.samples for one in stats)
    for one in stats:
        assert one.samples >= 100
        assert 0 <= one.first_wins + one.draws <= one.games
        assert one.simulations > one.samples


def test_samples_are_valid_training_data(game: str) -> None:
    samples = some(game)
    shape = native.Position(game).planes_shape
    planes, policy, results, values = samples.draw(500, 7)
    assert (planes.shape, policy.shape) == ((500, *shape), (500, native.Position(game).num_actions))
    assert set(np.unique(planes)) <= {0.0, 1.0}
    assert np.allclose(policy.sum(axis=1), 1, atol=1e-5)
    assert set(results) <= {-1.0, 0.0, 1.0}
    assert (np.abs(values) <= 1).all()
    assert len(set(results)) > 1


def test_a_share_of_the_games_has_the_search_by_threats() -> None:

    def drawn(threats: int, share: float) -> list[bytes]:
        samples, _ = played("gomoku9", threats=threats, candidates=threats > 0, tactics_share=share, full=12, fast=4)
        return [column.tobytes() for column in samples.draw(100, 3)]

    without, none, half = drawn(0, 0.0), drawn(900, 0.0), drawn(900, 0.5)
    assert without == none
    assert half != none
    assert drawn(0, 0.5) != half != drawn(900, 1.0)


def test_the_policy_lies_on_empty_reachable_cells() -> None:
    """Under every symmetry: the third plane of uttt shows the legal cells."""
    samples = some("uttt")
    planes, policy, _, _ = samples.draw(500, 3)
    grid_of_action = [27 * (a // 27) + 9 * (a % 9 // 3) + 3 * (a // 9 % 3) + a % 3 for a in range(81)]
    legal = planes[:, 2].reshape(500, 81)[:, grid_of_action]
    assert ((policy > 0) <= (legal > 0)).all()


@pytest.mark.numbers
def test_every_recorded_result_agrees_with_its_proof() -> None:
    """An exact value of the search is the result of the game."""
    samples, _ = played("tictactoe", wanted=1000, full=200, late_temperature=0.0)
    _, _, results, values = samples.draw(2000, 5)
    exact = np.abs(values) == 1
    assert exact.any()
    assert (results[exact] == values[exact]).all()


@pytest.mark.numbers
def test_same_seed_same_samples(game: str) -> None:
    first, second, other = (played(game, wanted=100, seed=seed, calls=2)[0] for seed in (3, 3, 4))
    assert len(first) == len(second)
    assert all(np.array_equal(a, b) for a, b in zip(first.draw(400, 1), second.draw(400, 1), strict=True))
    assert not np.array_equal(first.draw(400, 1)[0], other.draw(400, 1)[0])


def test_openings_and_full_searches_can_be_turned_off() -> None:
    _, (stats,) = played("uttt", full_share=1.0, opening_share=0.0)
    assert stats.samples > 10 * stats.games  # every ply of whole games


def test_a_failing_evaluator_ends_self_play() -> None:
    def fails(planes: Floats) -> tuple[Floats, Floats]:
        raise MemoryError("out of memory")

    with pytest.raises(native.EvaluationError, match="out of memory"):
        played("uttt", evaluate=fails)


def test_the_ring_keeps_the_newest() -> None:
    samples, _ = played("tictactoe", wanted=400)
    small = native.Samples("tictactoe", 50, "policy-value")
    with serving("tictactoe", has_opinions("tictactoe"), rows=8) as batcher:
        native.SelfPlay("tictactoe", batcher, **QUICK).play(400, small)
    assert (len(small), small.capacity) == (50, 50)
    assert small.added >= 400
    assert samples.added >= 400


@pytest.mark.numbers
def test_draws_repeat_with_their_seed(game: str) -> None:
    samples = some(game)
    one, same, other = (samples.draw(64, seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one, same, strict=True))
    assert not np.array_equal(one[0], other[0])


def test_a_dump_gives_the_samples_back(game: str) -> None:
    samples = some(game)
    again = native.Samples(game, 5000, "policy-value")
    again.load(samples.dump())
    assert (len(again), again.added) == (len(samples), samples.added)
    assert all(np.array_equal(a, b) for a, b in zip(again.draw(99, 1), samples.draw(99, 1), strict=True))


def test_a_damaged_dump_is_refused() -> None:
    samples = some("uttt")
    dump = samples.dump()
    fresh = native.Samples("uttt", 5000, "policy-value")
    flipped = bytearray(dump)
    flipped[len(dump) // 2] ^= 1
    for damaged in (b"", dump[:20], dump[:-1], dump + b"x", bytes(flipped)):
        with pytest.raises(ValueError, match="samples: the dump is"):
            fresh.load(damaged)
    assert len(fresh) == 0
    with pytest.raises(ValueError, match="of another game or capacity"):
        native.Samples("uttt", 10, "policy-value").load(dump)
    with pytest.raises(ValueError, match="of another game"):
        native.Samples("connect4", 5000, "policy-value").load(dump)


def test_an_empty_ring_has_no_samples_to_draw() -> None:
    with pytest.raises(ValueError, match="none to draw from"):
        native.Samples("uttt", 5, "policy-value").draw(1, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"games": 0}, "games"), ({"workers": 0}, "workers"), ({"full": 1}, "full"), ({"noise_alpha": 0.0}, "noise")],
)
def test_settings_out_of_range_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        native.SelfPlay("uttt", native.Batcher("uttt", policy_and_value("uttt"), 8), **(QUICK | changes))


def test_samples_of_another_game_are_refused() -> None:
    with serving("uttt", has_opinions("uttt")) as batcher:
        play = native.SelfPlay("uttt", batcher, **QUICK)
        wanted = "expected samples of uttt with the target policy-value, got samples of "
        with pytest.raises(ValueError, match=wanted + "connect4 with the target policy-value"):
            play.play(1, native.Samples("connect4", 5, "policy-value"))
        with pytest.raises(ValueError, match=wanted + "uttt with the target value"):
            play.play(1, native.Samples("uttt", 5, "value"))


def test_samples_of_a_value_are_values_alone(game: str) -> None:
    samples = native.Samples(game, 100, "value")
    assert samples.columns == [("value", 1)]
    position = native.Position(game)
    for number in range(50):
        samples.add(position, [np.array([number], np.float32)])
    planes, values = samples.draw(400, 1)
    assert (planes.shape, values.shape) == ((400, *position.planes_shape), (400,))
    assert set(values) == set(range(50))
    again = native.Samples(game, 100, "value")
    again.load(samples.dump())
    assert all(np.array_equal(a, b) for a, b in zip(again.draw(99, 1), samples.draw(99, 1), strict=True))
    assert len(samples.dump()) < len(played(game, wanted=50)[0].dump())


def test_an_added_target_turns_with_its_position(game: str) -> None:
    """A policy that marks the cells with a stone: it stays on them under every symmetry."""
    samples = native.Samples(game, 100, "policy-value")
    position = native.Position(game)
    for _ in range(min(5, position.num_actions - 2)):
        position.play(position.legal_moves()[-1])
    policy = np.zeros(position.num_actions, np.float32)
    policy[position.legal_moves()[0]] = 3
    samples.add(position, [policy, np.array([-1], np.float32), np.array([0.25], np.float32)])
    expected = {
        (position.transformed(s).planes().tobytes(), position.transformed_move(s, position.legal_moves()[0]))
        for s in range(position.num_symmetries)
    }
    planes, policies, results, values = samples.draw(4000, 1)  # of up to 192 symmetries
    found = {(one.tobytes(), int(policy.argmax())) for one, policy in zip(planes, policies, strict=True)}
    assert found == expected
    assert np.array_equal(policies.max(axis=1), np.ones(4000))
    assert (set(results), set(values)) == ({-1.0}, {0.25})


def test_an_unfit_sample_is_not_added() -> None:
    samples = native.Samples("uttt", 5, "value")
    for targets, message in (
        ([], "targets: expected 1 arrays, got 0"),
        ([np.zeros(2, np.float32)], "value: expected 1 floats, got 2"),
        ([np.array([np.nan], np.float32)], "targets: expected finite numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            samples.add(native.Position("uttt"), targets)
    with pytest.raises(ValueError, match="expected a position of uttt"):
        samples.add(native.Position("connect4"), [np.array([0], np.float32)])
    with pytest.raises(ValueError, match="target: expected one of policy-value, value, got 'q'"):
        native.Samples("uttt", 5, "q")
    assert len(samples) == 0
