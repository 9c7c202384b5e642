"""The pairs of every method, with players of known strength in place of engines."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from fiedler.games.openings import Opening
from fiedler.games.result import Result
from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.pairing import Over, Planner, Step, planner
from fiedler.tournament.pairing.plan import History, Played, plan
from fiedler.tournament.pairing.sprt import SprtTally, bounds, log_likelihood_ratio
from fiedler.tournament.pairing.stop import stop_reason, top_doubt, unmet
from fiedler.tournament.ratings import Results, rate
from fiedler.tournament.schedule.schedule import RatingSection, Schedule, Sprt


def schedule(players: int, elo: Mapping[str, float] | None = None, per_pair: int = 2, **pairing: Any) -> Schedule:
    entries = [{"name": name, "player": "random"} for name in names(players)]
    for entry in entries:
        if elo and entry["name"] in elo:
            entry["elo"] = elo[entry["name"]]  # type: ignore[assignment]
    return msgspec.convert(
        {
            "tournament": {"name": "test", "game": "uttt", "games_per_pair": per_pair},
            "limit": {"nodes": 1},
            "pairing": pairing,
            "players": entries,
        },
        Schedule,
    )


def names(players: int) -> list[str]:
    return [f"p{number}" for number in range(players)]


def step_of(method: Planner, history: History) -> Step:
    """Return the next step of a tournament that is not over."""
    step = method.next_step(history)
    assert isinstance(step, Step)
    return step


def play(
    options: Schedule,
    strength: Mapping[str, float],
    history: History | None = None,
    *,
    steps: int = 100,
    fails: Sequence[str] = (),
    seed: int = 1,
) -> tuple[History, list[Step], str]:
    """Play step by step until the tournament is over or decided, and return the steps and the reason of the end.

    Winners are drawn from the logistic curve.
    """
    method, source = planner(options), random.Random(seed)
    history, made = history or History(), list[Step]()
    for _ in range(steps):
        step = method.next_step(history)
        if not isinstance(step, Step):
            return history, made, step.why
        made.append(step)
        history.choose(step.pairs)
        games = list(plan(step.meetings, lambda _: Opening(), 1, history, history.steps + 1))
        history.plan(games)
        for game in games:
            chance = 1 / (1 + 10 ** ((strength[game.second] - strength[game.first]) / 400))
            result = Result.FIRST_WIN if source.random() < chance else Result.SECOND_WIN
            history.finish(Played(game.first, game.second, result, game.step, game.turn))
            if found := method.decide(history):
                return history, made, found.why
        history.benched.update(name for name in fails if history.steps >= 2)
    return history, made, ""


def falling(players: int, apart: float) -> dict[str, float]:
    return {name: -apart * place for place, name in enumerate(names(players))}


def met(history: History) -> Counter[frozenset[str]]:
    return Counter(frozenset((game.first, game.second)) for game in history.finished)


@pytest.mark.parametrize("method", ["round-robin", "gauntlet", "meeting-graph"])
def test_fixed_pairs_play_their_games_and_prefixes_are_balanced(method: str) -> None:
    more: dict[str, Any] = {"pairs": 9} if method == "meeting-graph" else {}
    history, steps, _ = play(schedule(6, per_pair=6, method=method, **more), falling(6, 10))
    counts = met(history)
    assert set(counts.values()) == {6}
    assert len(counts) == {"round-robin": 15, "gauntlet": 5, "meeting-graph": 9}[method]
    assert [len(step.meetings) for step in steps] == [3 * len(counts)]
    share = Counter(name for pair in steps[0].meetings for name in pair)
    for place in range(1, len(steps[0].meetings)):
        so_far = Counter(name for pair in steps[0].meetings[:place] for name in pair)
        for name in names(6):
            ahead = so_far[name] - share[name] * place / len(steps[0].meetings)
            assert abs(ahead) <= 2, (place, name)


def test_a_budget_of_games_is_distributed_for_precision() -> None:
    strength = falling(10, 150)
    options: dict[str, Any] = {"method": "meeting-graph", "criterion": "precision"}
    history, *_ = play(schedule(10, elo=strength, games=400, **options), strength)
    counts = met(history)
    assert sum(counts.values()) == 400
    assert counts[frozenset(("p4", "p5"))] > 3 * counts[frozenset(("p0", "p9"))]
    more, *_ = play(schedule(11, elo=falling(11, 150), games=480, **options), falling(11, 150), history)
    assert sum(met(more).values()) == 480
    assert all(met(more)[pair] >= number for pair, number in counts.items()), "what was played stays"


@pytest.mark.parametrize("method", ["round-robin", "gauntlet", "meeting-graph"])
def test_a_benched_player_leaves_a_tournament_that_still_connects_all(method: str) -> None:
    more: dict[str, Any] = {"degree": 3} if method == "meeting-graph" else {}
    options = schedule(8, per_pair=4, method=method, stop={"error": 1}, **more)
    history, *_ = play(options, falling(8, 10), fails=["p0"])
    present = set(names(8)) - {"p0"}
    reached, pairs = {"p1"}, [set(pair) for pair in met(history) if pair <= present]
    for pair in pairs * len(pairs):
        reached |= pair if pair & reached else set()
    assert reached == present
    if method == "meeting-graph":
        assert {met(history)[frozenset(pair)] for pair in pairs} == {4}


@pytest.mark.parametrize(
    "pairing",
    [
        pytest.param({"method": "meeting-graph", "pairs": 2}, id="meeting-graph"),
        pytest.param({"method": "meeting-graph", "games": 8, "criterion": "precision"}, id="games shared"),
        pytest.param({"method": "adaptive", "games": 20}, id="adaptive"),
    ],
)
def test_the_tournament_ends_if_only_a_benched_player_connected_the_others(pairing: dict[str, Any]) -> None:
    options = schedule(3, forbidden=[["p0", "p1"]], **pairing)
    history = History()
    planned = step_of(planner(options), history)
    history.choose(planned.pairs)
    history.plan(plan(planned.meetings, lambda _: Opening(), 1, history, 1))
    history.benched.add("p2")
    assert isinstance(planner(options).next_step(history), Over)


def test_a_degree_cap_that_leaves_no_room_after_a_bench_keeps_the_pairs_that_were_chosen() -> None:
    options = schedule(5, per_pair=6, method="meeting-graph", pairs=4, degree_cap=2)
    history = History()
    history.choose({("p0", "p1"): 3, ("p1", "p2"): 3, ("p3", "p2"): 3, ("p3", "p4"): 3})
    history.benched.add("p2")
    step = step_of(planner(options), history)
    assert {frozenset(pair) for pair in step.meetings} >= {frozenset(("p0", "p1")), frozenset(("p3", "p4"))}


def test_adaptive_never_exceeds_its_games() -> None:
    """One game of a benched player's last meeting may count, and the other may be given up."""
    options = schedule(4, method="adaptive", games=10)
    history = History()
    history.choose({("p0", "p1"): 1})
    history.plan(plan([("p0", "p1"), ("p2", "p3"), ("p1", "p2")], lambda _: Opening(), 1, history, 1))
    for number, (a, b) in enumerate([("p0", "p1"), ("p2", "p3"), ("p3", "p2"), ("p1", "p2"), ("p2", "p1")]):
        history.finish(Played(a, b, Result.FIRST_WIN, 1, number))
    history.benched.add("p0")
    history, *_ = play(options, falling(4, 10), history)
    assert len(history.finished) == 9


