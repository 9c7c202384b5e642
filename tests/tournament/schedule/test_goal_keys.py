"""The keys `plan` and `goal` of `[pairing]`: their values, the lines of wrong ones, and a run that keeps its own."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.run import draft
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import BEST_PLAYER, GoalRule, Pairing
from fiedler.tournament.schedule.validation import load
from tests.tournament.manager_process import NODES
from tests.tournament.schedule.test_schedule import complaint
from tests.tournament.schedules import Bench, Tables, player, tables, toml

TEN = [player(f"p{number}") for number in range(10)]
ADAPTIVE = {"method": "adaptive", "games": 400}
GOAL = {**ADAPTIVE, "goal": "best"}


def test_the_word_is_short_for_a_table(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    rules: list[tuple[object, GoalRule]] = [
        ("best", BEST_PLAYER),
        ({"best": 10, "confidence": 0.95, "loss": 3}, BEST_PLAYER),
        ({"best": 5}, GoalRule(best=5)),
        ({"loss": 2.5}, GoalRule(loss=2.5)),
    ]
    for goal, rule in rules:
        path.write_text(toml(tables(TEN, pairing={**ADAPTIVE, "goal": goal})), "utf-8")
        pairing = load(path).pairing
        assert pairing.aim == rule
        assert pairing.ends_early
    assert Pairing(method="adaptive", games=4).aim is None


@pytest.mark.parametrize(
    ("pairing", "message"),
    [
        ({**GOAL, "goal": "bset"}, ": pairing.goal: expected 'best', got 'bset'; did you mean 'best'?"),
        ({**GOAL, "goal": 10}, ": pairing.goal: expected a text or a table, got 10"),
        ({**GOAL, "goal": {}}, ": pairing.goal: expected best, loss or both, got none"),
        ({**GOAL, "goal": {"confidence": 0.9}}, ": pairing.goal: expected best, loss or both, got none"),
        ({**GOAL, "goal": {"best": 0}}, ": pairing.goal.best: expected a number > 0.0, got 0"),
        ({**GOAL, "goal": {"best": 5, "confidence": 1}}, ": pairing.goal.confidence: expected a number < 1.0, got 1"),
        ({**GOAL, "goal": {"lost": 3}}, ": pairing.goal.lost: unknown key; did you mean 'loss'?"),
        ({**GOAL, "stop": {"top": 1}}, ": pairing.stop: not with goal: a goal is the rule that ends the tournament"),
        ({**GOAL, "batches": 4}, ": pairing.batches: not with goal: a batch has 15 % of the games so far"),
        ({**GOAL, "criterion": "order"}, ": pairing.criterion: only with method = 'meeting-graph', got it with 'adap"),
        ({"method": "adaptive", "goal": "best"}, ": pairing.games: missing: the number of games of an adaptive"),
        (
            {**GOAL, "games": 17},
            ": pairing.games: expected at least 18, two for each of the 9 pairs that connect",
        ),
        ({"method": "swiss", "goal": "best"}, ": pairing.goal: only with method = 'adaptive', got it with 'swiss'"),
        ({"method": "swiss", "plan": "ml"}, ": pairing.plan: only with method = 'adaptive', got it with 'swiss'"),
        ({**GOAL, "plan": "ml"}, ": pairing.plan: expected 'posterior' beside goal, got 'ml'"),
        ({**ADAPTIVE, "plan": "mle"}, ": pairing.plan: expected 'posterior' or 'ml', got 'mle'; did you mean 'ml'?"),
    ],
)
def test_a_wrong_key_has_one_line(tmp_path: Path, pairing: Tables, message: str) -> None:
    assert complaint(tmp_path, toml(tables(TEN, pairing=pairing))).startswith(message)


def test_absent_players_need_no_games(tmp_path: Path) -> None:
    guests = [{**one, "required": False} for one in TEN[5:]]
    (tmp_path / "s.toml").write_text(toml(tables([*TEN[:5], *guests], pairing={**GOAL, "games": 8})), "utf-8")
    assert load(tmp_path / "s.toml").pairing.games == 8


def test_two_players_have_no_goal_and_nine_no_posterior_ratings(tmp_path: Path) -> None:
    found = complaint(tmp_path, toml(tables(TEN[:2], pairing=GOAL)))
    assert found == ": pairing.goal: expected at least 3 players, got 2 players"
    (tmp_path / "s.toml").write_text(toml(tables(TEN[:3], pairing=GOAL)), "utf-8")
    assert load(tmp_path / "s.toml").pairing.aim == BEST_PLAYER
    found = complaint(tmp_path, toml(tables(TEN[:9], pairing=GOAL, rating={"posterior": "population"})))
    assert found == ": rating.posterior: expected at least 10 players, got 9 players"


@pytest.mark.parametrize("pairing", [GOAL, ADAPTIVE])
def test_more_than_two_thousand_players_are_refused_before_the_first_game(tmp_path: Path, pairing: Tables) -> None:
    many = [player(f"p{number}") for number in range(2001)]
    assert complaint(tmp_path, toml(tables(many, pairing={**pairing, "games": 9000}))).startswith(
        ": pairing.method: expected at most 2000 players for 'adaptive', got 2001 players"
    )


def test_a_run_keeps_the_plan_that_it_began_with(bench: Bench) -> None:
    few = TEN[:3]
    bench.play(few, pairing={**ADAPTIVE, "games": 8, "plan": "ml"}, limit=NODES)
    bench.play(few, pairing={**ADAPTIVE, "games": 12}, limit=NODES)
    with closing(Store.open(bench.results / "test")) as store:
        assert store.schedule.pairing.plan == "ml"
    with pytest.raises(UsageError, match=r"pairing\.plan: the run has 'ml', the schedule 'posterior'; use another"):
        bench.play(few, pairing={**ADAPTIVE, "games": 12, "plan": "posterior"}, limit=NODES)


def test_a_run_of_before_the_key_is_planned_as_it_was(bench: Bench) -> None:
    few = TEN[:3]
    bench.play(few, pairing={**ADAPTIVE, "games": 8}, limit=NODES)
    folder = bench.results / "test"
    with closing(Journal.open(folder)) as journal:
        assert journal.schedule.pairing.plan == "posterior", "a new run"
        stored = journal.meta["schedule"]
        assert stored["pairing"].pop("plan") == "posterior"
        journal.record_start({"schedule": stored}, journal.identities)
    bench.write(few, pairing={**ADAPTIVE, "games": 12}, limit=NODES)
    assert draft.resumed(load(bench.path), bench.results, fresh=False).pairing.plan == "ml"
    assert draft.resumed(load(bench.path), bench.results, fresh=True).pairing.plan == "posterior"


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        (GOAL, {**GOAL, "style_sd": 40}, "the run has none, the schedule 40.0"),
        ({**GOAL, "style_sd": 0}, GOAL, "the run has 0.0, the schedule none"),
        (ADAPTIVE, {**ADAPTIVE, "style_sd": 40}, "the run has 0.0, the schedule 40.0"),
    ],
)
def test_a_run_keeps_its_pair_effects(bench: Bench, was: Tables, now: Tables, message: str) -> None:
    games = bench.play(TEN, pairing={**was, "games": 20}, limit=NODES)
    with pytest.raises(UsageError, match=rf"pairing\.style_sd: {re.escape(message)}; use another"):
        bench.play(TEN, pairing={**now, "games": 40}, limit=NODES)
    assert bench.games() == games


def test_a_goal_may_have_other_numbers_but_not_begin_later(bench: Bench) -> None:
    bench.play(TEN, pairing={**ADAPTIVE, "games": 20}, limit=NODES)
    with pytest.raises(UsageError, match=r"pairing\.goal: the run has none, the schedule 'best'; use another"):
        bench.play(TEN, pairing={**GOAL, "games": 40}, limit=NODES)
