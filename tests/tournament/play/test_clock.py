"""Clocks in simulated time."""

from __future__ import annotations

import pytest

from fiedler import protocol
from fiedler.tournament.play.clock import make_clock
from fiedler.tournament.schedule.schedule import LimitSection


def test_the_movetime_is_the_same_for_every_move() -> None:
    clock = make_clock(LimitSection(movetime_ms=100, margin_ms=50))
    assert clock.limit(0) == clock.limit(1) == protocol.Limit(movetime_ms=100)
    assert clock.start(0, 10.0) == 10.15
    assert clock.stop(0, 10.1)
    clock.start(1, 20.0)
    assert clock.stop(1, 20.149)
    clock.start(0, 30.0)
    assert not clock.stop(0, 30.153)
    assert clock.time_used(0) == "used 153 ms of 150 ms allowed: 100 ms a move, 50 ms margin"
    assert [round(used, 6) for used in clock.used] == [0.253, 0.149]


def test_with_nodes_or_depth_only_stalling_is_limited() -> None:
    clock = make_clock(LimitSection(nodes=7, stall_s=2.0))
    assert clock.limit(0) == protocol.Limit(nodes=7)
    assert clock.start(0, 1.0) == 3.0
    assert clock.stop(0, 2.9)
    assert not clock.stop(0, 4.2)
    assert clock.time_used(0) == "used 3200 ms of 2000 ms allowed: 2000 ms by limit.stall_s"
    assert make_clock(LimitSection(depth=3)).limit(1) == protocol.Limit(depth=3)


def test_a_clock_runs_down_and_gains_its_increment() -> None:
    clock = make_clock(LimitSection(base_ms=1000, increment_ms=100, margin_ms=50))
    assert clock.limit(0) == protocol.Limit(p1time_ms=1000, p2time_ms=1000, p1inc_ms=100, p2inc_ms=100)
    assert clock.start(0, 0.0) == 1.05
    assert clock.stop(0, 0.6)
    assert clock.start(1, 0.6) == pytest.approx(1.65)
    assert clock.stop(1, 0.7)
    assert clock.limit(0) == protocol.Limit(p1time_ms=500, p2time_ms=1000, p1inc_ms=100, p2inc_ms=100)
    assert clock.start(0, 1.0) == 1.55
    assert not clock.stop(0, 1.6)
    assert clock.time_used(0) == "used 600 ms of 550 ms allowed: 500 ms left on its clock, 50 ms margin"


def test_a_move_within_the_margin_leaves_the_clock_at_zero() -> None:
    clock = make_clock(LimitSection(base_ms=100, margin_ms=50))
    clock.start(0, 0.0)
    assert clock.stop(0, 0.14)
    assert clock.limit(0).p1time_ms == 1, "engines read 0 as no limit"
    assert clock.start(0, 1.0) == 1.05


def test_lag_is_subtracted_and_never_adds_time() -> None:
    clock = make_clock(LimitSection(movetime_ms=100, margin_ms=50))
    clock.credit[0] = 0.03
    assert clock.start(0, 10.0) == pytest.approx(10.18)
    assert clock.stop(0, 10.02)
    assert clock.used == [0.0, 0.0]
    clock.start(0, 20.0)
    assert not clock.stop(0, 20.19)
    assert clock.time_used(0) == "used 190 ms of 180 ms allowed: 100 ms a move, 50 ms margin, 30 ms for lag"
    clock.start(1, 30.0)
    assert not clock.stop(1, 30.16)
    clock = make_clock(LimitSection(base_ms=1000, margin_ms=0))
    clock.credit[1] = 0.2
    clock.start(1, 0.0)
    assert clock.stop(1, 0.7)
    assert clock.limit(1).p2time_ms == 500
    clock.start(1, 1.0)
    assert clock.stop(1, 1.1)
    assert clock.limit(1).p2time_ms == 500
    clock.start(1, 2.0)
    assert not clock.stop(1, 2.8)
    assert clock.time_used(1) == "used 800 ms of 700 ms allowed: 500 ms left on its clock, 200 ms for lag"


def test_the_limit_in_the_middle_of_a_move_is_the_time_left() -> None:
    move = make_clock(LimitSection(movetime_ms=100))
    assert move.limit(0, 0.03).movetime_ms == 70
    assert move.limit(0, 7.0).movetime_ms == 1
    assert make_clock(LimitSection(nodes=7)).limit(0, 5.0) == protocol.Limit(nodes=7)
    game = make_clock(LimitSection(base_ms=1000, increment_ms=10)).limit(1, 0.4)
    assert (game.p1time_ms, game.p2time_ms) == (1000, 600)
