"""The command `tournament rank`."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import convert, to_builtins

from fiedler.games.openings import Opening
from fiedler.games.result import Result
from fiedler.support import stages
from fiedler.support.console import command_line
from fiedler.support.errors import UsageError
from fiedler.tournament.commands.rank import rank
from fiedler.tournament.game import GameRecord, PlannedGame
from fiedler.tournament.ratings import answer, rate, relative_to, table
from fiedler.tournament.report.pgn import pgn
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.tables import as_csv
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.schedule.schedule import LimitSection, RatingSection, Schedule, Tournament
from tests.tournament.ratings.ratings_cases import Program, case, recorded, results_of, run_of
from tests.tournament.schedules import write_finished

pytestmark = pytest.mark.usefixtures("no_bayeselo")


def games_of(name: str) -> list[tuple[str, str, str]]:
    players = case(name)["players"]
    return [
        (players[first], players[second], outcome)
        for first, second, *counts in case(name)["results"]
        for outcome, count in zip(Result, counts, strict=True)
        for _ in range(count)
    ]


def pgn_of(name: str, folder: Path) -> str:
    return str(write_pgn(folder / f"{name}.pgn", games_of(name)))


def write_pgn(path: Path, games: list[tuple[str, str, str]]) -> Path:
    def quoted(player: str) -> str:
        return player.replace("\\", "\\\\").replace('"', '\\"')

    with path.open("w", encoding="utf-8") as file:
        for white, black, result in games:
            file.write(f'[White "{quoted(white)}"]\n[Black "{quoted(black)}"]\n[Result "{result}"]\n\n{result}\n\n')
    return path


def csv_of(name: str, folder: Path) -> str:
    path = folder / f"{name}.csv"
    path.write_text(
        "white,black,result\n" + "".join(f"{a},{b},{result}\n" for a, b, result in games_of(name)), encoding="utf-8"
    )
    return str(path)


def document(*arguments: str) -> dict[str, Any]:
    shown = CliRunner().invoke(rank, [*arguments, "--json"], catch_exceptions=False)
    assert shown.exit_code == 0
    assert shown.stderr == ""
    found = json.loads(shown.stdout)
    assert isinstance(found, dict)
    return found


def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the one line of a wrong command line, which exits with code 2."""
    monkeypatch.setattr(sys, "argv", ["rank", *arguments])
    with pytest.raises(SystemExit) as end:
        command_line(rank)
    captured = capsys.readouterr()
    assert (end.value.code, captured.out) == (2, "")
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    return captured.err.removeprefix("error: ").strip()


def test_the_text_is_the_table_and_the_answer(tmp_path: Path) -> None:
    shown = CliRunner().invoke(rank, [pgn_of("odd_names", tmp_path)], catch_exceptions=False)
    rating = rate(results_of("odd_names"))
    assert shown.stdout == f"{table(rating)}\n\n{answer(rating, results_of('odd_names')).text}\n"
    assert shown.stderr == ""


def test_json_has_exactly_the_documented_keys(tmp_path: Path) -> None:
    found = document(csv_of("two_players", tmp_path))
    assert list(found) == ["players", "advantage", "draw_elo", "scale", "answer", "warnings"]
    keys = ["name", "elo", "plus", "minus", "games", "score", "opponents", "draws"]
    assert [list(player) for player in found["players"]] == [keys, keys]
    first, second = found["players"]
    assert (first["name"], first["games"], first["score"], first["draws"]) == ("Alpha", 20, 0.525, 0.25)
    assert first["elo"] == pytest.approx(0.925497 * 8.8038, abs=1e-4)
    assert (first["elo"], first["opponents"]) == pytest.approx((-second["elo"], second["elo"]))
    assert (found["advantage"], found["draw_elo"], found["warnings"]) == (32.8, 97.3, [])
    assert found["scale"] == pytest.approx(0.925497, abs=1e-6)


