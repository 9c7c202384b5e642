"""Clocks in simulated time."""

from __future__ import annotations

import pytest

import protocol
from tournament.play.clock import make_clock
from tournament.schedule.schedule import Limit


def test_the_movetime_is_the_same_for_every_move() -> None:
    clock = make_clock(Limit(movetime_ms=100, margin_ms=50))
    assert clock.limit(0) == clock.limit(1) == protocol.Limit(movetime_ms=100)
    assert clock.start(0, 10.0) == 10.15
    assert clock.stop(0, 10.1)
    clock.start(1, 20.0)
    assert clock.stop(1, 20.149)
    clock.start(0, 30.0)
    assert not clock.stop(0, 30.153)
    assert clock.time_used(0) == "used 153 ms of 100 ms + 50 ms margin"
    assert [round(used, 6) for used in clock.used] == [0.253, 0.149]


def test_with_nodes_or_depth_only_stalling_is_limited() -> None:
    clock = make_clock(Limit(nodes=7, stall_s=2.0))
    assert clock.limit(0) == protocol.Limit(nodes=7)
    assert clock.start(0, 1.0) == 3.0
    assert clock.stop(0, 2.9)
    assert make_clock(Limit(depth=3)).limit(1) == protocol.Limit(depth=3)


def test_a_clock_runs_down_and_gains_its_increment() -> None:
    clock = make_clock(Limit(base_ms=1000, increment_ms=100, margin_ms=50))
    assert clock.limit(0) == protocol.Limit(p1time_ms=1000, p2time_ms=1000, p1inc_ms=100, p2inc_ms=100)
    assert clock.start(0, 0.0) == 1.05
    assert clock.stop(0, 0.6)
    assert clock.start(1, 0.6) == pytest.approx(1.65)
    assert clock.stop(1, 0.7)
    assert clock.limit(0) == protocol.Limit(p1time_ms=500, p2time_ms=1000, p1inc_ms=100, p2inc_ms=100)
    assert clock.start(0, 1.0) == 1.55
    assert not clock.stop(0, 1.6)
    assert clock.time_used(0) == "used 600 ms, had 500 ms + 50 ms margin"


def test_a_move_within_the_margin_leaves_the_clock_at_zero() -> None:
    clock = make_clock(Limit(base_ms=100, margin_ms=50))
    clock.start(0, 0.0)
    assert clock.stop(0, 0.14)
    assert clock.limit(0).p1time_ms == 1, "engines read 0 as no limit"
    assert clock.start(0, 1.0) == 1.05
