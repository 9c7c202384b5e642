"""Round trips of a ping, and the credit for them."""

from __future__ import annotations

from fiedler.tournament.play.lag import WINDOW, Lag


def test_the_credit_is_the_median_of_the_last_round_trips() -> None:
    lag = Lag(1.0)
    assert lag.credit == 0.0
    for seconds in (0.1, 0.3, 0.2):
        lag.add(seconds)
    assert lag.credit == 0.2
    for _ in range(WINDOW):
        lag.add(0.5)
    assert lag.credit == 0.5


def test_the_credit_has_an_upper_limit() -> None:
    lag = Lag(0.05)
    lag.add(0.2)
    assert lag.credit == 0.05
