"""The consequences of disputes for the plan: pairs that meet no more, and the end of a run."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from fiedler.tournament.dispute import Dispute
from fiedler.tournament.pairing import Over, Step, planner
from fiedler.tournament.pairing.disputes import end_by_disputes, stop_text, stopped_pairs
from fiedler.tournament.pairing.plan import History
from fiedler.tournament.schedule.schedule import Schedule

AB = frozenset("ab")


def dispute(first: str = "a", second: str = "b", number: int = 1) -> Dispute:
    return Dispute("", number, str(number), first, second, ("x",), "gameover", ("says yes", "says no"))


THREE = [dispute(), dispute("b", "a", 2), dispute(number=3)]
WHY = "a and b meet no more: they did not agree on the rules in 3 games"


def schedule(players: str, disputes: str = "continue", **pairing: object) -> Schedule:
    content = {
        "tournament": {"name": "t", "game": "generic", "disputes": disputes},
        "limit": {"nodes": 1},
        "pairing": {"method": "round-robin", **pairing},
        "players": [{"name": name, "command": ["x"]} for name in players],
    }
    return msgspec.convert(content, Schedule)


def after(disputes: Sequence[Dispute]) -> History:
    history = History()
    history.disputes = list(disputes)
    return history


def test_three_disputes_stop_a_pair_in_both_colours() -> None:
    assert stopped_pairs(THREE[:2]) == frozenset()
    assert stopped_pairs([*THREE[:2], dispute("a", "c")]) == frozenset()
    assert stopped_pairs(THREE) == {AB}
    assert stop_text(AB) == WHY


ENDS = [
    (schedule("abc"), THREE, ""),
    (schedule("ab"), THREE[:2], ""),
    (schedule("ab"), THREE, WHY),
    (schedule("abc", "stop"), THREE[1:], "stopped by the dispute in game 2: after 1 ply b says yes; a says no"),
    (
        schedule("abc", method="knockout"),
        THREE[:1],
        "stopped by the dispute in game 1: after 1 ply a says yes; b says no",
    ),
    (schedule("abc", "stop"), [], ""),
]


@pytest.mark.parametrize(("made", "disputes", "why"), ENDS)
def test_disputes_end_a_run(made: Schedule, disputes: list[Dispute], why: str) -> None:
    assert end_by_disputes(made, disputes) == why
    step = planner(made).next_step(after(disputes))
    assert (step.why if isinstance(step, Over) else "") == why


def test_an_adaptive_tournament_plans_without_a_stopped_pair() -> None:
    made = schedule("abc", method="adaptive", games=20)
    for disputes, meets in (([], True), (THREE, False)):
        step = planner(made).next_step(after(disputes))
        assert isinstance(step, Step)
        assert (AB in {frozenset(pair) for pair in step.meetings}) is meets
    two = [*THREE, *(dispute("a", "c", number) for number in (4, 5, 6))]
    step = planner(made).next_step(after(two))
    assert step == Over("no pairs connect the remaining players")


def test_a_test_ends_inconclusive() -> None:
    step = planner(schedule("ab", method="sprt")).next_step(after(THREE))
    assert isinstance(step, Over)
    assert step.why.startswith(f"inconclusive: {WHY}; ")
