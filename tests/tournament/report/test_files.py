"""The files that are derived from a run's store."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import networkx
import pytest
from markupsafe import escape

from fiedler.games.result import Result
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.files import remove, write_whole
from fiedler.tournament.game import GameRecord
from fiedler.tournament.ratings.files import read_results
from fiedler.tournament.report import write_report
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.page import page
from fiedler.tournament.report.ranking import rank
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.statistics import crosstable, tally
from fiedler.tournament.report.writing import write_graph
from fiedler.tournament.schedule.schedule import GoalRule, Pairing, RatingSection
from fiedler.tournament.termination import FAILURES, Termination
from tests.tournament.report.made_runs import make_cluster_run, make_idle_run, make_run

NAMES = ["ada", "bo <b>&amp;", 'c "quoted" \\ $x_1$', "dáša 棋", "e" * 64, "f"]
DERIVED = {
    "games.pgn",
    "ranking.txt",
    "ranking.json",
    "failures.json",
    "ratings.svg",
    "crosstable.svg",
    "meeting-graph.svg",
    "report.html",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_run(tmp_path_factory.mktemp("run") / "trial", NAMES, pairs=9, games_per_pair=6)
    write_report(made)
    return made


def test_all_files_are_there_and_nothing_temporary(folder: Path) -> None:
    found = {path.name for path in folder.iterdir() if not path.name.startswith("run.sqlite")}
    assert found == DERIVED | {"figures"}
    names = {"ratings", "crosstable", "meeting-graph", "los", "fit", "first-moves", "second-moves"}
    wanted = {f"{name}.{kind}" for name in names for kind in ("svg", "csv", "json")}
    assert {path.name for path in (folder / "figures").iterdir()} == wanted


def test_figures_that_a_run_no_longer_has_are_removed_and_nothing_else(folder: Path) -> None:
    figures = folder / "figures"
    now = {path.name for path in figures.iterdir()}
    earlier = {f"{name}.{kind}" for name in ("sprt", "curve") for kind in ("svg", "csv", "json")}
    foreign = {"notes.svg", "curve.png", "sprt.svg.orig", "ratings-old.csv"}
    assert not now & earlier
    for name in earlier | foreign:
        (figures / name).write_text("from before", encoding="utf-8")
    (figures / "los.d").mkdir()
    write_report(folder)
    assert {path.name for path in figures.iterdir()} == now | foreign | {"los.d"}
    assert all((figures / name).read_text("utf-8") == "from before" for name in foreign)
    for name in foreign:
        (figures / name).unlink()
    (figures / "los.d").rmdir()


def test_the_meeting_graph_is_written_for_other_programs(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "graph.xml"
    write_graph(folder, path)
    graph = networkx.read_graphml(path)
    players = json.loads((folder / "ranking.json").read_text("utf-8"))["players"]
    assert [(name, round(node["elo"])) for name, node in graph.nodes(data=True)] == [
        (player["name"], round(player["elo"])) for player in players
    ]
    assert graph.number_of_edges() == 9
    for one, other, edge in graph.edges(data=True):
        assert edge["of"] in (one, other)
        assert edge["games"] == edge["wins"] + edge["draws"] + edge["losses"] == 6
        assert edge["score"] == (edge["wins"] + edge["draws"] / 2) / 6
        assert 0 < edge["information"] < 6 * 2e-5


def test_a_figure_that_cannot_be_removed_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "curve.svg"
    remove(path)
    path.write_text("from before", encoding="utf-8")
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(WorkError, match=r"curve\.svg: cannot be removed: permission denied"):
        remove(path)


def test_the_same_store_gives_the_same_bytes(folder: Path) -> None:
    before = {name: (folder / name).read_bytes() for name in DERIVED}
    write_report(folder)
    assert {name: (folder / name).read_bytes() for name in DERIVED} == before


def test_names_that_look_alike_are_a_warning_of_the_ranking(tmp_path: Path) -> None:
    made = make_run(tmp_path / "run", ["Jos\u00e9", "Jose\u0301"])
    assert sum("look alike" in warning for warning in rank(Run.read(made)).warnings) == 1


def test_ranking_files_agree(folder: Path) -> None:
    document = json.loads((folder / "ranking.json").read_text("utf-8"))
    assert set(document) == {"players", "advantage", "draw_elo", "scale", "answer", "warnings"}
    assert set(document["players"][0]) == {"name", "elo", "plus", "minus", "games", "score", "opponents", "draws"}
    assert sorted(player["name"] for player in document["players"]) == sorted(NAMES)
    elos = [player["elo"] for player in document["players"]]
    assert elos == sorted(elos, reverse=True)
    assert sum(elos) == pytest.approx(0.0, abs=1e-6)
    lines = (folder / "ranking.txt").read_text("utf-8").splitlines()
    assert lines[0].startswith("Rank Name")
    assert [line.split()[0] for line in lines[1:7]] == [str(rank) for rank in range(1, 7)]
    assert lines[7:9] == ["", document["answer"]["text"]]
    page = (folder / "report.html").read_text("utf-8")
    assert f'<p class="answer">{escape(document["answer"]["text"])}.</p>' in page


def test_the_ranking_of_the_pgn_is_the_ranking_of_the_run(folder: Path) -> None:
    assert read_results(folder / "games.pgn").results.rows == Run.read(folder).results.rows


@pytest.mark.parametrize("name", ["ratings.svg", "crosstable.svg", "meeting-graph.svg"])
def test_figures_are_svg_with_readable_names(folder: Path, name: str) -> None:
    root = ElementTree.parse(folder / name).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = " ".join("".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "ada" in texts
    assert "dáša 棋" in texts
    assert "$x_1$" in texts
    assert "trial (uttt)" in texts
    assert "dc:date" not in (folder / name).read_text("utf-8")


def test_the_meeting_graph_has_its_connectivity(folder: Path) -> None:
    assert "9 pairs, λ2 = 3.000" in (folder / "meeting-graph.svg").read_text("utf-8")  # K_3,3


class _Page(HTMLParser):
    void = frozenset({"meta", "br", "hr", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.outside: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        if tag not in self.void:
            self.open.append(tag)
        links = [value or "" for key, value in attrs if key in ("src", "href", "xlink:href", "data")]
        self.outside += [value for value in links if not value.startswith(("#", "data:"))]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.void:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_one_well_formed_file_with_everything(folder: Path) -> None:
    parsed = _Page()
    parsed.feed((folder / "report.html").read_text("utf-8"))
    parsed.close()
    assert parsed.open == []
    assert parsed.outside == []
    figures = len(list((folder / "figures").glob("*.svg")))
    assert (folder / "report.html").read_text("utf-8").count("<svg") == figures - 1, "the ranking shows the ratings"
    for expected in (
        *NAMES,
        "finished: 54 of 54 games",
        "first player's score",
        "lost: illegal move",
        "20 ms per move",
        "0123abc",
        "meeting-graph, criterion connectivity",
    ):
        assert expected in parsed.text


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("best", "adaptive for goal best: within 10 Elo, 95 %, or expected loss 3 Elo"),
        (GoalRule(best=5, confidence=0.975), "adaptive for goal best: within 5 Elo, 97.5 %"),
        (GoalRule(loss=2.5), "adaptive for goal best: expected loss 2.5 Elo"),
        (None, "adaptive"),
    ],
)
def test_the_page_has_the_goal_of_the_pairing(tmp_path: Path, goal: GoalRule | str | None, text: str) -> None:
    made = make_run(tmp_path / "trial", ["a", "b", "c"], pairing=Pairing(method="adaptive", games=12, goal=goal))
    write_report(made)
    assert re.search(rf"<dt>pairing</dt>\s*<dd>{re.escape(text)}</dd>", (made / "report.html").read_text("utf-8"))


def test_the_page_has_the_nodes_of_a_run_in_a_cluster(folder: Path, tmp_path: Path) -> None:
    made = make_cluster_run(tmp_path / "trial")
    write_report(made)
    text = (made / "report.html").read_text("utf-8")
    parsed = _Page()
    parsed.feed(text)
    for expected in ("10.0.0.3", "2000 kn/s", "scores", "n1: player 'c' cannot play there", "χ² of its results"):
        assert expected in parsed.text
    assert 'id="nodes"' in text
    assert 'id="nodes"' not in (folder / "report.html").read_text("utf-8")


def test_an_unfinished_run_is_preliminary(tmp_path: Path) -> None:
    made = make_run(tmp_path / "trial", ["a", "b", "c", "d"], games_per_pair=4, played=0.5)
    warnings = write_report(made).warnings
    assert "preliminary: 12 of 24 games are not finished" in warnings
    assert "warning: preliminary" in (made / "ranking.txt").read_text("utf-8")
    assert "preliminary" in (made / "report.html").read_text("utf-8")


def test_the_page_of_an_interrupted_run_has_the_command_that_resumes_it(tmp_path: Path) -> None:
    run = replace(
        Run.read(make_run(tmp_path / "trial", ["a", "b"], played=0.5)), command="tournament run 'my run.toml'"
    )
    text = page(Findings(run, rank(run)), {})
    assert "interrupted: 2 of 4 games finished; to resume it: tournament run &#39;my run.toml&#39;</p>" in text
    over = replace(run, state="finished")
    assert "to resume it" not in page(Findings(over, rank(over)), {})


def test_a_run_without_any_game_has_a_report(tmp_path: Path) -> None:
    made = make_run(tmp_path / "trial", ["a", "b", "c"], played=0.0)
    write_report(made)
    document = json.loads((made / "ranking.json").read_text("utf-8"))
    assert [player["games"] for player in document["players"]] == [0, 0, 0]
    assert (made / "games.pgn").read_text("utf-8") == ""
    assert "No games yet" in (made / "report.html").read_text("utf-8")


def test_a_player_without_games_is_last_and_has_no_number(tmp_path: Path) -> None:
    made = make_idle_run(tmp_path / "trial")
    write_report(made)
    players = json.loads((made / "ranking.json").read_text("utf-8"))["players"]
    assert [player["name"] for player in players] == ["a", "b", "idle"]
    assert (players[2]["elo"], players[2]["games"], players[2]["score"]) == (None, 0, None)
    shown = (made / "ranking.txt").read_text("utf-8").splitlines()[3].split()
    assert shown == ["3", "idle", "?", "?", "?", "0", "?", "?", "?"]
    rows = list(csv.DictReader((made / "figures/ratings.csv").read_text("utf-8").splitlines()))
    assert [(row["player"], row["elo"] == "", row["games"] == "0") for row in rows][1:] == [
        ("b", False, False),
        ("idle", True, True),
    ]
    text = (made / "report.html").read_text("utf-8")
    assert '<td class="left">idle</td><td>?</td>' in text
    assert [wrong for wrong in (">nan", "nan%", '"nan') if wrong in text] == []


def test_without_the_original_program_ours_rates_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BAYESELO", str(tmp_path / "nowhere"))
    made = make_run(tmp_path / "trial", ["a", "b", "c"], rating=RatingSection(backend="bayeselo"))
    found = rank(Run.read(made))
    assert found.backend == "builtin"
    assert any("original program failed" in warning for warning in found.warnings)


def test_the_report_rates_by_the_section_of_the_schedule(tmp_path: Path) -> None:
    options = RatingSection(model="davidson", anchor={"a": 1500.0, "c": 1400.0})
    made = make_run(tmp_path / "trial", ["a", "b", "c"], rating=options)
    found = {player.name: player.elo for player in rank(Run.read(made)).rating.players}
    assert (found["a"], found["c"]) == pytest.approx((1500.0, 1400.0))
    write_report(made)
    page = (made / "report.html").read_text("utf-8")
    assert "Davidson" in page
    assert "anchored: a at 1500, c at 1400" in page


def test_a_folder_without_a_run_has_no_report(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run here"):
        write_report(tmp_path)


def test_statistics_count_every_game_once(folder: Path) -> None:
    run = Run.read(folder)
    table = crosstable(run, NAMES)
    games = list(run.games())
    assert table.games.sum() == 2 * len(games)
    assert (table.wins == table.losses.T).all()
    assert (table.draws == table.draws.T).all()
    found = tally(games, NAMES)
    assert found.outcomes.games == len(games) == sum(one.games for one in found.openings.values())
    assert found.lengths[0] <= found.lengths[1] <= found.lengths[2]
    players = list(found.players.values())
    assert sum(player.games for player in players) == 2 * len(games)
    assert sum(player.first for player in players) == len(games)
    failed = sum(game.termination in ("illegal move", "time", "crash", "disconnect") for game in games)
    assert sum(player.failed for player in players) == failed > 0
    turns = sum(len(game.moves) - len(game.opening) + (game.termination == "time") for game in games)
    spent = sum(game.seconds_first + game.seconds_second for game in games)
    assert min(player.seconds_per_move for player in players) <= spent / turns
    assert max(player.seconds_per_move for player in players) >= spent / turns


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.txt"
    write_whole(path, "old\n")
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(WorkError, match=r"file.txt: cannot be written: disk full"):
        write_whole(path, "new\n")
    assert path.read_text("utf-8") == "old\n"
    assert [item.name for item in tmp_path.iterdir()] == ["file.txt"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_every_kind_of_failure_is_reported_with_the_last_detail(folder: Path) -> None:
    games = [game for game in Run.read(folder).games() if game.termination in FAILURES]
    reported = json.loads((folder / "failures.json").read_text("utf-8"))
    assert sum(one["games"] for one in reported) == len(games) > 0
    for one in reported:
        of_kind = [game for game in games if (game.loser, game.termination) == (one["player"], one["kind"])]
        last = max(of_kind, key=lambda game: game.finished)
        assert one["games"] == len(of_kind)
        assert (one["last_game"], one["last_detail"]) == (last.number, last.detail)
    page = (folder / "report.html").read_text("utf-8")
    assert page.count(f'<td class="wrap">{escape(reported[0]["last_detail"])}</td>') >= 1


def test_the_time_of_a_player_that_is_always_late_is_known() -> None:
    late = GameRecord(
        id="x",
        number=1,
        first="slow",
        second="b",
        opening=(),
        moves=(),
        result=Result.SECOND_WIN,
        termination=Termination.TIME,
        detail="slow used 171 ms of 120 ms allowed: 120 ms a move",
        started="1",
        finished="2",
        seconds_first=0.171,
        seconds_second=0.0,
    )
    players = tally([late], ["slow", "b"]).players
    assert players["slow"].seconds_per_move == pytest.approx(0.171)
    assert math.isnan(players["b"].seconds_per_move)


def test_a_file_in_place_of_the_folder_of_figures_is_an_error_of_one_line(tmp_path: Path) -> None:
    run = make_run(tmp_path / "trial", NAMES, pairs=9, games_per_pair=2)
    (run / "figures").symlink_to("figures")
    with pytest.raises(WorkError, match="figures: cannot be written: file exists"):
        write_report(run)