def test_every_option_reaches_the_model(tmp_path: Path) -> None:
    path = csv_of("ring10", tmp_path)
    words = ["--advantage", "fit", "--draw-elo", "fit", "--prior", "10", "--intervals", "covariance", "--imitate"]
    found = document(path, *words)
    parsed = run_of("ring10", "prior_10_mm_1_1")["parsed"]
    assert found["advantage"] == pytest.approx(parsed["advantage"], rel=1e-5)
    assert found["draw_elo"] == pytest.approx(parsed["drawelo"], rel=1e-5)
    elo = recorded(parsed["hires"][0]["elo"])
    wanted = {name: found["scale"] * value for name, value in zip(case("ring10")["players"], elo, strict=True)}
    assert {player["name"]: player["elo"] for player in found["players"]} == pytest.approx(wanted, abs=1e-4)
    assert document(path, "--advantage", "-5.5")["advantage"] == -5.5
    exact = document(path, "--intervals", "exact")["players"][0]
    assert exact["plus"] != exact["minus"]


def test_anchors_and_the_model_reach_the_ratings(tmp_path: Path) -> None:
    path = csv_of("sparse30", tmp_path)
    words = ["--anchor", "Net 01=1500", "--model", "davidson", "--draw-elo", "fit"]
    found = {player["name"]: player["elo"] for player in document(path, *words)["players"]}
    wanted = rate(results_of("sparse30"), anchors={"Net 01": 1500.0}, model="davidson", draw_elo="fit")
    assert found == pytest.approx({player.name: player.elo for player in wanted.players})
    held = document(path, "--anchor", "Net 01=1500", "--anchor", "Net 02=1400")["players"]
    assert {p["name"]: (p["elo"], p["plus"]) for p in held if p["plus"] == 0} == {
        "Net 01": (1500, 0),
        "Net 02": (1400, 0),
    }


def test_differences_to_a_player_are_shown(tmp_path: Path) -> None:
    path = csv_of("disconnected", tmp_path)
    found = {player["name"]: player for player in document(path, "--relative-to", "Oak")["players"]}
    rating = relative_to(rate(results_of("disconnected")), "Oak")
    assert (found["Oak"]["elo"], found["Oak"]["plus"]) == (0, 0)
    assert found["Elm"]["plus"] == pytest.approx(next(p.plus for p in rating.players if p.name == "Elm"))
    assert (found["Red"]["elo"], found["Red"]["minus"]) == (None, None)


def test_players_that_cannot_be_compared_come_last_and_the_los_with_them(tmp_path: Path) -> None:
    path = csv_of("disconnected", tmp_path)
    found = document(path, "--relative-to", "Ash", "--los")
    names = [player["name"] for player in found["players"]]
    assert names[:3] == ["Oak", "Elm", "Ash"]
    assert [player["elo"] for player in found["players"][3:]] == [None] * 6
    plain = document(path, "--los")
    by_rating = [player["name"] for player in plain["players"]]
    assert by_rating[:3] != names[:3]
    for row, name in enumerate(names):
        for column, other in enumerate(names):
            assert found["los"][row][column] == plain["los"][by_rating.index(name)][by_rating.index(other)]


def test_groups_that_never_met_have_no_equilibrium(tmp_path: Path) -> None:
    path = csv_of("disconnected", tmp_path)
    assert document(path, "--fit")["nash"] == []
    assert "unknown, the players fall into groups" in CliRunner().invoke(rank, [path, "--fit"]).stdout
    held = document(path, *(word for name in ("Oak", "Red", "Lone1") for word in ("--anchor", f"{name}=0")), "--fit")
    assert len(held["nash"]) == 9, "anchors make them comparable"


def test_options_add_their_keys_only(tmp_path: Path) -> None:
    path = csv_of("checkpoints100", tmp_path)
    plain = document(path)
    los = document(path, "--los")
    assert list(los) == [*plain, "los"]
    matrix = rate(results_of("checkpoints100")).los()
    assert los["los"][0][1] == pytest.approx(matrix[0, 1])
    assert los["los"][3][3] is None
    found = document(path, "--fit", "--los")
    assert list(found) == [*plain, "los", "fit", "cyclic", "nash"]
    assert {key: found[key] for key in plain} == plain
    assert list(found["fit"]) == ["log_likelihood", "scores", "draws", "models"]
    assert [player["name"] for player in found["nash"]] == [player["name"] for player in plain["players"]]


