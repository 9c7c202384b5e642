"""The batcher: waits, padding, the end."""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from fiedler import native
from tests.native.evaluator import Floats, knows_nothing, policy_and_value, serve, serving
from tests.patience import PATIENCE


def search(batcher: native.Batcher, game: str = "uttt", nodes: int = 200, batch: int = 4) -> native.SearchInfo:
    searcher = native.Puct(game, batcher, batch=batch, hash_mb=8)
    return searcher.search(native.Position(game), native.Limits(nodes=nodes), native.StopFlag())


def test_batches_are_padded_with_zeros_to_a_fixed_size() -> None:
    seen: list[Floats] = []

    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        seen.append(planes.copy())
        return knows_nothing("uttt")(planes)

    with serving("uttt", evaluate, rows=16) as batcher:
        search(batcher, nodes=100, batch=4)
    assert {planes.shape for planes in seen} == {(16, 6, 9, 9)}
    assert all(not planes[4:].any() for planes in seen)
    assert np.array_equal(seen[0][0], native.Position("uttt").planes())
    assert all(planes[1].any() for planes in seen[2:])


def test_statistics_count_leaves_and_not_padding() -> None:
    with serving("uttt", knows_nothing("uttt"), rows=16) as batcher:
        info = search(batcher, nodes=101, batch=4)
        stats = batcher.stats()
    assert stats.rows <= info.nodes == 101
    assert 1 < stats.rows / stats.batches <= 4
    assert stats.seconds > 0


def test_two_searches_share_batches() -> None:
    stop, fullest = native.StopFlag(), 0

    def slowly(planes: Floats) -> tuple[Floats, Floats]:
        nonlocal fullest
        time.sleep(0.002)  # a large network
        fullest = max(fullest, int(planes.any(axis=(1, 2, 3)).sum()))
        if fullest > 4:
            stop.set()
        return knows_nothing("uttt")(planes)

    def one(_: int) -> None:
        searcher = native.Puct("uttt", batcher, batch=4, hash_mb=8)
        searcher.search(native.Position("uttt"), native.Limits(seconds=PATIENCE), stop)

    with serving("uttt", slowly, rows=16) as batcher, ThreadPoolExecutor(2) as pool:
        list(pool.map(one, range(2)))
    assert fullest > 4  # the most that one of them asks for at once


def test_a_request_larger_than_a_batch_is_served_in_parts() -> None:
    with serving("uttt", knows_nothing("uttt"), rows=3, evaluators=2) as batcher:
        info = search(batcher, nodes=500, batch=8)
        assert info.nodes == 500
        assert batcher.stats().rows / batcher.stats().batches <= 3


def test_a_failing_evaluator_is_an_error_in_every_search() -> None:
    def fails(planes: Floats) -> tuple[Floats, Floats]:
        raise MemoryError("out of memory")

    with serving("uttt", fails) as batcher, ThreadPoolExecutor(2) as pool:
        for result in [pool.submit(search, batcher) for _ in range(2)]:
            with pytest.raises(native.EvaluationError, match="the network failed: out of memory"):
                result.result(timeout=PATIENCE)
        with pytest.raises(native.EvaluationError, match="out of memory"):
            search(batcher)
        assert batcher.closed


def test_close_frees_the_searches_that_wait() -> None:
    batcher = native.Batcher("uttt", policy_and_value("uttt"), 8)  # nobody serves it
    closer = threading.Timer(0.05, batcher.close)
    closer.start()
    with pytest.raises(native.EvaluationError, match="closed"):
        search(batcher)
    closer.join()


def test_a_search_can_go_on_elsewhere_after_a_failure() -> None:
    closed = native.Batcher("uttt", policy_and_value("uttt"), 8)
    closed.close("gone")
    with pytest.raises(native.EvaluationError, match="gone"):
        search(closed)
    with serving("uttt", knows_nothing("uttt")) as batcher:
        assert search(batcher, nodes=50).nodes == 50


def test_an_answer_after_close_is_ignored() -> None:
    def closes(planes: Floats) -> tuple[Floats, Floats]:
        batcher.close("gone")
        return knows_nothing("uttt")(planes)

    with serving("uttt", closes) as batcher:
        with pytest.raises(native.EvaluationError, match="gone"):
            search(batcher)
        assert batcher.stats().batches == 0


def test_searches_wait_for_an_evaluator_without_the_interpreter() -> None:
    batcher = native.Batcher("uttt", policy_and_value("uttt"), 8)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(search, batcher)
        time.sleep(0.02)
        assert not waiting.done()
        serve(batcher, "uttt", knows_nothing("uttt"))
        assert waiting.result(timeout=PATIENCE).nodes == 200


def test_a_slow_search_delays_the_others_by_a_moment() -> None:
    """A search between two batches keeps its neighbours waiting for its leaves, but not for ever."""
    arrived, release = threading.Event(), threading.Event()
    released: list[bool] = []

    def on_info(info: native.SearchInfo) -> None:
        arrived.set()
        released.append(release.wait(PATIENCE))

    def slow() -> native.SearchInfo:
        searcher = native.Puct("uttt", batcher, batch=4, hash_mb=8)
        return searcher.search(native.Position("uttt"), native.Limits(nodes=200), native.StopFlag(), on_info)

    with serving("uttt", knows_nothing("uttt")) as batcher, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(slow)
        assert arrived.wait(PATIENCE)
        assert search(batcher).nodes == 200
        release.set()
        assert waiting.result(timeout=PATIENCE).nodes == 200
    assert released
    assert all(released)


