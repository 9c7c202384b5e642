"""The state of a run follows its events."""

from __future__ import annotations

from fiedler.tournament.dispute import Dispute
from fiedler.tournament.run.events import Began, Benched, Decided, Disputed, Event, Readmitted, Warned, Withdrawn
from fiedler.tournament.run.run_state import RunState

AT = "2026-01-01T00:00:00.000+00:00"
BEGAN = Began(at=AT, name="test", game="uttt", players=("a", "b", "c"), scheduled=6, finished=0, benched=("c",))


def after(*events: Event) -> RunState:
    state = RunState()
    for event in events:
        state = state.after(event)
    return state


def test_a_state_follows_the_events_of_its_run() -> None:
    benched = Benched(at=AT, player="b", why="by hand", given_up=2, scheduled=4)
    assert after(BEGAN) == RunState(benched={"c"})
    assert after(BEGAN, benched) == RunState(benched={"b", "c"})
    assert after(BEGAN, benched, Readmitted(at=AT, player="c", games=2, scheduled=6)) == RunState(benched={"b"})
    decided = Decided(at=AT, why="a leads", games=4, test="", given_up=2, scheduled=4)
    assert after(BEGAN, decided) == RunState("a leads", decided=True, benched={"c"})


def test_a_withdrawn_dispute_ends_a_run_no_more_unless_another_one_does() -> None:
    one = Dispute(AT, 1, "1", "a", "b", (), "gameover", ("yes", "no"))
    ended = after(BEGAN, Disputed(at=AT, dispute=one, over="stopped", given_up=6, scheduled=0))
    assert ended.over == "stopped"
    for over in ("", "stopped by the dispute in game 2"):
        withdrawn = Withdrawn(at=AT, dispute=one, why="mended", games=6, scheduled=6, over=over)
        assert ended.after(withdrawn).over == over


def test_another_manager_begins_anew() -> None:
    decided = Decided(at=AT, why="a leads", games=4, test="", given_up=2, scheduled=4)
    assert after(BEGAN, decided, BEGAN) == after(BEGAN)


def test_any_other_event_changes_nothing() -> None:
    state = after(BEGAN)
    assert state.after(Warned(at=AT, text="hot")) is state