def test_los_and_fit_are_tables_below_the_ranking(tmp_path: Path) -> None:
    path = csv_of("ring10", tmp_path)
    shown = CliRunner().invoke(rank, [path, "--los", "--fit"], catch_exceptions=False)
    ranking, _, los, scores, draws, models, around, nash = shown.stdout.rstrip("\n").split("\n\n")
    assert ranking == table(rate(results_of("ring10")))
    assert len(los.splitlines()) == 11
    assert los.splitlines()[0].split() == ["LOS", *map(str, range(1, 11))]
    assert scores.splitlines()[0].split() == ["expected", "score", "games", "predicted", "score", "error"]
    assert re.fullmatch(r"chi-square 0\.\d, 1 degree of freedom, p = 0\.\d+", scores.splitlines()[-1])
    assert draws.startswith("expected draws")
    assert models.splitlines()[0].split() == [
        "model,",
        "fitted",
        "advantage",
        "draw",
        "Elo",
        "log-likelihood",
        "behind",
    ]
    assert around.startswith("cyclic part: ")
    assert "1 degree of freedom" in around
    assert nash.splitlines()[1].split()[-1] == "50.0%"


def test_a_run_of_pairs_shows_their_errors(tmp_path: Path) -> None:
    make_run(tmp_path / "paired", games_of("two_players"))
    found = document(str(tmp_path / "paired"), "--fit")["fit"]["pairs"]
    assert found["pairs"] * 2 + found["single"] == 20
    assert sum(found["pentanomial"]) == found["pairs"] > 0
    shown = CliRunner().invoke(rank, [str(tmp_path / "paired"), "--fit"], catch_exceptions=False)
    assert f"{found['pairs']} pairs of an opening, " in shown.stdout


def test_an_unknown_number_is_null_with_a_warning(tmp_path: Path) -> None:
    found = document(csv_of("disconnected", tmp_path), "--imitate")
    assert {player["plus"] for player in found["players"]} == {None}
    assert "3 groups that never met" in found["warnings"][0]
    shown = CliRunner().invoke(rank, [csv_of("disconnected", tmp_path)], catch_exceptions=False)
    assert shown.stderr.startswith("warning: the players fall into 3 groups")


def test_skipped_games_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    path.write_text("white,black,result\na,b,1-0\nb,a,*\na,b,0-1\nb,a,1/2-1/2\n", encoding="utf-8")
    found = document(str(path))
    assert found["warnings"] == [f"{path}: 1 game left out: unfinished (line 3)"]
    assert found["left_out"] == [{"file": str(path), "line": 3, "reason": "unfinished", "games": 1}]
    shown = CliRunner().invoke(rank, [str(path)], catch_exceptions=False)
    assert f"warning: {path}: 1 game left out: unfinished (line 3)\n" in shown.stderr


def make_run(
    folder: Path,
    games: list[tuple[str, str, str]],
    unplayed: int = 0,
    rating: RatingSection | None = None,
    started: str = "2026-01-01T00:00:00.000+00:00",
) -> None:
    folder.mkdir(parents=True)
    planned = [
        PlannedGame(f"{folder.name} {n}", n, first, second, ()) for n, (first, second, _) in enumerate(games, start=1)
    ]
    results = [Result(result) for _, _, result in games]
    rest: tuple[Any, ...] = ("adjudication", "", started, started, 0.1, 0.1)
    records = [
        GameRecord(one.id, one.number, one.first, one.second, (), (f"e{one.number}",), result, *rest)
        for one, result in zip(planned, results, strict=True)
    ]
    journal = Journal.open(folder)
    table, limit = Tournament(name=folder.name, game="uttt"), LimitSection(nodes=1)
    schedule = Schedule(tournament=table, limit=limit, rating=rating or RatingSection(), players=())
    meta = {"name": folder.name, "game": "uttt", "schedule": to_builtins(schedule)}
    journal.record_start(meta, {name: {} for game in planned for name in (game.first, game.second)})
    journal.record_step("", "", {}, [Opening()], planned)
    write_finished(journal, *records[: len(records) - unplayed])
    journal.close()


