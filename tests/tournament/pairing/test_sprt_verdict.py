"""The sentence of a sequential test: its decision, and beside it the measured difference."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from fiedler.games.result import Result
from fiedler.tournament.game import PlannedGame
from fiedler.tournament.pairing.plan import History, Played
from fiedler.tournament.pairing.sprt import SprtPlanner
from fiedler.tournament.pairing.sprt_verdict import no_verdict, verdict
from fiedler.tournament.ratings import Results, rate
from fiedler.tournament.run.conclusion import conclude
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.schedule.schedule import Schedule


def schedule(**test: Any) -> Schedule:
    tables = {
        "tournament": {"name": "test", "game": "uttt"},
        "limit": {"nodes": 1},
        "pairing": {"method": "sprt", "sprt": test},
        "players": [{"name": name, "player": "random"} for name in ("v2", "v1")],
    }
    return msgspec.convert(tables, Schedule)


def results(wins: int, draws: int, losses: int) -> Results:
    """Results of v2, half of the games with each colour."""
    return Results(("v2", "v1"), ((0, 1, wins, draws, losses), (1, 0, losses, draws, wins)))


MUCH_BETTER = results(26, 3, 7)
"""72 games with 76 % of the points for v2."""


def test_the_sentence_has_the_decision_and_the_measured_difference() -> None:
    sentence = verdict(schedule(elo1=30), "H1", MUCH_BETTER)
    assert sentence == "v2 is stronger: H1 (30 Elo) accepted against H0 (0) after 72 games; 214 ± 80 Elo ahead"
    one, other = rate(MUCH_BETTER).players
    assert round(one.elo - other.elo) == 214, "the difference of the ranking"


@pytest.mark.parametrize(
    ("accepted", "elo", "sentence"),
    [
        ("H1", (0, 30), "v2 is stronger: H1 (30 Elo) accepted against H0 (0) after"),
        ("H1", (5, 30), "v2 is stronger by more than 5: H1 (30 Elo) accepted against H0 (5) after"),
        ("H1", (-10, 0), "v2 is not weaker by 10: H1 (0 Elo) accepted against H0 (-10) after"),
        ("H0", (0, 30), "v2 is not stronger by 30: H0 (0 Elo) accepted against H1 (30) after"),
        ("H0", (-10, 0), "v2 is weaker: H0 (-10 Elo) accepted against H1 (0) after"),
        ("H0", (-30, -5), "v2 is weaker by more than 5: H0 (-30 Elo) accepted against H1 (-5) after"),
    ],
)
def test_a_test_shows_what_it_rejects_and_no_more(accepted: str, elo: tuple[float, float], sentence: str) -> None:
    test = schedule(elo0=elo[0], elo1=elo[1])
    assert verdict(test, accepted, MUCH_BETTER).startswith(sentence)


def test_the_loser_is_behind() -> None:
    sentence = verdict(schedule(elo1=30), "H0", results(7, 3, 26))
    assert (
        sentence == "v2 is not stronger by 30: H0 (0 Elo) accepted against H1 (30) after 72 games; 214 ± 80 Elo behind"
    )


def test_the_unit_of_the_hypotheses_is_named() -> None:
    assert "H1 (30 normalised Elo) accepted" in verdict(schedule(elo1=30, model="normalised"), "H1", MUCH_BETTER)


def test_an_undecided_test_has_the_measured_difference_too() -> None:
    state = "neither H1 (30 Elo) nor H0 (0) accepted after 72 games; v2 is 214 ± 80 Elo ahead"
    assert no_verdict(schedule(elo1=30), MUCH_BETTER) == state
    found = conclude(schedule(elo1=30), RunState(), rate(MUCH_BETTER), MUCH_BETTER)
    assert (found.text, found.decided) == (f"undecided: {state}", False)
    nothing = Results(("v2", "v1"), ())
    assert no_verdict(schedule(elo1=30), nothing) == "neither H1 (30 Elo) nor H0 (0) accepted after 0 games"


def test_players_that_are_held_still_have_a_measured_difference() -> None:
    held = msgspec.structs.replace(schedule(elo1=30).rating, anchor={"v1": 0.0, "v2": 0.0})
    options = msgspec.structs.replace(schedule(elo1=30), rating=held)
    assert "214 ± 80 Elo ahead" in verdict(options, "H1", MUCH_BETTER)


def test_the_line_of_the_test_is_in_words_and_counts_in_the_order_of_the_plan() -> None:
    planner, history = SprtPlanner(schedule(elo1=30)), History()
    games = [
        (f"g{turn}{first}", first, second, turn) for turn in range(2) for first, second in (("v2", "v1"), ("v1", "v2"))
    ]
    history.plan(
        PlannedGame(one, number, first, second, (), 1, turn)
        for number, (one, first, second, turn) in enumerate(games, 1)
    )
    for _, first, second, turn in (games[0], games[1], games[3]):
        result = Result.FIRST_WIN if first == "v2" else Result.DRAW
        history.finish(Played(first, second, result, 1, turn))
    line = planner.remark(history)
    assert line.startswith("SPRT: llr 0.")
    assert "(-2.94 accepts H0: 0 Elo, 2.94 accepts H1: 30 Elo)" in line
    assert "after 2 of 3 finished games, in the order of the plan: 1 won, 1 drawn, 0 lost" in line
    assert line.endswith("1 meeting of two games: 0 with 0 points, 0 with ½, 0 with 1, 1 with 1½, 0 with 2")
    history.finish(Played("v2", "v1", Result.FIRST_WIN, 1, 1))
    assert "after 4 games: 2 won, 2 drawn, 0 lost; 2 meetings" in planner.remark(history)
