"""The options that a player gets: a seed within its bounds, and names as it spells them."""

from __future__ import annotations

import pytest

from fiedler.protocol import Option
from fiedler.protocol.blocking import drained
from fiedler.protocol.ugi import UgiClient
from fiedler.tournament.play.offered_options import MOST, NAMED, OfferedOptions, OptionError

BOUNDS = [
    (0, 9, 7, 7),
    (0, 9, 27, 7),
    (0, None, 27, 27),
    (5, 9, 1, 6),
    (None, None, 3, 3),
    (-1, 2**63 - 1, 0, 0),  # -1 means "other random numbers every time", which no run can repeat
    (-1, 2**63 - 1, 2**62, 2**62),
    (-1, None, 0, 0),
    (-5, 9, 10, 0),
    (-9, -5, 1, -8),
    (None, -5, 1, -5),
]


@pytest.mark.parametrize(("low", "high", "seed", "sent"), BOUNDS)
def test_a_seed_lies_within_the_bounds_and_is_not_negative(
    low: int | None, high: int | None, seed: int, sent: int
) -> None:
    client = UgiClient()
    client.greet()
    client.receive_data(b"ugiok\nreadyok\n")
    assert [*drained(client)]
    client.data_to_send()
    offered = OfferedOptions(client)
    offered.add(Option("seed", "spin", default=None, min=low, max=high))
    offered.set_seed(seed)
    assert client.data_to_send().decode() == f"setoption name seed value {sent}\n"


def test_the_first_options_of_a_player_that_offers_any_number_are_kept() -> None:
    client = UgiClient()
    client.greet()
    client.receive_data(b"ugiok\n")
    assert [*drained(client)]
    offered = OfferedOptions(client)
    for number in range(MOST + 100):
        offered.add(Option(f"option {number}", "string"))
    for name in (f"option {MOST}", "zzz"):
        with pytest.raises(OptionError) as caught:
            offered.set(name, "1")
        assert len(str(caught.value)) < NAMED + 100
    offered.set(f"option {MOST - 1}", "1")


def test_names_are_found_in_any_case_and_sent_as_the_player_spells_them() -> None:
    offered = OfferedOptions(UgiClient())
    for option in (Option("Hash", "spin", "16", 1, 64), Option("ponder", "check", "true"), Option("MultiPV", "spin")):
        offered.add(option)
    needed = {"UCI_Chess960": "false", "multipv": "many"}  # one is not offered, one refuses the value
    assert offered.settings(needed, {"HASH": "32"}) == {"ponder": "false", "Hash": "32"}
    assert offered.settings({}, {"Ponder": "true"}) == {"ponder": "true"}
    with pytest.raises(OptionError, match="option 'Hash': expected one value, got it as 'hash' and as 'HASH'"):
        offered.settings({}, {"hash": "1", "HASH": "2"})
    with pytest.raises(OptionError, match="unknown option 'Hahs'; did you mean 'Hash'"):
        offered.set("Hahs", "1")


def test_all_wrong_options_are_named_at_once() -> None:
    offered = OfferedOptions(UgiClient())
    offered.add(Option("Hash", "spin", "16", 1, 64))
    with pytest.raises(OptionError) as caught:
        offered.set_all({}, {"hash": "99", "Thread": "1", "Contempt": "2"})
    assert str(caught.value) == (
        "option 'Hash': expected a whole number from 1 to 64, got '99'; "
        "unknown option 'Thread'; it offers: Hash; unknown option 'Contempt'; it offers: Hash"
    )