def test_a_run_is_ranked_by_folder_and_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path / "results" / "first", games_of("unbalanced_colours"))
    found = document(str(tmp_path / "results" / "first"), "--imitate", "--intervals", "variance")
    rows = run_of("unbalanced_colours", "mm")["parsed"]["ratings"][0]["rows"]
    assert [round(player["elo"]) for player in found["players"]] == [row[2] for row in rows]
    monkeypatch.chdir(tmp_path)
    assert document("first", "--imitate", "--intervals", "variance") == found
    for name in ("v1.2", "first.old-1", "games.csv"):
        (tmp_path / "results" / "first").rename(tmp_path / "results" / name)
        assert document(name, "--imitate", "--intervals", "variance") == found
        (tmp_path / "results" / name).rename(tmp_path / "results" / "first")


def test_a_run_is_ranked_by_the_section_of_its_schedule(tmp_path: Path) -> None:
    options = {"advantage": 12.0, "draw_elo": "fit", "prior": 5.0, "imitate": True}
    make_run(tmp_path / "runs" / "first", games_of("ring10"), rating=convert(options, RatingSection))
    name = ["first", "--results", str(tmp_path / "runs")]
    words = ["--advantage", "12", "--draw-elo", "fit", "--prior", "5", "--imitate"]
    assert document(*name) == document(csv_of("ring10", tmp_path), *words)
    plain = ["--advantage", "32.8", "--draw-elo", "97.3", "--prior", "2", "--no-imitate"]
    assert document(*name, *plain) == document(csv_of("ring10", tmp_path))
    options = {"model": "davidson", "anchor": {"Ring03": 2000.0, "not yet": 1.0}}
    make_run(tmp_path / "runs" / "second", games_of("ring10"), rating=convert(options, RatingSection))
    name = ["second", "--results", str(tmp_path / "runs")]
    words = ["--model", "davidson", "--anchor", "Ring03=2000"]
    assert document(*name) == document(csv_of("ring10", tmp_path), *words)
    plain = ["--model", "bayeselo", "--anchor", "Ring04=10"]
    assert document(*name, *plain) == document(csv_of("ring10", tmp_path), "--anchor", "Ring04=10")


def test_several_sources_are_ranked_together(tmp_path: Path) -> None:
    everything = games_of("odd_names")
    make_run(tmp_path / "first", everything[:20], rating=convert({"prior": 3.0}, RatingSection))
    make_run(tmp_path / "second", everything[20:40], rating=convert({"prior": 4.0}, RatingSection))
    rest = write_pgn(tmp_path / "rest.pgn", everything[40:])
    found = document(str(tmp_path / "first"), str(tmp_path / "second"), str(rest), "--los")
    assert found == document(pgn_of("odd_names", tmp_path), "--prior", "3", "--los")
    both = document(str(tmp_path / "first"), str(tmp_path / "second"), "--fit")
    make_run(tmp_path / "whole", everything[:40], rating=convert({"prior": 3.0}, RatingSection))
    assert both == document(str(tmp_path / "whole"), "--fit")


def test_a_source_that_is_named_twice_is_refused(tmp_path: Path) -> None:
    make_run(tmp_path / "run", [("a", "b", "1-0"), ("b", "a", "1-0")])
    words = [str(tmp_path / "run"), "run", "--results", str(tmp_path)]
    with pytest.raises(UsageError, match=r"run: expected every run and file once, got .*run twice"):
        CliRunner().invoke(rank, words, catch_exceptions=False)


GAMES = [("a", "b", "1-0"), ("b", "a", "1-0"), ("a", "b", "1/2-1/2")]


def twice(one: Path, other: Path) -> str:
    """Return the complaint about two sources with the same games; exit code 2."""
    with pytest.raises(UsageError) as refused:
        CliRunner().invoke(rank, [str(one), str(other)], catch_exceptions=False)
    return str(refused.value).removeprefix(f"{other}: expected every run and file once, ")


def test_a_run_and_its_games_in_a_file_count_once(tmp_path: Path) -> None:
    run, exported = tmp_path / "run", tmp_path / "games.pgn"
    make_run(run, GAMES, started="2026-05-04T03:02:01.000+00:00")
    games = [*pgn(Run.read(run))]
    exported.write_text("".join(games), "utf-8")
    assert twice(run, exported) == f"got 3 games of {run} again"
    assert twice(exported, run) == f"got 3 games of {exported} again"
    exported.write_text(games[1] + "".join(games[:1]).replace("03:02:01", "03:02:02"), "utf-8")
    assert twice(run, exported) == f"got 1 game of {run} again", "another time is another game"
    shutil.copytree(run, tmp_path / "copy")
    assert twice(run, tmp_path / "copy") == f"got 3 games of {run} again"


