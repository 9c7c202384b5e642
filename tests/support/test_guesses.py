"""The price of a wrong token, on a clock of its own."""

from __future__ import annotations

from fiedler.support.guesses import FIRST_SECONDS, FORGET_SECONDS, MAX_PEERS, MOST_SECONDS, REPORT_SECONDS, Guesses


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_delay_of_a_peer_grows_to_its_bound_and_is_its_own() -> None:
    guesses = Guesses(Clock())
    delays = [guesses.miss("a") for _ in range(10)]
    assert delays[:3] == [FIRST_SECONDS, 2 * FIRST_SECONDS, 4 * FIRST_SECONDS]
    assert delays[-1] == MOST_SECONDS
    assert guesses.miss("b") == FIRST_SECONDS


def test_a_peer_that_stops_begins_anew() -> None:
    clock = Clock()
    guesses = Guesses(clock)
    guesses.miss("a")
    clock.now += FORGET_SECONDS
    assert guesses.miss("a") == 2 * FIRST_SECONDS
    clock.now += FORGET_SECONDS + 1
    assert guesses.miss("a") == FIRST_SECONDS


def test_the_latest_peers_are_remembered() -> None:
    guesses = Guesses(Clock())
    for number in range(MAX_PEERS + 1):
        guesses.miss(str(number))
    assert guesses.miss("1") == 2 * FIRST_SECONDS
    assert guesses.miss("0") == FIRST_SECONDS


def test_a_line_in_the_log_counts_all_since_the_last_one() -> None:
    clock = Clock()
    guesses = Guesses(clock)
    numbers = []
    for _ in range(100):
        guesses.miss("a")
        numbers.append(guesses.to_report())
    assert numbers == [1] + [0] * 99
    clock.now += REPORT_SECONDS
    guesses.miss("a")
    assert guesses.to_report() == 100
