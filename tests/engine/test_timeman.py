from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fiedler.engine.host.timeman import MIN_SECONDS, seconds_for
from fiedler.protocol import Limit

clocks = st.integers(0, 10_000_000)
increments = st.integers(0, 100_000)
sides = st.integers(0, 1)
plies = st.integers(1, 225)


def on_clock(side: int, left: int, increment: int) -> Limit:
    if side == 0:
        return Limit(p1time_ms=left, p1inc_ms=increment, p2time_ms=1, p2inc_ms=0)
    return Limit(p2time_ms=left, p2inc_ms=increment, p1time_ms=1, p1inc_ms=0)


@given(clocks, increments, sides, plies)
def test_never_uses_more_than_the_clock_allows(left: int, increment: int, side: int, plies_left: int) -> None:
    seconds = seconds_for(on_clock(side, left, increment), side, plies_left)
    assert seconds > 0.0
    assert seconds <= max(left / 1000.0, MIN_SECONDS)


@given(st.integers(100, 10_000_000), increments, sides, plies)
def test_keeps_a_margin(left: int, increment: int, side: int, plies_left: int) -> None:
    margin = min(20.0, left / 5.0)
    assert 1000.0 * seconds_for(on_clock(side, left, increment), side, plies_left) <= left - margin + 1e-6


@given(st.integers(1, 2**31 - 1))
def test_keeps_to_a_move_time(movetime: int) -> None:
    seconds = seconds_for(Limit(movetime_ms=movetime), 0, 50)
    assert MIN_SECONDS <= seconds < movetime / 1000.0
    assert seconds >= 0.9 * movetime / 1000.0


@given(clocks, increments, st.integers(1, 10_000), sides, plies)
def test_the_tighter_of_move_time_and_clock_binds(
    left: int, increment: int, movetime: int, side: int, plies_left: int
) -> None:
    clock = on_clock(side, left, increment)
    both = Limit(
        movetime_ms=movetime,
        p1time_ms=clock.p1time_ms,
        p2time_ms=clock.p2time_ms,
        p1inc_ms=clock.p1inc_ms,
        p2inc_ms=clock.p2inc_ms,
    )
    alone = seconds_for(Limit(movetime_ms=movetime), side, plies_left)
    assert seconds_for(both, side, plies_left) == min(alone, seconds_for(clock, side, plies_left))


@given(st.integers(1_000, 600_000), st.integers(0, 5_000), sides, st.integers(2, 225))
def test_a_whole_game_at_full_length_never_flags(base: int, increment: int, side: int, length: int) -> None:
    left = float(base)
    for plies_left in range(length - side, 0, -2):
        used = 1000.0 * seconds_for(on_clock(side, int(left), increment), side, plies_left)
        left -= used + min(5.0, 0.01 * left)  # and what the way to the manager takes
        assert left > 0.0
        left += increment


@given(st.integers(1_000, 600_000), sides, plies)
def test_an_increment_gives_time(left: int, side: int, plies_left: int) -> None:
    without = seconds_for(on_clock(side, left, 0), side, plies_left)
    assert seconds_for(on_clock(side, left, 100), side, plies_left) >= without


@given(st.integers(1_000, 600_000), sides, st.integers(3, 200))
def test_the_nearer_the_end_the_larger_the_share(left: int, side: int, plies_left: int) -> None:
    later = seconds_for(on_clock(side, left, 0), side, plies_left - 2 if plies_left > 2 else 1)
    assert later >= seconds_for(on_clock(side, left, 0), side, plies_left)


def test_much_time_is_used_not_hoarded() -> None:
    assert 1.0 < seconds_for(on_clock(0, 60_000, 0), 0, 81) < 5.0


def test_no_limit_of_time_is_none() -> None:
    assert seconds_for(Limit(), 0, 50) == 0.0
    assert seconds_for(Limit(nodes=5, depth=3), 1, 50) == 0.0


def test_the_other_sides_clock_is_not_ours() -> None:
    assert seconds_for(Limit(p2time_ms=1000, p2inc_ms=10), 0, 50) == 0.0
    assert seconds_for(Limit(p1time_ms=1000), 1, 50) == 0.0