def test_games_that_a_file_has_again_give_a_warning(tmp_path: Path) -> None:
    run, exported = tmp_path / "run", tmp_path / "games.pgn"
    make_run(run, GAMES, started="2026-05-04T03:02:01.000+00:00")
    games = [*pgn(Run.read(run))]
    exported.write_text("".join(games), "utf-8")
    assert document(str(exported))["warnings"] == document(str(run))["warnings"]
    exported.write_text("".join([*games, games[1], games[0].replace("03:02:01", "03:02:02"), games[1]]), "utf-8")
    again = f"{exported}: 2 games again, by GameId, UTCDate and UTCTime: each counts every time"
    assert again in document(str(exported))["warnings"]


def test_the_same_games_under_another_name_count_once(tmp_path: Path) -> None:
    make_run(tmp_path / "run", GAMES)
    (tmp_path / "link").symlink_to(tmp_path / "run")
    assert twice(tmp_path / "run", tmp_path / "link") == f"got {tmp_path / 'run'} twice"
    file = write_pgn(tmp_path / "games.pgn", GAMES)
    (tmp_path / "hard.pgn").hardlink_to(file)
    assert twice(file, tmp_path / "hard.pgn") == f"got {file} twice"
    shutil.copy(file, tmp_path / "copy.pgn")
    assert twice(file, tmp_path / "copy.pgn") == f"got the content of {file} again"


def test_a_run_and_a_table_with_its_results_give_a_warning(tmp_path: Path) -> None:
    make_run(tmp_path / "run", GAMES)
    table = tmp_path / "run.csv"
    table.write_text("".join(as_csv(Run.read(tmp_path / "run"))), "utf-8")
    shown = CliRunner().invoke(rank, [str(tmp_path / "run"), str(table)], catch_exceptions=False)
    assert f"{tmp_path / 'run'} and {table} have the same results: if these are the same games, name" in shown.stderr
    table.write_text(table.read_text("utf-8") + "a,b,1-0\n", "utf-8")
    shown = CliRunner().invoke(rank, [str(tmp_path / "run"), str(table)], catch_exceptions=False)
    assert "same" not in shown.stderr


@pytest.mark.parametrize(
    ("one", "other", "spelled"),
    [
        ("Jos\u00e9", "Jose\u0301", "'Jos\u00e9' ('Jos\\xe9') and 'Jose\u0301' ('Jose\\u0301')"),
        ("Ada B", "Ada\u00a0B", r"'Ada B' and 'Ada\xa0B'"),
        ("Bo", " Bo", "'Bo' and ' Bo'"),
        ("Bo", "B\u200bo", r"'Bo' and 'B\u200bo'"),
    ],
)
def test_names_that_look_alike_give_a_warning(one: str, other: str, spelled: str, tmp_path: Path) -> None:
    file = write_pgn(tmp_path / "games.pgn", [(one, "c", "1-0"), ("c", other, "1-0")])
    shown = CliRunner().invoke(rank, [str(file)], catch_exceptions=False)
    assert f"warning: names that look alike are different players: {spelled}\n" in shown.stderr
    file = write_pgn(tmp_path / "games.pgn", [(one, "c", "1-0"), ("c", one.upper(), "1-0")])
    assert "alike" not in CliRunner().invoke(rank, [str(file)], catch_exceptions=False).stderr


