"""`tournament simulate`: players of known strength in place of engines."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from fiedler.support.drawing import STYLE
from fiedler.support.errors import UsageError
from fiedler.tournament.commands.simulate import simulate
from fiedler.tournament.pairing import Planner, planner
from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.pairs import Pairs
from fiedler.tournament.schedule.schedule import RatingSection, Schedule
from fiedler.tournament.simulation.comparison import Effort, budget, compare, own_trials
from fiedler.tournament.simulation.error_figure import error_figure
from fiedler.tournament.simulation.play import SimulatedPlayers, counted_results, play_steps
from fiedler.tournament.simulation.population import Population, known, nameless
from fiedler.tournament.simulation.schemes import SCHEMES, Case, own, scheme
from fiedler.tournament.simulation.trial import Conditions, Summary, Trial, run_trial

TABLE = """
[tournament]
name = "try"
game = "uttt"
games_per_pair = 40
[limit]
nodes = 1
[pairing]
method = "meeting-graph"
degree = 3
"""


def schedule(players: int, per_pair: int = 2, apart: float = 40.0, **pairing: Any) -> Schedule:
    tables = {
        "tournament": {"name": "test", "game": "uttt", "games_per_pair": per_pair},
        "limit": {"nodes": 1},
        "pairing": pairing,
        "players": [{"name": f"p{n}", "player": "random", "elo": apart * n} for n in range(players)],
    }
    return msgspec.convert(tables, Schedule)


def field(
    elo: list[float], advantage: float = 30.0, draw_elo: float = 100.0, seed: int = 1, model: str = "bayeselo"
) -> SimulatedPlayers:
    names = tuple(f"p{n}" for n in range(len(elo)))
    style = np.zeros((len(elo), len(elo)))
    return SimulatedPlayers(names, np.array(elo), style, advantage, draw_elo, np.random.default_rng(seed), model)


def conditions(options: Schedule, games: int = 2000, **more: Any) -> Conditions:
    return Conditions(options, known(options), games, **more)


def played_by(options: Schedule, players: SimulatedPlayers) -> Results:
    return counted_results(players.names, play_steps(planner(options), players).finished)


def meetings_of(results: Results) -> Counter[tuple[int, int]]:
    counts: Counter[tuple[int, int]] = Counter()
    for first, second, *outcomes in results.rows:
        counts[min(first, second), max(first, second)] += sum(outcomes)
    return counts


def mean(trials: list[Trial], key: str) -> float:
    return float(np.mean([getattr(trial, key) for trial in trials]))


def test_chances_are_those_of_the_model() -> None:
    chances = field([0.0, 200.0]).chances([0, 1, 0], [0, 0, 1])
    assert chances.sum(axis=1) == pytest.approx([1, 1, 1])
    equal, ahead, behind = chances
    assert equal[1] == pytest.approx(0.279, abs=0.001), "28 % draws among equals"
    assert ahead[[0, 2]] == pytest.approx([1 / (1 + 10 ** (-130 / 400)), 1 / (1 + 10 ** (330 / 400))])
    assert behind[0] == pytest.approx(1 / (1 + 10 ** (270 / 400)))
    assert ahead[0] > 1 - behind[0] - behind[1], "moving first is an advantage"


def test_counts_and_games_have_the_same_distribution() -> None:
    field_of_two = field([0.0, 100.0])
    games = 20_000
    counted = {(row[0], row[1]): row[2:] for row in field_of_two.play_counts({("p0", "p1"): games}).rows}
    options = schedule(2, per_pair=2 * games, method="round-robin")
    played = {(row[0], row[1]): row[2:] for row in played_by(options, field_of_two).rows}
    for pair in ((0, 1), (1, 0)):
        chances = field_of_two.chances([pair[0]], [pair[1]])[0]
        for counts in (counted[pair], played[pair]):
            assert sum(counts) == games
            assert np.abs(np.array(counts) / games - chances).max() < 5 * 0.5 / games**0.5


@pytest.mark.parametrize(
    "pairing", [{"method": "meeting-graph", "degree": 3}, {"method": "round-robin"}, {"method": "gauntlet"}]
)
def test_a_fixed_plan_equals_the_plan_of_a_run(pairing: dict[str, Any]) -> None:
    options = schedule(8, per_pair=6, **pairing)
    whole = own(Case(options, 0, np.random.default_rng(0)))
    assert not isinstance(whole, Planner)
    players = field([0.0] * 8)
    assert meetings_of(players.play_counts(whole)) == meetings_of(played_by(options, players))


@pytest.mark.parametrize(
    "pairing",
    [
        {"method": "swiss"},
        {"method": "ladder"},
        {"method": "knockout"},
        {"method": "adaptive", "games": 400},
        {"method": "round-robin", "stop": {"error": 80}},
    ],
    ids=["swiss", "ladder", "knockout", "adaptive", "stop"],
)
def test_plans_that_depend_on_results_are_played_step_by_step(pairing: dict[str, Any]) -> None:
    options = schedule(9, per_pair=20, **pairing)
    assert isinstance(own(Case(options, 0, np.random.default_rng(0))), Planner)
    trial = run_trial("schedule", scheme("schedule", options), conditions(options, prior_sd=20.0), 0)
    assert trial.games == {"swiss": 320, "ladder": 720, "knockout": 160, "adaptive": 400}.get(
        pairing["method"], trial.games
    )
    assert 8 <= trial.pairs <= 36
    assert trial.rms < 200
    if "stop" in pairing:
        assert trial.games < 36 * 20


def test_fisher_information_predicts_the_error() -> None:
    options = schedule(10, per_pair=60, method="round-robin")
    same = conditions(options)
    trials = [run_trial("schedule", scheme("schedule", options), same, number) for number in range(40)]
    assert mean(trials, "rms") == pytest.approx(mean(trials, "predicted"), rel=0.12)
    assert {trial.games for trial in trials} == {45 * 60}
    assert mean(trials, "worst") > mean(trials, "rms")
    assert len({trial.rms for trial in trials}) == 40


def test_the_scale_of_the_ratings_does_not_count_as_an_error() -> None:
    options = msgspec.structs.replace(
        schedule(4, per_pair=200_000, apart=100.0, method="round-robin"), rating=RatingSection(draw_elo=300.0)
    )
    assert run_trial("schedule", scheme("schedule", options), conditions(options), 0).rms < 3


def test_results_are_drawn_and_rated_by_the_model_of_the_schedule() -> None:
    rating = RatingSection(model="davidson", draw_elo=300.0)
    options = msgspec.structs.replace(schedule(4, per_pair=200_000, apart=100.0, method="round-robin"), rating=rating)
    trial = run_trial("schedule", scheme("schedule", options), conditions(options), 0)
    assert trial.rms < 3
    assert trial.rms < 4 * trial.predicted
    draws = {}
    for model in ("bayeselo", "davidson"):
        draws[model] = field([0.0, 800.0], model=model).chances([0], [1])[0, 1]
    assert draws["davidson"] > 2 * draws["bayeselo"], "far apart, the two models draw differently"


@pytest.mark.parametrize("model", ["bayeselo", "davidson"])
def test_information_is_the_mean_square_of_the_slopes(model: str) -> None:
    players = field([0.0, 150.0], model=model)
    step = 0.01
    expected = 0.0
    for ahead, behind in ((0, 1), (1, 0)):
        elo = np.array(players.elo)
        logs = []
        for change in (-step, step):
            elo[ahead] = players.elo[ahead] + change
            logs.append(np.log(replace(players, elo=elo).chances([ahead], [behind])[0]))
        slope = (logs[1] - logs[0]) / (2 * step)
        expected += 10 * float(players.chances([ahead], [behind])[0] @ slope**2)
    pairs = Pairs.of(players.play_counts({("p0", "p1"): 10}))
    assert players.information(pairs) == pytest.approx([expected], rel=1e-6)


def test_anchors_of_the_schedule_are_held(tmp_path: Path) -> None:
    options = schedule(5, per_pair=100, apart=0.0, method="round-robin")
    wrong = msgspec.structs.replace(options, rating=RatingSection(anchor={"p0": 0.0, "p1": 400.0}))
    free, held = (run_trial("schedule", scheme("schedule", one), conditions(one), 0).rms for one in (options, wrong))
    assert free < 30
    assert held > 100, "the anchors are wrong, and so are the ratings"
    path = tmp_path / "anchored.toml"
    plain = TABLE + players_of(0, 0, 0, 0)
    arguments = ["--truth", "linear", "--own-method", "--repetitions", "1", "--workers", "1", "--json"]
    found = []
    for text in (plain, f"{plain}\n[rating]\nanchor = {{ p0 = 0, p1 = 400 }}\n"):
        path.write_text(text, encoding="utf-8")
        found.append(json.loads(CliRunner().invoke(simulate, [str(path), *arguments], catch_exceptions=False).stdout))
    assert found[0]["methods"][0]["rms"] == found[1]["methods"][0]["rms"], "drawn players have no anchors"


def test_the_original_program_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAYESELO", "/nowhere/bayeselo")
    options = schedule(4, per_pair=10, method="round-robin")
    original = msgspec.structs.replace(options, rating=RatingSection(backend="bayeselo"))
    found = [run_trial("schedule", scheme("schedule", one), conditions(one), 0).rms for one in (options, original)]
    assert found[0] == found[1]


def test_style_sd_increases_the_error() -> None:
    options = schedule(6, per_pair=20_000, apart=0.0, method="round-robin")
    trial = run_trial("schedule", scheme("schedule", options), conditions(options, style_sd=60.0), 0)
    assert trial.rms > 4 * trial.predicted


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEMES)
def test_every_method_spends_its_games(name: str) -> None:
    players = 34
    options = nameless(players, 4000)
    asked = Conditions(options, Population(players, shape="curve", spread=600.0), 4000)
    assert SCHEMES[name].fits(players, 4000)
    trial = run_trial(name, SCHEMES[name], asked, 0)
    around = 0.35 if name in ("swiss", "ladder") else 0
    assert 4000 * (1 - around) <= trial.games <= 4000 * (1 + around)
    assert np.isfinite([trial.rms, trial.predicted, trial.tau]).all()
    assert {"ring": 34, "random-8": 136, "connectivity-4": 68, "precision-8": 136, "round-robin": 561}.get(
        name, trial.pairs
    ) == trial.pairs


@pytest.mark.slow
def test_precise_pairings_have_smaller_errors_for_very_different_strengths() -> None:
    options = nameless(40, 8000)
    asked = Conditions(options, Population(40, shape="curve"), 8000)

    def error(name: str) -> float:
        return mean([run_trial(name, SCHEMES[name], asked, number) for number in range(14)], "rms")

    free, everybody, ring = error("precision-free"), error("round-robin"), error("ring")
    assert free < 0.9 * everybody
    assert 1.5 * everybody < ring


@pytest.mark.programs
@pytest.mark.parametrize("workers", [1, 2])
def test_numbers_depend_on_the_seed_alone(workers: int) -> None:
    options = schedule(6, per_pair=10, method="round-robin")
    names = ["schedule", "random"]
    reports: list[tuple[int, int, str | None]] = []
    found = compare(
        names,
        conditions(options, 200),
        Effort(3, workers),
        lambda *report: reports.append((*report[:2], report[2] and report[2].method)),
    )
    assert [report[:2] for report in reports] == [(number, 6) for number in range(7)]
    assert sorted(report[2] for report in reports if report[2]) == sorted(names)
    assert [one.method for one in found] == names
    alone = [run_trial("random", SCHEMES["random"], conditions(options, 200), number).rms for number in range(3)]
    assert found[1].rms == pytest.approx(np.mean(alone), rel=1e-9)
    assert found[1].rms_se == pytest.approx(np.std(alone, ddof=1) / 3**0.5)
    other = run_trial("random", SCHEMES["random"], conditions(options, 200, seed=1), 0)
    assert other.rms != alone[0]


def test_pairing_receives_the_truth_plus_an_error_of_known_size() -> None:
    seen: list[Schedule] = []

    def look(case: Case) -> dict[tuple[str, str], int]:
        seen.append(case.schedule)
        return {("p0", "p1"): 50, ("p1", "p2"): 50}

    options = schedule(3)
    unsure = msgspec.structs.replace(options.players[0], elo_sd=7.0)
    options = msgspec.structs.replace(options, players=(unsure, *options.players[1:]))
    looking = msgspec.structs.replace
    for sd, expected in ((0.0, [None, None, None]), (30.0, [30.0, 30.0, 30.0]), (None, [7.0, 100.0, 100.0])):
        asked = looking(conditions(options), prior_sd=sd)
        run_trial("look", type(SCHEMES["ring"])("look", look, lambda _: 0), asked, 0)
        assert [player.elo_sd for player in seen[-1].players] == expected
    assert [player.elo for player in seen[0].players] == [0.0, 40.0, 80.0]
    wrong = np.array([player.elo for player in seen[2].players]) - [0.0, 40.0, 80.0]
    assert 0 < abs(wrong[0]) < 35
    assert np.abs(wrong).max() < 500


def test_the_budget_is_the_number_of_games_of_the_schedule() -> None:
    def ignore(*_: object) -> None:
        pass

    fixed = conditions(schedule(8, per_pair=6, method="meeting-graph", degree=3))
    trials = own_trials(fixed, Effort(5, 1), ignore)
    assert len(trials) == 1
    assert budget(trials) == 72
    by_results = conditions(schedule(2, method="sprt", sprt={"elo0": 0, "elo1": 80}))
    trials = own_trials(by_results, Effort(5, 1), ignore)
    games = [trial.games for trial in trials.values()]
    assert len(set(games)) > 1
    assert budget(trials) == 2 * round(sum(games) / 10)
    again = compare(["schedule"], by_results, Effort(5, 1), ignore, trials)
    assert again[0].seconds == pytest.approx(sum(trial.seconds for trial in trials.values()) / 5), "none is repeated"
    assert (again[0].games_least, again[0].games_most) == (min(games), max(games))


def test_a_sequential_test_reports_its_ends(tmp_path: Path) -> None:
    path = tmp_path / "sprt.toml"
    tables = TABLE.replace("degree = 3\n", "").replace("meeting-graph", "sprt")
    path.write_text(f"{tables}sprt = {{ elo0 = 0, elo1 = 100 }}\n{players_of(200, 0)}", encoding="utf-8")
    options = [str(path), "--repetitions", "4", "--workers", "1"]
    result = CliRunner().invoke(simulate, options, catch_exceptions=False)
    lines = result.stdout.splitlines()
    assert any(line.startswith("tau: Kendall's rank correlation") for line in lines), "every column has its words"
    match = re.fullmatch(
        r"schedule: sprt: accepted in 4 repetitions: H1 4, H0 0, neither 0; "
        r"games: (\d+) on average, standard deviation \d+, (\d+) to (\d+)",
        lines[-1],
    )
    assert match
    assert int(match[2]) < int(match[1]) < int(match[3])
    everybody = next(line for line in lines if line.startswith("round robin"))
    assert abs(int(everybody.split()[-3]) - int(match[1])) <= 1, "others spend as many games"
    found = json.loads(CliRunner().invoke(simulate, [*options, "--json"]).stdout)["methods"]
    assert found[0]["accepted"] == {"H1": 4, "H0": 0, "neither": 0}
    assert (found[0]["games_least"], found[0]["games_most"]) == (int(match[2]), int(match[3]))
    assert found[1]["accepted"] is None


def test_equal_players_have_no_rank_correlation(tmp_path: Path) -> None:
    path = tmp_path / "sprt.toml"
    tables = TABLE.replace("degree = 3\n", "").replace("meeting-graph", "sprt")
    path.write_text(f"{tables}sprt = {{ elo0 = 0, elo1 = 400 }}\n{players_of(0, 0)}", encoding="utf-8")
    options = [str(path), "--own-method", "--repetitions", "2", "--workers", "1"]
    result = CliRunner().invoke(simulate, options, catch_exceptions=False)
    assert "nan" not in result.stdout
    assert next(line for line in result.stdout.splitlines() if line.startswith("schedule: sprt")).split()[-5] == "-"


def test_the_prior_of_the_ratings_can_be_set() -> None:
    def found(*more: str) -> dict[str, Any]:
        options = [
            "--truth",
            "linear",
            "--players",
            "4",
            "--games",
            "40",
            "--workers",
            "1",
            "--repetitions",
            "3",
            *more,
        ]
        answer = CliRunner().invoke(simulate, [*options, "--method", "ring", "--json"], catch_exceptions=False)
        document: dict[str, Any] = json.loads(answer.stdout)
        return document

    weak, strong = found(), found("--prior", "50")
    assert (weak["prior"], strong["prior"]) == (0.2, 50)
    assert strong["methods"][0]["rms"] > 1.5 * weak["methods"][0]["rms"], "ratings far apart are drawn together"
    assert strong["methods"][0]["predicted"] == weak["methods"][0]["predicted"]


def test_too_few_games_to_connect_the_players_give_a_warning() -> None:
    options = ["--truth", "equal", "--players", "20", "--games", "10", "--workers", "1", "--repetitions", "1"]
    result = CliRunner().invoke(simulate, options, catch_exceptions=False)
    assert "warning: 10 games cannot connect 20 players: 38 games are played" in result.stderr
    assert "warning" not in CliRunner().invoke(simulate, [*options, "--games", "60", "--method", "ring"]).stderr


def test_populations() -> None:
    random = np.random.default_rng(3)
    curve = Population(100, shape="curve", noise=0.0).draw(random)
    assert (curve[0], curve[-1]) == (0, 1500)
    assert (np.diff(curve) > 0).all()
    assert (np.diff(curve, 2) < 0).all(), "it saturates"
    assert Population(5, shape="linear", spread=400.0, noise=0.0).draw(random) == pytest.approx([0, 100, 200, 300, 400])
    assert np.ptp(Population(5, shape="equal", noise=0.0).draw(random)) == 0
    noisy = Population(100, shape="curve")
    assert (noisy.draw(random) != noisy.draw(random)).all()


def players_of(*elo: float | None) -> str:
    lines = []
    for number, value in enumerate(elo):
        lines.append(f'[[players]]\nname = "p{number}"\nplayer = "random"')
        lines.append("" if value is None else f"elo = {value}")
    return "\n".join(lines)


def write(folder: Path, *elo: float | None) -> str:
    path = folder / "try.toml"
    path.write_text(TABLE + players_of(*elo), encoding="utf-8")
    return str(path)


def test_the_command_prints_a_table_and_json(tmp_path: Path) -> None:
    path = write(tmp_path, 0, 50, 100, 150, 200, 250)
    options = [path, "--repetitions", "2", "--workers", "1"]
    result = CliRunner().invoke(simulate, options, catch_exceptions=False)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[0].startswith("6 players, 2 repetitions, ")
    assert lines[3].startswith("schedule: meeting-graph ")
    assert {line[:28].strip() for line in lines[4:]} >= {"round robin", "precision, games free", "adaptive, 4 batches"}
    result = CliRunner().invoke(simulate, [*options, "--own-method", "--json"], catch_exceptions=False)
    found = json.loads(result.stdout)
    assert (found["players"], found["games"], found["repetitions"], found["truth"]) == (6, 360, 2, "schedule")
    assert [one["method"] for one in found["methods"]] == ["schedule"]
    assert found["methods"][0]["pairs"] == 9
    assert found["methods"][0]["rms"] > 0


def test_players_of_extremely_different_strength_can_be_simulated() -> None:
    options = ["--truth", "curve", "--spread", "10000", "--players", "6", "--games", "60", "--workers", "1"]
    options += ["--method", "precision-free", "--method", "ladder", "--repetitions", "1", "--json"]
    result = CliRunner().invoke(simulate, options, catch_exceptions=False)
    assert [method["games"] for method in json.loads(result.stdout)["methods"]] == [60, 60]


def test_the_command_draws_the_errors(tmp_path: Path) -> None:
    path, picture = write(tmp_path, 0, 50, 100, 150, 200, 250), tmp_path / "errors.svg"
    options = [path, "--repetitions", "2", "--workers", "1", "--method", "round-robin", "--method", "ring"]
    result = CliRunner().invoke(simulate, [*options, "--svg", str(picture)], catch_exceptions=False)
    assert result.exit_code == 0
    root = ElementTree.fromstring(picture.read_text("utf-8"))
    words = [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"round robin", "ring", "Error of the ratings: 6 players, 360 games, 2 repetitions"} <= set(words)


def test_the_picture_has_the_most_precise_method_on_top_and_every_error() -> None:
    def summary(label: str, rms: float, unsure: float | None, predicted: float) -> Summary:
        return Summary(label, label, 3, rms, unsure, predicted, 0.9, 50.0, 100.0, 10.0, 0.1, 0.0, 100, 100, None)

    found = [
        summary("chain", 65.0, 40.0, 73.0),
        summary("torn", 200.0, None, float("inf")),
        summary("best", 15.2, 0.4, 15.1),
    ]
    picture = error_figure(found, "errors")
    names = [name for name in re.findall(">([a-z]+)</text>", picture) if name in ("chain", "torn", "best")]
    assert names == ["best", "chain", "torn"]
    assert all(f">{number}</text>" in picture for number in ("15.2", "65.0", "200.0"))
    assert not re.search(r'="[^"]*\b(nan|inf)\b', picture)
    assert picture.count("own1") - STYLE.count("own1") == 2, (
        "games that do not connect all players have no predicted error"
    )


def test_a_player_without_elo_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"try\.toml: players 'p2'\.elo: missing") as wrong:
        CliRunner().invoke(simulate, [write(tmp_path, 0, 50, None, 150)], catch_exceptions=False)
    assert "\n" not in str(wrong.value)
    drawn = [write(tmp_path, 0, 50, None, 150, None, None), "--truth", "linear", "--own-method", "--workers", "1"]
    result = CliRunner().invoke(simulate, [*drawn, "--repetitions", "1", "--json"], catch_exceptions=False)
    assert json.loads(result.stdout)["truth"] == "linear"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give a schedule, or --truth"),
        (["--truth", "curve", "--method", "precison-8"], "did you mean"),
        (["--truth", "curve", "--players", "5", "--method", "precision-20"], "not with 5 players"),
        (["FILE", "--truth", "curve", "--players", "5"], "not both"),
        (["FILE", "--noise", "5"], "--noise goes with --truth"),
    ],
)
def test_incompatible_options_give_one_error(tmp_path: Path, arguments: list[str], message: str) -> None:
    given = [write(tmp_path, 0, 1, 2, 3) if word == "FILE" else word for word in arguments]
    with pytest.raises(UsageError, match=message):
        CliRunner().invoke(simulate, given, catch_exceptions=False)
