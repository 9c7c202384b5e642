from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.players import MAX_SEED, Seeds


def test_the_stream_is_splitmix64() -> None:
    # the first outputs for the state 1234567, as the reference implementation prints them (Rosetta Code, SplitMix64)
    stream = Seeds(1234567)
    known = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert [stream.next() for _ in known] == [number >> 1 for number in known]


@given(st.integers(0, MAX_SEED), st.integers(1, 10**6))
def test_numbers_stay_in_their_range(seed: int, bound: int) -> None:
    assert 0 <= Seeds(seed).next() <= MAX_SEED
    assert 0 <= Seeds(seed).below(bound) < bound


@given(st.integers(0, MAX_SEED))
def test_the_same_seed_gives_the_same_stream(seed: int) -> None:
    one, other = Seeds(seed), Seeds(seed)
    assert [one.next() for _ in range(5)] == [other.next() for _ in range(5)]


def test_no_seed_gives_another_stream_every_time() -> None:
    assert Seeds().next() != Seeds().next()


@pytest.mark.parametrize("bound", [2, 7])
def test_every_number_below_the_bound_comes(bound: int) -> None:
    stream = Seeds(1)
    counts = [0] * bound
    for _ in range(1000):
        counts[stream.below(bound)] += 1
    assert min(counts) > 1000 / bound * 0.7