def test_buffers_of_the_wrong_size_are_refused() -> None:
    batcher = native.Batcher("uttt", policy_and_value("uttt"), 8)
    with pytest.raises(ValueError, match="planes: expected 3888 floats, got 486"):
        batcher.serve(np.empty((1, 6, 9, 9), np.float32), [], print)
    planes, policy = np.empty((8, 6, 9, 9), np.float32), np.empty((8, 81), np.float32)
    with pytest.raises(ValueError, match="answers: expected 2 arrays, got 1"):
        batcher.serve(planes, [policy], print)
    with pytest.raises(ValueError, match="value: expected 8 floats, got 3"):
        batcher.serve(planes, [policy, np.empty(3, np.float32)], print)
    with pytest.raises(ValueError, match="planes: expected rows of 486 floats"):
        batcher.evaluate(np.empty((6, 9, 8), np.float32))
    with pytest.raises(ValueError, match="rows"):
        native.Batcher("uttt", [("value", 1)], 0)
    with pytest.raises(ValueError, match="enough: expected 1 to rows"):
        native.Batcher("uttt", [("value", 1)], 8, 9)
    with pytest.raises(ValueError, match="unknown game 'utt'"):
        native.Batcher("utt", [("value", 1)], 1)
    with pytest.raises(ValueError, match="heads: expected one or more"):
        native.Batcher("uttt", [], 1)
    with pytest.raises(ValueError, match="heads: expected widths of 1 to 65536"):
        native.Batcher("uttt", [("value", 0)], 1)


def test_arrays_that_would_be_copied_are_refused() -> None:
    batcher = native.Batcher("tictactoe", policy_and_value("tictactoe"), 4)
    planes, answers = np.zeros((4, 2, 3, 3), np.float32), [np.zeros((4, 9), np.float32), np.zeros(4, np.float32)]
    wrongs: list[Any] = [planes.astype(np.float64), np.zeros((4, 2, 3, 6), np.float32)[..., ::2]]
    wide: Any = answers[1].astype(np.float64)
    for wrong in wrongs:
        with pytest.raises(TypeError):
            batcher.serve(wrong, answers, print)
    with pytest.raises(TypeError):
        batcher.serve(planes, [answers[0], wide], print)


class MuteError(Exception):
    """An exception whose text fails."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RuntimeError("ö" * 300), "ö" * 200),
        (RuntimeError("one\n two \udc80\n"), "one two ?"),
        (MemoryError(), "MemoryError"),
        (MuteError(), "an exception without a text"),
    ],
)
def test_every_failure_is_one_line(error: Exception, message: str) -> None:
    def fails(planes: Floats) -> tuple[Floats, Floats]:
        raise error

    with serving("uttt", fails) as batcher:
        with pytest.raises(native.EvaluationError) as raised:
            search(batcher)
        assert str(raised.value) == f"the network failed: {message}"


def test_ctrl_c_during_an_evaluation_is_raised_by_the_search() -> None:
    calls = 0

    def interrupted(planes: Floats) -> tuple[Floats, Floats]:
        nonlocal calls
        calls += 1
        if calls == 3:
            signal.raise_signal(signal.SIGINT)
        return knows_nothing("uttt")(planes)

    with serving("uttt", interrupted) as batcher:
        with pytest.raises(KeyboardInterrupt):
            search(batcher)
        assert not batcher.closed
        assert search(batcher).nodes == 200


def test_the_rest_of_a_large_request_does_not_delay_another_search() -> None:
    """The first search evaluates the first rows of its request while the rest waits at the front of the queue."""
    entered, release = threading.Event(), threading.Event()
    seats = []

    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        seats.append(threading.get_ident())
        if len(seats) == 1:
            entered.set()
            assert release.wait(PATIENCE)
        return knows_nothing("tictactoe")(planes)

    def ask(rows: int) -> int:
        return len(batcher.evaluate(np.zeros((rows, 2, 3, 3), np.float32))[0])

    with serving("tictactoe", evaluate, rows=8, evaluators=2) as batcher, ThreadPoolExecutor(2) as pool:
        large = pool.submit(ask, 12)
        assert entered.wait(PATIENCE)
        assert pool.submit(ask, 2).result(timeout=PATIENCE) == 2
        release.set()
        assert large.result(timeout=PATIENCE) == 12


def test_any_heads_are_served_in_their_order() -> None:
    """Three heads of three widths; more rows than a batch has."""
    heads = [("value", 1), ("q", 9), ("wdl", 3)]

    def evaluate(planes: Floats) -> list[Floats]:
        sums = planes.reshape(len(planes), -1).sum(axis=1)
        return [sums, np.repeat(sums[:, None], 9, axis=1), sums[:, None] + np.arange(3, dtype=np.float32)]

    with serving("tictactoe", evaluate, rows=4, evaluators=2, heads=heads) as batcher:
        assert batcher.heads == heads
        planes = np.random.default_rng(0).integers(0, 2, (11, 2, 3, 3)).astype(np.float32)
        value, q, wdl = batcher.evaluate(planes)
        assert batcher.stats().rows == 11
        with pytest.raises(ValueError, match="expected the heads policy 9, value 1, got value 1, q 9, wdl 3"):
            native.Puct("tictactoe", batcher)
    sums = planes.reshape(11, -1).sum(axis=1)
    assert np.array_equal(value, sums)
    assert np.array_equal(q, np.repeat(sums[:, None], 9, axis=1))
    assert np.array_equal(wdl[:, 2], sums + 2)
    with pytest.raises(native.EvaluationError, match="the network is closed"):
        batcher.evaluate(planes)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
@pytest.mark.parametrize("which", [0, 1])
def test_an_answer_that_is_not_finite_is_an_error_in_the_search(wrong: float, which: int) -> None:
    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        answer = knows_nothing("uttt")(planes)
        answer[which].flat[0] = wrong
        return answer

    with serving("uttt", evaluate) as batcher, pytest.raises(native.EvaluationError, match="answer is not finite"):
        search(batcher)