def test_adaptive_refuses_a_schedule_that_forbids_every_pair() -> None:
    for elo in (None, {"p0": 100.0}):
        options = schedule(2, elo, method="adaptive", games=20, forbidden=[["p0", "p1"]], prior_games=[["p0", "p1", 3]])
        with pytest.raises(UsageError, match=r"^[^:]*: pairing\.forbidden: expected at least one pair"):
            planner(options).next_step(History())


METHODS: list[dict[str, Any]] = [{"method": "round-robin"}, {"method": "adaptive", "games": 600}, {"method": "swiss"}]


@pytest.mark.parametrize("pairing", METHODS, ids=[str(one["method"]) for one in METHODS])
def test_benching_all_but_the_top_players_ends_without_a_decision(pairing: dict[str, Any]) -> None:
    """A rule has nothing to decide about the only remaining players."""
    for top, note in ((1, "only p3 is left"), (2, "only p2 and p3 are left")):
        options = schedule(4, per_pair=4, **pairing, stop={"top": top})
        history, *_ = play(options, falling(4, 10), steps=1)
        history.benched.update(names(4)[: 4 - top])
        method = planner(options)
        assert method.decide(history) is None
        assert method.next_step(history) == Over(note)


def test_a_player_with_a_small_probability_does_not_lead() -> None:
    options = schedule(6, per_pair=2, method="round-robin", stop={"top": 1})
    *_, end = play(options, falling(6, 0))
    assert re.search(r"stop rule not met: p\d is first with \d+\.\d% confidence, wanted 95\.0%$", end)


