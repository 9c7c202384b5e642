"""The planner of a goal: its batches, its verdict, and what is missing; and the posterior on which adaptive plans."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from fiedler.games.result import Result
from fiedler.tournament.pairing import planner
from fiedler.tournament.pairing.beliefs import player_beliefs
from fiedler.tournament.pairing.chosen_player import Standing
from fiedler.tournament.pairing.goal import GoalPlanner, missing_games
from fiedler.tournament.pairing.plan import Played
from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.posterior import posterior
from fiedler.tournament.schedule.schedule import GoalRule, RatingSection
from tests.tournament.pairing.test_planners import falling, met, names, play, schedule

GOAL: dict[str, Any] = {"method": "adaptive", "goal": "best", "games": 3000, "style_sd": 0}
TOP = r"\S+ is within 10 Elo of the best with \d+\.\d %"


def round_robin(players: int, drawn: int = 0) -> list[Played]:
    """Return four games of each pair: the earlier player wins three; in the last `drawn` pairs all are drawn."""
    pairs = [(a, b) for place, a in enumerate(names(players)) for b in names(players)[place + 1 :]]
    wins = [Result.FIRST_WIN, Result.SECOND_WIN, Result.FIRST_WIN, Result.FIRST_WIN]
    games = []
    for number, (a, b) in enumerate(pairs):
        results = [Result.DRAW] * 4 if number >= len(pairs) - drawn else wins
        for turn, result in enumerate(results):
            first, second = (a, b) if turn % 2 == 0 else (b, a)
            games.append(Played(first, second, result, 1, turn // 2))
    return games


def test_a_goal_ends_with_the_best_player() -> None:
    strength = falling(12, 60)
    history, steps, end = play(schedule(12, **GOAL), strength)
    assert re.fullmatch(rf"p0{TOP[3:]} after [\d,]+ games \(expected loss \d+\.\d Elo\)", end)
    sizes = [len(step.meetings) for step in steps]
    assert sizes[0] == 24
    assert all(size == max(100, round(0.15 * sum(sizes[:number]))) for number, size in enumerate(sizes) if number)
    assert len(history.finished) == 2 * sum(sizes) < 3000
    assert f"after {len(history.finished):,} games" in end
    first, last = ({name for pair in step.meetings for name in pair} for step in (steps[0], steps[-1]))
    assert first == set(names(12))
    share = sum(strength[name] >= strength["p3"] for pair in steps[-1].meetings for name in pair)
    assert share > len(steps[-1].meetings), "later batches decide among the first"
    assert "p0" in last


@pytest.mark.parametrize("players", [3, 5, 9])
def test_few_players_have_a_goal(players: int) -> None:
    strength = falling(players, 80)
    history, steps, end = play(schedule(players, **GOAL), strength)
    assert re.fullmatch(rf"p0{TOP[3:]} after [\d,]+ games \(expected loss \d+\.\d Elo\)", end)
    assert len(steps[0].meetings) <= 2 * players
    assert history.standing is not None
    assert (history.standing.player, history.standing.games) == ("p0", len(history.settled))


def test_the_population_of_few_players_is_one_normal_distribution() -> None:
    games = round_robin(5)
    assert player_beliefs(schedule(5, **GOAL), games, names(5), 0.0, "curve") is None, "no posterior ratings"
    found = posterior(
        Results.from_games((game.first, game.second, game.result) for game in games),
        kind="population",
        options=RatingSection(),
        least=3,
    )
    assert len(found.assumed.parts) == len(found.assumed.weights) == 1
    assert found.players[0].name == "p0"


def test_the_estimated_pair_effects_are_in_the_name_of_a_batch() -> None:
    _, steps, _ = play(schedule(12, **{**GOAL, "games": 300, "style_sd": None}), falling(12, 60))
    assert steps[0].note == "batch 1"
    form = r"batch 2, pairs differ from the ratings by \d+ Elo \(evidence [+-]\d+\.\d nats\)"
    assert re.fullmatch(form, steps[1].note)


def test_a_player_with_one_opponent_takes_part_in_the_first_batch() -> None:
    forbidden = [["p0", f"p{number}"] for number in range(1, 11)]
    _, steps, _ = play(schedule(12, **GOAL, forbidden=forbidden), falling(12, 10), steps=1)
    pairs = {frozenset(pair) for pair in steps[0].meetings}
    assert len(pairs) == len(steps[0].meetings) == 24, "the others have more than four opponents for it"
    assert {"p0", "p11"} in pairs
    assert not any(set(pair) in pairs for pair in forbidden)


def test_a_goal_that_is_not_met_says_what_is_missing() -> None:
    _, _, end = play(schedule(12, **{**GOAL, "games": 60}), falling(12, 2))
    loss = r"\(expected loss \d+\.\d Elo\)"
    wanted = r"wanted 95\.0 % or a loss of at most 3 Elo"
    assert re.fullmatch(rf"60 games are played; goal not met: {TOP} {loss}, {wanted}, about [\d,]+ more games", end)
    _, _, end = play(schedule(12, **{**GOAL, "games": 60, "goal": {"loss": 3}}), falling(12, 2))
    assert re.search(r"goal not met: p\d+ has an expected loss of \S+ Elo to the best, wanted a loss of at most 3", end)


def test_a_benched_leader_leaves_the_goal_to_the_others() -> None:
    strength = falling(14, 20)
    _, steps, end = play(schedule(14, **GOAL), strength, fails=["p0"])
    assert len(steps) > 2
    assert not any("p0" in pair for step in steps[2:] for pair in step.meetings)
    assert end.startswith("p1 is within 10 Elo of the best")


def test_a_player_without_games_keeps_a_goal_open() -> None:
    games = round_robin(12)
    method = planner(schedule(13, **GOAL))
    assert isinstance(method, GoalPlanner)
    assert method.judged(games, set()) is None
    assert method.missed(games, set()) == "goal not met: no games of p12, wanted games of every player"
    assert method.missed(games, {"p12"}).startswith("goal not met: p0 is within")
    assert method.missed([game for game in games if game.second != "p11"][:4], {"p12"}).startswith("goal not met: no g")


def test_a_goal_does_not_pair_by_expected_strengths() -> None:
    plain, told = (schedule(12, elo, **GOAL) for elo in (None, falling(12, 200)))
    assert planner(plain).next_step(play(plain, {}, steps=0)[0]) == planner(told).next_step(play(told, {}, steps=0)[0])


def test_the_rule_is_met_by_either_condition() -> None:
    elo, covariance = np.array([30.0, 0.0, -10.0]), 200 * np.eye(3)
    rule = GoalRule(best=10, confidence=0.95, loss=3)
    found = Standing.of(("a", "b", "c"), elo, covariance, rule)
    assert (found.player, found.within) == ("a", 10)
    assert found.chance == pytest.approx(0.97, abs=0.015)
    assert found.meets(rule)
    assert not found.meets(GoalRule(best=10, confidence=0.999))
    assert found.meets(GoalRule(loss=found.loss))
    assert not found.meets(GoalRule(loss=0.9 * found.loss))
    assert missing_games(
        1000, lambda share: Standing.of(("a", "b", "c"), elo, share * covariance, rule).meets(rule)
    ) == ("about 1 more game")


def test_missing_games_are_those_that_make_the_variances_small_enough() -> None:
    assert missing_games(1000, lambda share: share <= 0.25) == "about 3,100 more games"
    assert missing_games(1000, lambda _: False) == "more than a million more games"


def test_adaptive_plans_on_the_posterior_from_its_second_batch() -> None:
    strength = falling(14, 20)
    options: dict[str, Any] = {"method": "adaptive", "games": 280, "batches": 2}
    plans: list[dict[str, Any]] = [{"plan": "ml"}, {}, {"plan": "posterior"}]
    (ml, *_), (default, *_), (joint, *_) = (play(schedule(14, **options, **more), strength) for more in plans)
    assert met(joint) == met(default) != met(ml)
    first = [game for game in joint.finished if game.step == 1]
    assert first == [game for game in ml.finished if game.step == 1]
    few = [play(schedule(9, **options, plan=plan), strength)[0].finished for plan in ("ml", "posterior")]
    assert few[0] == few[1], "too few players for a posterior"


def test_beliefs_are_the_part_of_the_posterior_that_is_about_the_present() -> None:
    games = round_robin(12, drawn=20)
    options = schedule(14, method="adaptive", games=1000)
    found = player_beliefs(options, games, ["p13", "p0", "p4", "p5"], 25.0, "curve")
    assert found is not None
    whole = posterior(
        Results.from_games((game.first, game.second, game.result) for game in games),
        kind="population",
        options=RatingSection(),
        style_sd=25.0,
    )
    place = [[player.name for player in whole.players].index(name) for name in ("p0", "p4", "p5")]
    assert found.scale * found.elo[1:] == pytest.approx([whole.players[one].elo for one in place])
    assert found.scale**2 * found.covariance[1:, 1:] == pytest.approx(whole.covariance()[np.ix_(place, place)])
    assert found.precision[1:, 1:] / found.scale**2 == pytest.approx(whole.precision(["p0", "p4", "p5"]))
    assert found.idle == ("p13",)
    assert found.elo[0] == pytest.approx(found.elo[1:].mean())
    assert found.covariance[0].tolist() == [pytest.approx(200**2 + found.elo[1:].var()), 0, 0, 0]
    assert found.style_sd == pytest.approx(25)
    assert found.advantage == 32.8
    assert player_beliefs(options, games[:20], names(14), 0.0, "curve") is None


def test_a_series_of_too_few_players_does_not_stop_the_planning() -> None:
    options = schedule(12, **GOAL)
    section = RatingSection(posterior="curve", series=("p",))
    games, present = round_robin(12), names(12)
    plain = player_beliefs(options, games, present, 0.0, "curve")
    named = player_beliefs(replace(options, rating=section), games, present, 0.0, "curve")
    assert plain is not None
    assert named is not None
    assert named.elo.tolist() == plain.elo.tolist()


def test_strengths_that_chose_the_first_batch_are_in_the_posterior() -> None:
    games = round_robin(12)
    (plain, told) = (
        player_beliefs(schedule(12, elo, method="adaptive", games=1000), games, names(12), 0.0, "curve")
        for elo in (None, {"p0": -300.0, "p11": 300.0})
    )
    assert plain is not None
    assert told is not None
    assert told.elo[0] < plain.elo[0] - 20
    assert told.elo[11] > plain.elo[11] + 20
