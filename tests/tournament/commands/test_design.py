"""The command `tournament design`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.support.errors import UsageError
from fiedler.tournament.commands.design import design as command
from fiedler.tournament.commands.run import run as run_command
from fiedler.tournament.graph import design

INFORMED = ["informed_lambda2", "informed_lambda2_bound"]
FIGURES = [*INFORMED, "lambda2", "lambda2_bound", "rms", "rms_bound", "rms_precision", "seconds"]
KEYS = ["names", "edges", "games", "criterion", *FIGURES]
SCHEDULE = """
[tournament]
name = "try"
game = "uttt"
games_per_pair = 8
seed = 5
[limit]
nodes = 100
[pairing]
pairs = 7
required = [["ann", "bob"]]
[[players]]
name = "ann"
player = "random"
elo = 100.0
[[players]]
name = "bob"
player = "random"
[[players]]
name = "cyd"
player = "osp"
[[players]]
name = "dee"
player = "hsp"
[[players]]
name = "eve"
player = "hsp"
"""


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_has_the_documented_keys() -> None:
    document = json.loads(run("--players", "10", "--pairs", "15", "--json"))
    assert sorted(document) == sorted(KEYS)
    assert document["lambda2"] == pytest.approx(2.0)  # the Petersen graph
    assert len(document["edges"]) == 15
    assert all(i < j for i, j in document["edges"])
    assert document["names"][0] == "player-1"


def test_options_reach_the_design() -> None:
    options = ("--criterion", "precision", "--degree-cap", "none", "--seed", "7")
    document = json.loads(run("--players", "8", "--pairs", "9", *options, "--json"))
    wanted = design(8, 9, criterion="precision", degree_cap="none", seed=7)
    assert [tuple(edge) for edge in document["edges"]] == list(wanted.edges)
    assert document["criterion"] == "precision"


def test_games_are_spread_freely_under_precision() -> None:
    document = json.loads(run("--players", "8", "--games", "100", "--criterion", "precision", "--json"))
    assert sum(document["games"]) == 100
    assert len(document["games"]) == len(document["edges"])
    assert {games % 2 for games in document["games"]} == {0}
    capped = json.loads(run("--players", "8", "--games", "40", "--json"))
    assert capped["games"] == [2] * 20


def test_the_games_that_an_error_needs_are_printed() -> None:
    options = ("--players", "8", "--pairs", "12", "--error", "15")
    needed = json.loads(run(*options, "--json"))["needed"]
    for wanted, error in (("rms", 15.0), ("interval", 15.0 / 1.96)):
        games = needed[wanted]["per_pair"]
        assert needed[wanted]["total"] == 12 * games
        assert needed[wanted]["rms"] == pytest.approx(design(8, 12, games_per_pair=games).rms)
        assert design(8, 12, games_per_pair=games).rms <= error < design(8, 12, games_per_pair=games - 2).rms
    text = run(*options)
    assert f"an RMS error of 15 Elo: {needed['rms']['per_pair']} games per pair" in text
    assert f"95 % intervals of ± 15 Elo on average: {needed['interval']['per_pair']} games per pair" in text
    assert "not reached" in run(*options, "--style-sd", "100")


def test_with_only_an_error_all_pairs_meet() -> None:
    text = run("--players", "6", "--error", "40")
    assert text.startswith("6 players, 15 pairs (connectivity)")
    assert text == run("--players", "6", "--pairs", "15", "--error", "40")


@pytest.mark.slow
def test_small_errors_have_three_digits_and_each_limit_its_message() -> None:
    options = ("--players", "12", "--pairs", "24", "--error")
    tiny = run(*options, "0.01")
    assert "(RMS error 0.01, 95 % intervals ± 0.0196)" in tiny
    assert "an RMS error of 0.001 Elo: more than 1000000000 games per pair" in run(*options, "0.001")
    assert json.loads(run(*options, "0.001", "--json"))["needed"]["rms"]["more_than"] == 10**9
    styled = json.loads(run(*options, "5", "--style-sd", "30", "--json"))["needed"]["rms"]
    assert styled["more_than"] is None
    assert styled["rms"] == pytest.approx(14.7, abs=0.1)  # the error of styles of 30 Elo
    assert "not reached with any number of games" in run(*options, "5", "--style-sd", "30")


@pytest.mark.slow
def test_a_budget_of_games_is_spent() -> None:
    text = run("--players", "20", "--games", "5701")
    assert "with 30 games per pair" in text
    assert "5700 of the 5701 games are spent: 30 by each pair" in text
    assert "of the 5700" not in run("--players", "20", "--games", "5700")
    capped = json.loads(run("--players", "20", "--games", "6000", "--degree-cap", "4", "--json"))
    assert capped["games"] == [150] * 40
    fewer = json.loads(run("--players", "20", "--games", "700", "--json"))
    assert fewer["games"] == [4] * 175
    each = json.loads(run("--players", "20", "--games", "401", "--games-per-pair", "8", "--json"))
    assert each["games"] == [8] * 50
    with pytest.raises(UsageError, match="expected an even number"):
        run("--players", "20", "--pairs", "40", "--games-per-pair", "3")


def test_the_advice_is_the_error_of_precision_with_the_same_games() -> None:
    options = ("--players", "20", "--degree-cap", "none", "--games-per-pair", "10", "--json")
    plain = json.loads(run(*options, "--games", "360"))
    precise = json.loads(run(*options, "--pairs", "36", "--criterion", "precision"))
    assert sum(plain["games"]) == sum(precise["games"]) == 360
    assert plain["rms_precision"] == pytest.approx(precise["rms"], rel=0.02)


def test_unspent_games_of_a_schedule_are_printed(tmp_path: Path) -> None:
    path = tmp_path / "try.toml"
    path.write_text(SCHEDULE.replace("pairs = 7", "games = 100"), encoding="utf-8")
    assert "80 of the 100 games are spent: 8 by each pair" in run(str(path))
    assert "100 of the" not in run(str(path), "--games-per-pair", "10")


@pytest.mark.programs
def test_free_games_are_printed_pair_by_pair(tmp_path: Path) -> None:
    path = tmp_path / "try.toml"
    free = SCHEDULE.replace("pairs = 7", 'games = 120\ncriterion = "precision"').replace(
        'player = "osp"', 'player = "osp"\nelo = 900.0'
    )
    path.write_text(free, encoding="utf-8")
    made = json.loads(run(str(path), "--json"))
    assert len(set(made["games"])) > 1
    lines = run(str(path)).splitlines()
    dry = CliRunner().invoke(run_command, [str(path), "--dry-run", "--results", str(tmp_path)], catch_exceptions=False)
    for (i, j), games in zip(made["edges"], made["games"], strict=True):
        first, second = made["names"][i], made["names"][j]
        assert any(line.startswith(f"  {first}  ") and f"{second} × {games}" in line for line in lines)
        assert any(line.startswith(f"  {second}  ") and f"{first} × {games}" in line for line in lines)
        assert f"  {first} - {second}: {games} games\n" in dry.output


def test_connectivity_of_rated_players_names_its_objective(tmp_path: Path) -> None:
    path = tmp_path / "try.toml"
    path.write_text(SCHEDULE.replace('player = "osp"', 'player = "osp"\nelo = 900.0'), encoding="utf-8")
    made = json.loads(run(str(path), "--json"))
    assert 0 < made["informed_lambda2"] <= made["informed_lambda2_bound"]
    text = run(str(path))
    assert f"standard error of at most {(2 / made['informed_lambda2']) ** 0.5:.1f} Elo" in text
    assert "not maximised here" in text


def test_style_for_too_many_players_is_refused_with_file_and_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["fiedler.tournament.graph.design_options"], "MANY", 4)
    path = tmp_path / "try.toml"
    path.write_text(SCHEDULE.replace("pairs = 7", "pairs = 7\nstyle_sd = 20"), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        run(str(path))
    assert str(caught.value) == f"{path}: pairing: style_sd: expected at most 4 players, got 5"


def test_the_progress_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    options = ("--players", "6", "--pairs", "9")
    quiet = CliRunner().invoke(command, options)
    assert quiet.stderr == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    shown = CliRunner().invoke(command, options)
    assert "search for connectivity" in shown.stderr
    assert shown.stdout == quiet.stdout


def test_the_graph_is_drawn(tmp_path: Path) -> None:
    run("--players", "9", "--pairs", "18", "--svg", str(tmp_path / "alike.svg"))
    assert "player-9" in (tmp_path / "alike.svg").read_text(encoding="utf-8")
    path = tmp_path / "try.toml"
    path.write_text(SCHEDULE.replace('name = "cyd"', 'name = "cyd"\nelo = -300.0'), encoding="utf-8")
    run(str(path), "--svg", str(tmp_path / "rated.svg"))
    assert "believed before" in (tmp_path / "rated.svg").read_text(encoding="utf-8")


def test_the_opponents_of_many_players_are_shortened() -> None:
    lines = run("--players", "14", "--pairs", "21").splitlines()
    opponents = lines[lines.index("opponents:") + 1 :]
    assert len(opponents) == 13
    assert opponents[-1] == "  … and 2 more: --json has all pairs, --svg draws them"
    assert len(json.loads(run("--players", "14", "--pairs", "21", "--json"))["edges"]) == 21


def test_a_design_of_a_schedule_has_its_time(tmp_path: Path) -> None:
    path = tmp_path / "try.toml"
    path.write_text(SCHEDULE, encoding="utf-8")
    document = json.loads(run(str(path), "--json"))
    assert f"\ntime: {document['duration']}\n" in run(str(path))
    assert "duration" not in json.loads(run("--players", "6", "--pairs", "9", "--json"))


@pytest.mark.parametrize(
    ("method", "why"),
    [
        ('method = "adaptive"\ngames = 100', "'adaptive': it chooses its pairs from the results"),
        ('method = "round-robin"', "'round-robin': its pairs are fixed"),
    ],
)
def test_a_method_that_is_not_designed_names_the_commands_to_use(tmp_path: Path, method: str, why: str) -> None:
    path = tmp_path / "try it.toml"
    path.write_text(SCHEDULE.replace('pairs = 7\nrequired = [["ann", "bob"]]', method), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        run(str(path))
    message = str(caught.value)
    assert f"expected 'meeting-graph', got {why}; " in message
    assert f"`tournament run '{path}' --dry-run`" in message
    assert f"`tournament simulate '{path}' --truth curve`" in message


def test_text_names_all_opponents_of_every_player_and_the_figures() -> None:
    text = run("--players", "6", "--pairs", "9")
    assert "6 players, 9 pairs (connectivity): 6 of degree 3" in text
    assert "λ2 = 3.0000: 100 % of the bound 3.0000" in text
    assert "with 2 games per pair" in text
    *_, opponents = text.partition("\nopponents:\n")
    meets = {line.split()[0]: set(line.split(maxsplit=1)[1].split(", ")) for line in opponents.splitlines()}
    assert list(meets) == [f"player-{number}" for number in range(1, 7)]
    assert all(len(others) == 3 for others in meets.values())
    assert all(one in meets[other] for one, others in meets.items() for other in others)
    assert "95 % intervals ±" in text
    assert "% less" not in text


def test_the_text_has_a_large_gain_of_precision() -> None:
    assert "% less" in run("--players", "20", "--pairs", "36", "--degree-cap", "none")


def test_a_schedule_is_designed_with_its_names(tmp_path: Path) -> None:
    path = tmp_path / "try.toml"
    path.write_text(SCHEDULE, encoding="utf-8")
    document = json.loads(run(str(path), "--json"))
    assert document["names"] == ["ann", "bob", "cyd", "dee", "eve"]
    assert len(document["edges"]) == 7
    assert [0, 1] in document["edges"]
    assert len(json.loads(run(str(path), "--pairs", "10", "--json"))["edges"]) == 10
    assert "with 8 games per pair" in run(str(path))


def test_the_style_of_a_schedule_spreads_the_games_unless_overridden(tmp_path: Path) -> None:
    path, free = tmp_path / "try.toml", 'games = 4000\ncriterion = "precision"\n'
    wide = SCHEDULE.replace('player = "osp"', 'player = "osp"\nelo = 900.0').replace("100.0", "500.0")
    path.write_text(wide.replace("pairs = 7\n", free), encoding="utf-8")
    plain = json.loads(run(str(path), "--json"))
    path.write_text(wide.replace("pairs = 7\n", f"{free}style_sd = 60\n"), encoding="utf-8")
    styled = json.loads(run(str(path), "--json"))
    assert styled["rms"] > 1.5 * plain["rms"]
    assert max(styled["games"]) < max(plain["games"])
    assert json.loads(run(str(path), "--style-sd", "0", "--json"))["games"] == plain["games"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--players", "5"],
            "give --pairs M, --games N, or --error ELO, for which all pairs of at most 200 players meet",
        ),
        (["--players", "201", "--error", "9"], "all pairs of at most 200 players meet"),
        ([], "--players with --pairs, --games or --error"),
        (["--players", "5", "--pairs", "3"], "3 pairs cannot connect 5 players: at least 4 are needed"),
        (["x.toml", "--players", "5"], "not both"),
        (["--players", "5", "--pairs", "6", "--games", "9"], "not both"),
        (["--players", "1000000", "--pairs", "2000000"], "at most 20000 players"),
        (["--players", "3000", "--pairs", "3000000"], "at most 2000000 pairs"),
        (["--players", "9", "--games", "99999999999", "--criterion", "precision"], "at most 2000000 games"),
        (["--players", "5", "--games", "1"], "games must be at least 2"),
        (["--players", "5", "--games", "4", "--criterion", "precision"], "4 games do not connect|cannot connect"),
    ],
)
def test_an_impossible_design_is_refused_in_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("words", [["--error", "nan"], ["--error", "inf"], ["--error", "0"], ["--style-sd", "1e300"]])
def test_a_number_out_of_range_is_refused_as_elo(words: list[str]) -> None:
    result = CliRunner().invoke(command, ["--players", "5", "--pairs", "5", *words])
    assert result.exit_code == 2
    assert "Invalid value" in result.output


def test_a_wrong_degree_cap_is_refused() -> None:
    result = CliRunner().invoke(command, ["--players", "5", "--pairs", "5", "--degree-cap", "nothing"])
    assert result.exit_code == 2
    assert "near-equal, none or a whole number" in result.output