def test_every_reader_says_what_it_left_out(tmp_path: Path) -> None:
    games = write_pgn(tmp_path / "games.pgn", [*GAMES, ("", "b", "1-0"), ("a", "", "1-0"), ("?", "b", "0-1")])
    table = tmp_path / "games.csv"
    table.write_text("white,black,result\na,b,1-0\na,b,*\nb,a,0-1\nb,a,*\n", "utf-8")
    shown = CliRunner().invoke(rank, [str(games), str(table), "--json"], catch_exceptions=False)
    left_out = [
        {"file": str(games), "line": 19, "reason": "the name of White is empty", "games": 1},
        {"file": str(games), "line": 25, "reason": "the name of Black is empty", "games": 1},
        {"file": str(games), "line": 31, "reason": "the name of White is unknown (?)", "games": 1},
        {"file": str(table), "line": 3, "reason": "unfinished", "games": 2},
    ]
    found = json.loads(shown.stdout)
    assert found["left_out"] == left_out
    assert f"{table}: 2 games left out: unfinished (lines 3, 5)" in found["warnings"]
    assert sum(player["games"] for player in found["players"]) == 2 * 5


def test_an_unfinished_run_is_called_preliminary(tmp_path: Path) -> None:
    make_run(tmp_path / "begun", [("a", "b", "1-0"), ("b", "a", "1-0"), ("a", "b", "1-0")], unplayed=1)
    shown = CliRunner().invoke(rank, [str(tmp_path / "begun")], catch_exceptions=False)
    preliminary = "preliminary: 1 of 3 games is not finished"
    assert f"warning: {preliminary}\n" in shown.stderr
    make_run(tmp_path / "other", [("a", "b", "1-0")])
    both = CliRunner().invoke(rank, [str(tmp_path / "begun"), str(tmp_path / "other")], catch_exceptions=False)
    assert f"warning: {tmp_path / 'begun'}: {preliminary}\n" in both.stderr