def test_a_stopping_rule_ends_as_soon_as_the_best_is_known() -> None:
    strength = {**falling(6, 20), "p0": 600.0}
    clear, _, end = play(schedule(6, per_pair=200, method="round-robin", stop={"top": 1}), strength)
    assert end.startswith("p0 leads with 9")
    assert len(clear.finished) < 6 * 5 / 2 * 200
    close, *_ = play(schedule(6, per_pair=20, method="round-robin", stop={"top": 1}), falling(6, 0))
    assert len(close.finished) == 15 * 20, "nobody is the best: all games are played"
    exact, _, end = play(schedule(6, per_pair=200, method="round-robin", stop={"error": 60}), falling(6, 20))
    assert end.startswith("every rating is known to ± ")
    assert len(exact.finished) < 15 * 200


def test_a_stopping_rule_holds_the_anchors() -> None:
    games = [Played(a, b, Result.DRAW, 1, turn) for a, b in itertools.permutations(names(3), 2) for turn in range(20)]
    free = schedule(3, method="round-robin", stop={"top": 1})
    held = replace(free, rating=RatingSection(anchor={"p0": 400.0, "p1": 0.0}))
    assert stop_reason(free, games, set()) == ""
    assert stop_reason(held, games, set()) == "p0 leads with 99.9% confidence"
    rule = {"error": 1.0}
    rating = rate(Results.from_games((game[0], game[1], game[2]) for game in games), anchors=held.rating.anchor)
    error = max(player.plus for player in rating.players)
    missed = f"every rating is known to ± {error:.1f} Elo, wanted ± 1 Elo"
    asked = replace(schedule(3, method="round-robin", stop=rule), rating=held.rating)
    assert unmet(asked, games, set()) == f"stop rule not met: {missed}"


def test_doubt_about_the_top() -> None:
    sure = np.array([[np.nan, 0.9, 0.99], [0.1, np.nan, 0.8], [0.01, 0.2, np.nan]])
    assert top_doubt(sure, 1) == pytest.approx(0.11)
    assert top_doubt(sure, 2) == pytest.approx(0.21)
    sure[0, 2] = np.nan
    assert top_doubt(sure, 1) == 1


