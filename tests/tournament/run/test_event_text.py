"""Events as lines, with and without the commands of the organiser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fiedler.games.openings import Opening
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.pairing.plan import History, plan
from fiedler.tournament.run.event_text import event_text
from fiedler.tournament.run.events import Annulled, Benched, Event, Withdrawn
from tests.tournament.pairing.test_planners import schedule
from tests.tournament.run.test_store import record

ANNULLED = record(next(plan([("a", "bob")], lambda _: Opening(), 1, History(), 1)))
DISPUTE = Dispute("", 1, "1", "a", "bob", (), "gameover", ("yes", "no"))


def annulled(**more: Any) -> Annulled:
    return Annulled(at="", game=ANNULLED, why="lag", finished=3, scheduled=8, **more)


@pytest.mark.parametrize(
    ("event", "without", "command"),
    [
        (
            Benched(at="", player="a b", why="2 failures in a row", given_up=1, scheduled=8),
            "Benched a b: 2 failures in a row; 1 game given up",
            "; `tournament readmit term 'a b'` lets it play again",
        ),
        (
            annulled(waits_for=("bob",)),
            "Annulled game 1 (a vs bob, 1-0): lag; it waits until bob is readmitted",
            ": `tournament readmit term bob`",
        ),
        (
            annulled(waits_for=("a", "bob")),
            "Annulled game 1 (a vs bob, 1-0): lag; it waits until a and bob are readmitted",
            ": `tournament readmit term a` and `tournament readmit term bob`",
        ),
        (
            annulled(waits_for=()),
            "Annulled game 1 (a vs bob, 1-0): lag; it is played again",
            "",
        ),
        (
            annulled(waits_for=("bob",), stops="a and bob meet no more"),
            "Annulled game 1 (a vs bob, 1-0): lag; it is not played again: a and bob meet no more",
            "",
        ),
        (
            Withdrawn(at="", dispute=DISPUTE, why="mended", games=0, scheduled=8, waits_for=("bob",)),
            "Withdrew the dispute in game 1 (a vs bob): mended; it waits until bob is readmitted",
            ": `tournament readmit term bob`",
        ),
    ],
)
def test_commands_are_named_to_the_organiser_alone(event: Event, without: str, command: str) -> None:
    options = schedule(3, method="round-robin")
    assert event_text(event, options.pairing) == without
    assert event_text(event, options.pairing, Path("results/term")) == without + command
    elsewhere = event_text(event, options.pairing, Path("/srv/term"))
    assert elsewhere.count(" --results /srv`") == command.count("`") // 2