def test_a_wrong_source_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path / "idle", [("a", "b", "1-0")], unplayed=1)
    (tmp_path / "empty").mkdir()
    (tmp_path / "games.txt").write_text("", encoding="utf-8")
    for name, complaint in (
        ("idle", "expected a run with at least one finished game"),
        ("empty", "no run"),
        ("gone", "no run"),
        ("gone.pgn", "cannot be read: no such file or directory"),
        ("games.txt", "expected a run folder or a file ending in .pgn or .csv"),
    ):
        assert complaint in refused(monkeypatch, capsys, str(tmp_path / name))


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--advantage", "much"], "'--advantage': expected a number of Elo or 'fit', got 'much'"),
        (["--advantage", "nan"], "'--advantage': expected a number of Elo or 'fit', got 'nan'"),
        (["--draw-elo", "fitt"], "'--draw-elo': expected a number of Elo or 'fit', got 'fitt'"),
        (["--draw-elo", "0"], "draw_elo: expected 'fit' or a number of Elo above 0 (0.01 if no game can be drawn)"),
        (["--prior", "-2"], "prior: expected a number of virtual draws, 0 or more, got -2.0"),
        (["--intervals", "wide"], "'wide' is not one of 'covariance', 'variance', 'exact'"),
        (["--backend", "other"], "'other' is not one of 'builtin', 'bayeselo'"),
        (["--model", "elo"], "'elo' is not one of 'bayeselo', 'davidson'"),
        (["--model", "davidson", "--imitate"], "imitate: expected the model bayeselo"),
        (["--model", "davidson", "--backend", "bayeselo"], "model: expected 'bayeselo', the only model of the"),
        (["--anchor", "Alpha"], "'--anchor': expected NAME=ELO, got 'Alpha'"),
        (["--anchor", "Alpha=much"], "'--anchor': expected NAME=ELO, got 'Alpha=much'"),
        (["--anchor", "nobody=1"], "anchor 'nobody': expected the name of a player with games"),
        (["--anchor", "Alpha=1", "--anchor", "Beta=2", "--imitate"], "anchors: expected at most one with imitate"),
        (["--anchor", "Alpha=1", "--anchor", "Alpha=2"], "--anchor Alpha: expected one rating, got 1 and 2"),
        (["--anchor", "Alfa=1"], "anchor 'Alfa': expected the name of a player with games; did you mean 'Alpha'?"),
        (["--relative-to", "nobody"], "relative to 'nobody': expected the name of a player"),
        (["--relative-to", "beta"], "relative to 'beta': expected the name of a player; did you mean 'Beta'?"),
        (["--backend", "bayeselo"], "the program bayeselo was not found"),
        (["--bayeselo", "/nowhere/bayeselo"], "/nowhere/bayeselo: expected the program bayeselo"),
    ],
)
def test_wrong_options_are_refused(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert complaint in refused(monkeypatch, capsys, csv_of("two_players", tmp_path), *words)


@pytest.mark.programs
def test_the_original_program_can_be_the_backend(tmp_path: Path, replayer: Callable[[str], Path]) -> None:
    program = str(replayer("sparse30"))
    found = document(csv_of("sparse30", tmp_path), "--backend", "bayeselo", "--bayeselo", program)
    parsed = run_of("sparse30", "mm_covariance")["parsed"]
    by_name = {player["name"]: player for player in found["players"]}
    for place, name in enumerate(case("sparse30")["players"]):
        assert by_name[name]["elo"] == pytest.approx(found["scale"] * parsed["hires"][0]["elo"][place], abs=1e-4)
        assert by_name[name]["plus"] == pytest.approx(found["scale"] * parsed["hires"][0]["plus"][place], abs=1e-4)


@pytest.mark.programs
def test_the_builtin_backend_is_compared_with_the_original(
    tmp_path: Path, replayer: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYESELO", str(replayer("disconnected")))
    shown = CliRunner().invoke(rank, [csv_of("disconnected", tmp_path), "--json"], catch_exceptions=False)
    assert shown.exit_code == 0
    json.loads(shown.stdout)
    lines = shown.stderr.splitlines()
    assert len(lines) == 9
    assert all(line.startswith("difference: '") for line in lines), "groups have other offsets"
    agreeing = CliRunner().invoke(rank, [csv_of("ring10", tmp_path), "--bayeselo", str(replayer("ring10"))])
    assert (agreeing.exit_code, agreeing.stderr) == (0, "")


@pytest.mark.programs
def test_a_failing_comparison_is_only_a_warning(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = csv_of("two_players", tmp_path)
    monkeypatch.setenv("BAYESELO", str(program("bayeselo_misbehaving", "dies")))
    shown = CliRunner().invoke(rank, [path], catch_exceptions=False)
    assert shown.exit_code == 0
    assert shown.stderr.startswith("warning: no comparison with the original program: ")
    monkeypatch.setenv("BAYESELO", str(tmp_path / "gone"))
    assert CliRunner().invoke(rank, [path], catch_exceptions=False).exit_code == 0


def test_a_long_ranking_shows_its_progress_on_a_terminal_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = csv_of("ring10", tmp_path)
    monkeypatch.setattr("fiedler.tournament.commands.rank.PATIENCE_S", 0.0)
    quiet = CliRunner().invoke(rank, [file, "--intervals", "exact"], catch_exceptions=False)
    assert quiet.stderr == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    begun: list[tuple[str, int | None]] = []
    begin = stages.begin

    def noted(what: str, steps: int | None = None) -> None:
        begun.append((what, steps))
        begin(what, steps)

    monkeypatch.setattr(stages, "begin", noted)
    shown = CliRunner().invoke(rank, [file, "--intervals", "exact"], catch_exceptions=False)
    assert begun[:2] == [("most likely ratings", 8), ("exact intervals", 10)]
    assert shown.stdout == quiet.stdout
    assert "\x1b[?25l" in shown.stderr, "a live display has started"
    monkeypatch.setattr("fiedler.tournament.commands.rank.PATIENCE_S", 600.0)
    assert CliRunner().invoke(rank, [file], catch_exceptions=False).stderr == ""


@pytest.mark.slow
def test_tables_of_pairs_are_left_out_for_thousands_of_players(tmp_path: Path) -> None:
    file = tmp_path / "many.csv"
    pairs = [(one, (one + step) % 2001, result) for one in range(2001) for step, result in ((1, "1-0"), (7, "0-1"))]
    games = "".join(f"net-{one},net-{other},{result}\n" for one, other, result in pairs)
    file.write_text(f"white,black,result\n{games}", encoding="utf-8")
    shown = CliRunner().invoke(rank, [str(file), "--intervals", "variance", "--los", "--fit"], catch_exceptions=False)
    assert "warning: --los and --fit left out: expected at most 2,000 players, got 2,001\n" in shown.stderr
    assert "P(best) of 2,001 players needs their covariance" in shown.stdout
    assert "LOS" not in shown.stdout