@pytest.mark.parametrize("players", [2, 5, 8, 13])
def test_swiss_pairs_similar_scores_and_no_pair_twice(players: int) -> None:
    history, steps, end = play(schedule(players, method="swiss"), falling(players, 50))
    rounds = max(1, math.ceil(math.log2(players)))
    assert end == ("1 round is played" if rounds == 1 else f"{rounds} rounds are played")
    assert len(steps) == rounds
    assert set(met(history).values()) == {2}
    games = Counter(name for game in history.finished for name in (game.first, game.second))
    assert max(games.values()) - min(games[name] for name in names(players)) <= 2 * (players % 2)
    for step in steps:
        assert len({name for pair in step.meetings for name in pair}) == 2 * (players // 2)


def test_swiss_lets_winners_meet() -> None:
    history, steps, _ = play(schedule(8, method="swiss"), falling(8, 1000))
    assert {frozenset(pair) for pair in steps[1].meetings if "p0" in pair or "p1" in pair}
    winners = {max(pair, key=falling(8, 1).__getitem__) for pair in steps[0].meetings}
    for pair in steps[1].meetings:
        assert (pair[0] in winners) == (pair[1] in winners)
    assert max(met(history).values()) == 2


@pytest.mark.parametrize("players", [2, 3, 6, 8, 11])
def test_knockout_has_one_winner_and_seeds_meet_late(players: int) -> None:
    strength = falling(players, 1000)
    history, steps, end = play(schedule(players, elo=strength, method="knockout"), strength)
    assert end == "p0 wins, p1 is second"
    assert len(met(history)) == players - 1, "everybody but the winner loses one match"
    assert {frozenset(pair) for pair in steps[-1].meetings} == {frozenset(("p0", "p1"))}
    assert steps[-1].note.startswith("final")


def test_knockout_prolongs_drawn_matches_and_benched_players_are_out() -> None:
    options = schedule(4, method="knockout")
    method, history = planner(options), History()
    for meeting in range(4):
        step = step_of(method, history)
        assert Counter(step.meetings) == {("p0", "p3"): 1, ("p1", "p2"): 1}, meeting
        assert step.note == ("semi-finals" if meeting == 0 else "semi-finals, prolonged")
        games = list(plan(step.meetings, lambda _: Opening(), 1, history, meeting + 1))
        history.plan(games)
        for game in games:
            history.finish(Played(game.first, game.second, Result.DRAW, game.step, game.turn))
    assert step_of(method, history).meetings == [("p0", "p1")], "after three more meetings the seeds decide"
    history.benched.add("p0")
    assert step_of(method, history).meetings == [("p3", "p1")]


def test_adaptive_spends_all_games_in_few_batches_on_informative_pairs() -> None:
    strength = falling(12, 120)
    history, steps, end = play(schedule(12, method="adaptive", games=2000, batches=3), strength)
    assert [*(step.note for step in steps), end] == ["batch 1", "batch 2", "batch 3", "2000 games are played"]
    assert len(history.finished) == 2000

    def apart(step: Step) -> float:
        return float(np.mean([abs(strength[a] - strength[b]) for a, b in step.meetings]))

    assert apart(steps[2]) < 0.75 * apart(steps[0])


def test_adaptive_distributes_games_over_more_pairs_with_style_sd() -> None:
    strength = falling(12, 120)
    options: dict[str, Any] = {"method": "adaptive", "games": 4000, "batches": 1}
    (plain, *_), (styled, *_) = (play(schedule(12, strength, **options, style_sd=sd), strength) for sd in (0.0, 100.0))
    assert max(met(styled).values()) < 0.8 * max(met(plain).values())


def test_ladder_meets_the_best_opponents_and_continues_with_new_players() -> None:
    strength = {name: 30.0 * place for place, name in enumerate(names(30))}
    history, *_ = play(schedule(29, per_pair=8, method="ladder", opponents=6), strength)
    before = met(history)
    assert all(before[frozenset(pair)] in (0, 8) for pair in itertools.combinations(names(29), 2))
    more, steps, _ = play(schedule(30, per_pair=8, method="ladder", opponents=6), strength, history)
    opponents = {name for step in steps for pair in step.meetings for name in pair} - {"p29"}
    assert len(opponents) == 6
    assert all(strength["p29"] - strength[name] < 500 for name in opponents)
    assert sum(met(more).values()) == sum(before.values()) + 48


def test_likelihood_ratio_has_the_normal_limit_for_many_even_games() -> None:
    counts = [3000, 4000, 3050]
    for model in ("logistic", "normalised"):
        test = Sprt(elo0=0, elo1=2, model=model)
        total, score = sum(counts), np.array([0, 0.5, 1])
        share = np.array(counts) / total
        mean = float(share @ score)
        variance = float(share @ (score - mean) ** 2)
        low, high = (1 / (1 + 10 ** (-elo / 400)) for elo in (test.elo0, test.elo1))
        if model == "normalised":
            low, high = (0.5 + elo * math.log(10) / 800 * math.sqrt(variance) for elo in (test.elo0, test.elo1))
        limit = total * (high - low) * (2 * mean - low - high) / (2 * variance)
        assert log_likelihood_ratio(counts, test) == pytest.approx(limit, abs=0.01)


def test_pentanomial_counts_complete_meetings_of_a_player() -> None:
    win, loss, draw = Result.FIRST_WIN, Result.SECOND_WIN, Result.DRAW
    games = [("a", "b", win, 0), ("b", "a", loss, 0), ("a", "b", draw, 1), ("b", "a", win, 1), ("a", "b", win, 2)]
    history = [Played(first, second, result, 1, turn) for first, second, result, turn in games]
    for name, counts in (("a", [0, 1, 0, 0, 1]), ("b", [1, 0, 0, 1, 0])):
        tally = SprtTally(name)
        for game in history:
            tally.add(game)
        assert tally.pentanomial == counts


@pytest.mark.parametrize(("elo", "accepted"), [(0.0, "H0"), (40.0, "H1")])
def test_sequential_test_accepts_the_truth(elo: float, accepted: str) -> None:
    wrong, lengths = 0, []
    for seed in range(20):
        options = schedule(2, method="sprt", sprt={"elo0": 0, "elo1": 40})
        history, _, end = play(options, {"p0": elo, "p1": 0.0}, steps=10**6, seed=seed)
        wrong += f": {accepted} (" not in end
        lengths.append(len(history.finished))
    assert wrong <= 4, "5 % are expected, so 1 of 20"
    assert np.mean(lengths) < 2000
    assert bounds(Sprt()) == pytest.approx((-2.944, 2.944), abs=1e-3)


def test_sequential_test_is_inconclusive_without_further_games() -> None:
    history, _, end = play(schedule(2, method="sprt", games=12), {"p0": 0.0, "p1": 0.0})
    assert len(history.finished) == 12
    sentence = (
        r"inconclusive: no games are left; neither H1 \(10 Elo\) nor H0 \(0\) accepted after 12 games; p0 is \d+ ± \d+"
    )
    assert re.match(sentence, end)


@pytest.mark.parametrize(
    ("pairing", "played"),
    [
        ({"method": "round-robin"}, ""),
        ({"method": "gauntlet"}, ""),
        ({"method": "meeting-graph", "pairs": 6}, ""),
        ({"method": "swiss", "rounds": 1}, "1 round is played"),
        ({"method": "ladder"}, "every player has challenged those before it"),
        ({"method": "adaptive", "games": 10}, ""),
    ],
    ids=lambda value: value["method"] if isinstance(value, dict) else "",
)
def test_the_end_names_the_games_that_were_given_up(pairing: dict[str, Any], played: str) -> None:
    """One of four players is benched after its first game of a pair; the rest of its games is not played."""
    options = schedule(4, **pairing)
    method, history = planner(options), History()
    while isinstance(step := method.next_step(history), Step):
        history.choose(step.pairs)
        games = list(plan(step.meetings, lambda _: Opening(), 1, history, history.steps + 1))
        history.plan(games)
        for game in games:
            if history.benched.isdisjoint((game.first, game.second)):
                history.finish(Played(game.first, game.second, Result.DRAW, game.step, game.turn))
            else:
                history.give_up([game])
            if "p3" in (game.first, game.second):
                history.benched.add("p3")
    number = len(history.finished)
    lost = counted(history.given_up, "game")
    assert isinstance(step, Over)
    assert step.why == f"{played or f'{number} games are played'}, {lost} given up: p3 is benched"
