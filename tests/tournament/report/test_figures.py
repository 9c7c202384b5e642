"""The figures and the numbers beside them."""

from __future__ import annotations

import base64
import csv
import html
import json
import re
import zlib
from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from markupsafe import escape

from fiedler.support.drawing import STYLE, Drawing, colour, mosaic, nice, short, shortened, ticks
from fiedler.support.lock import run_lock
from fiedler.support.text import counted, whole_percent
from fiedler.tournament.game import reason
from fiedler.tournament.pairing import planner
from fiedler.tournament.pairing.plan import Decision
from fiedler.tournament.ratings import los_text
from fiedler.tournament.report import write_report
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.figures import NAMES, draw
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.matrix_figures import crosstable_figure
from fiedler.tournament.report.ranking import rank
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.standings import N_GAMES
from fiedler.tournament.report.statistics import Crosstable
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.schedule.schedule import Pairing, Sprt, StopRule
from tests.folders import ROOT
from tests.tournament.report.made_runs import make_go_run, make_run
from tests.tournament.report.pictures import Picture
from tests.tournament.schedules import write_void


def drawn(folder: Path) -> dict[str, Figure]:
    run = Run.read(folder)
    return draw(Findings(run, rank(run)))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = [*(f"net-{epoch:04d}" for epoch in range(10, 360, 10)), "random <0>", "mcts"]
    elo = [*(12.0 * place for place in range(35)), -200.0, 300.0]
    folder = tmp_path_factory.mktemp("run") / "trial"
    return make_run(folder, names, game="connect4", pairs=120, elo=elo, openings=12, games_per_pair=4)


def test_a_run_of_checkpoints_has_every_figure_well_formed(many: Path) -> None:
    write_report(many)
    found = {path.stem for path in (many / "figures").glob("*.svg")}
    assert found == {
        *("ratings", "crosstable", "meeting-graph", "curve", "los", "fit", "openings", "first-moves", "second-moves")
    }
    for path in (many / "figures").glob("*.svg"):
        text = path.read_text("utf-8")
        assert ElementTree.fromstring(text).get("aria-label"), path
        assert STYLE in text, "it is self-contained"
        assert not re.search(r'="[^"]*\b(nan|inf)\b', text), path


def test_csv_and_json_have_the_same_numbers(many: Path) -> None:
    for figure in drawn(many).values():
        rows = list(csv.reader("".join(figure.csv()).splitlines()))
        objects = json.loads("".join(figure.json()))
        assert len(rows) - 1 == len(objects) == len(figure.rows) > 0
        assert rows[0] == list(objects[0]) == list(figure.columns)
        for row, document in zip(rows[1:], objects, strict=True):
            assert row == ["" if value is None else str(value) for value in document.values()]


def test_the_curve_goes_over_the_checkpoints_with_others_as_levels(many: Path) -> None:
    figure = drawn(many)["curve"]
    assert [row[1] for row in figure.rows] == [*range(10, 360, 10), None, None]
    assert {row[2] for row in figure.rows[-2:]} == {"random <0>", "mcts"}
    assert figure.svg.count("dashed") >= 2
    assert "random &lt;0&gt;" in figure.svg


def test_equal_checkpoints_have_no_best_one(tmp_path: Path) -> None:
    names = [f"net-{epoch}" for epoch in range(1, 13)]
    folder = make_run(tmp_path / "trial", names, elo=[0] * 12, games_per_pair=4, game="connect4")
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    curve = drawn(folder)["curve"].svg
    found = json.loads((folder / "ranking.json").read_text("utf-8"))["answer"]
    assert found["p_equal"] > 0.05
    for text in (found["text"], page, curve, (folder / "ranking.txt").read_text("utf-8")):
        assert f"no difference found (p = {found['p_equal']:.2f})" in text
    assert not re.search(r"\bbest\b", curve + found["text"])
    assert 'r="7"' not in curve, "no ring around a checkpoint"
    spread = re.search(r"the ratings spread by (\d+) Elo .* by about (\d+) by chance alone", page)
    assert spread is not None
    assert 0.5 < int(spread[1]) / int(spread[2]) < 2, "equal players spread by chance alone"
    assert "Here the median player has 44 games and an interval of ± " in page
    assert f"What N games can tell: {N_GAMES}" in page
    assert (ROOT / N_GAMES).is_file()


def test_a_checkpoint_that_is_likely_best_is_named(tmp_path: Path) -> None:
    names = [f"net-{epoch}" for epoch in range(1, 6)]
    folder = make_run(tmp_path / "trial", names, elo=[0, 0, 0, 0, 2000], games_per_pair=20)
    write_report(folder)
    curve = drawn(folder)["curve"].svg
    assert re.search(r"net-…  rises by \d+ Elo \(z = .*\); best: net-5 \(P\(best\) &gt; 99 %\)", curve)
    assert curve.count('r="7"') == 1
    page = (folder / "report.html").read_text("utf-8")
    assert "net-5 is best: P(best) &gt; 99 %" in page


def test_checkpoints_whose_names_are_numbers_have_a_legend_and_an_axis(tmp_path: Path) -> None:
    names = [f"{number:04}" for number in range(100, 1350, 50)]
    folder = make_run(tmp_path / "trial", names, steps=(1,), game="connect4")
    picture = Picture(drawn(folder)["curve"].svg)
    texts = [label.text for label in picture.labels]
    assert any(text.startswith("0100 to 1300  ") for text in texts)
    assert {"200", "400", "600", "800"} <= set(texts)
    assert picture.faults() == []


def test_a_sequential_test_answers_with_its_verdict(tmp_path: Path) -> None:
    pairing = Pairing(method="sprt", sprt=Sprt(elo0=0, elo1=100))
    folder = make_run(tmp_path / "trial", ["new", "old"], games_per_pair=200, played=0.01, pairing=pairing)
    undecided = (
        r"undecided: neither H1 \(100 Elo\) nor H0 \(0\) accepted after 2 games; new is \d+ ± \d+ Elo (ahead|behind)"
    )
    assert re.fullmatch(undecided, rank(Run.read(folder)).answer.text)
    journal = Journal.open(folder)
    journal.decide(Decision("H1 is accepted: new is better by 100 Elo rather than by 0", 2))
    journal.close()
    found = rank(Run.read(folder)).answer
    assert (found.text, found.decided) == ("H1 is accepted: new is better by 100 Elo rather than by 0", True)


def test_a_run_with_a_stopping_rule_has_the_reason_of_its_end(tmp_path: Path) -> None:
    pairing = Pairing(method="round-robin", stop=StopRule(top=1))
    folder = make_run(tmp_path / "trial", ["a", "b", "c"], elo=[0, 0, 0], pairing=pairing)
    found = rank(Run.read(folder)).answer
    assert found.text.startswith("undecided: ")
    assert found.text.endswith("; all games are played")


def test_a_met_rule_decides_at_its_level(tmp_path: Path) -> None:
    pairing = Pairing(method="round-robin", stop=StopRule(top=1, confidence=0.6))
    folder = make_run(tmp_path / "trial", ["a", "b"], elo=[60, 0], games_per_pair=20, pairing=pairing)
    best = rank(Run.read(folder)).answer
    assert best.p_best is not None
    assert 0.6 < best.p_best < 0.95
    assert best.decided
    assert best.text.startswith(f"{best.best} is best: P(best) = ")


@pytest.mark.parametrize("stop", [StopRule(error=300), StopRule(top=2)])
def test_a_decided_run_without_a_best_player_is_decided(tmp_path: Path, stop: StopRule) -> None:
    folder = make_run(
        tmp_path / "trial", ["a", "b", "c"], elo=[0, 0, 0], pairing=Pairing(method="round-robin", stop=stop)
    )
    with Journal.open(folder) as journal:
        journal.decide(Decision("it is known after 8 games", 8))
    found = rank(Run.read(folder)).answer
    assert found.decided
    assert found.text.startswith("it is known after 8 games; ")
    assert "more game" not in found.text
    assert "undecided" not in found.text


def test_benched_players_cannot_be_best(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", ["a", "b", "c"], elo=[600, 0, -600], games_per_pair=40)
    assert rank(Run.read(folder)).answer.best == "a"
    with Journal.open(folder) as journal:
        journal.bench("a", "by hand")
    found = rank(Run.read(folder)).answer
    assert (found.best, found.second) == ("b", "c")
    with Journal.open(folder) as journal:
        journal.bench("b", "by hand")
    assert rank(Run.read(folder)).answer.text == "only c is left"


def test_every_pair_has_its_likelihood_of_superiority(many: Path) -> None:
    figure = drawn(many)["los"]
    assert len(figure.rows) == 37 * 36 // 2
    assert all(row[2] is not None and 0.49 <= float(row[2]) <= 1 for row in figure.rows), "sorted by rating"
    assert len(figure.hover["percent"]) == len(figure.rows)


def test_the_los_is_the_same_in_the_report_and_below_the_ranking(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", ["a", "b", "c", "d"], elo=[900, 0, 0, -900], games_per_pair=40)
    run = Run.read(folder)
    found = rank(run)
    cells = re.findall(r"against [a-d]: ([^<]+)</title>", draw(Findings(run, found))["los"].svg)
    table = [line.split()[2:] for line in los_text(found.rating, found.rating.los()).splitlines()[1:]]
    assert [html.unescape(cell) for cell in cells] == [text for row in table for text in row]
    assert {">99", "<1"} < {html.unescape(cell) for cell in cells}
    assert not {"0", "100"} & {html.unescape(cell) for cell in cells}


def test_with_many_players_each_pair_is_one_letter(many: Path) -> None:
    figure, los = drawn(many)["los"], rank(Run.read(many)).rating.los()
    letters = [ord(letter) - 0xC0 for letter in figure.hover["percent"]]
    assert letters == [whole_percent(value) for value in los[np.triu_indices(len(los), 1)].tolist()]


def test_with_many_players_cells_have_tooltips(many: Path) -> None:
    found = drawn(many)
    cells = found["crosstable"].hover["cells"]
    assert len(cells) == 2 * 120
    assert all(re.fullmatch(r"\d+-\d+-\d+", text) for text in cells.values())
    write_report(many)
    page = (many / "report.html").read_text("utf-8")
    for name in ("los", "crosstable"):
        hidden = re.search(rf'<script type="application/json" id="hover-{name}">(.*?)</script>', page)
        assert hidden
        assert json.loads(hidden[1])["names"] == list(found[name].hover["names"])


def test_the_page_has_the_parts_of_a_run_of_checkpoints(many: Path) -> None:
    write_report(many)
    page = (many / "report.html").read_text("utf-8")
    titles = re.findall(r"<h2>(.*?)</h2>", page)
    assert titles[:2] == ["Rating over checkpoints", "Ranking"]
    assert {"Fit", "Cyclic part", "Moving first", "First and second moves", "How games ended"} <= set(titles)
    assert "A &lt;fast&gt; processor, 8 cores" in page
    assert page.count('id="fit"') == 1
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)


def test_wins_of_go_are_one_row_of_the_endings(tmp_path: Path) -> None:
    folder = make_go_run(tmp_path / "trial")
    assert [game.detail for game in Run.read(folder).games()] == ["88.5 points", "7.5 points"]
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    endings = page.partition("<h2>How games ended")[2].partition("</table>")[0]
    cells = re.findall(r"<td.*?>(.*?)</td>", endings)
    assert [cells[:2], cells[3:5]] == [["rules", "2"], ["\u2003by points", "2"]]
    assert len(cells) == 6


def test_scores_of_players_that_differ_are_a_row_of_the_endings(tmp_path: Path) -> None:
    folder = make_go_run(tmp_path / "trial", ("; a scores alike; b scores otherwise: W+1", "; a scores alike"))
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8").partition("<h2>How games ended")[2].partition("<h2>")[0]
    assert re.sub(r"<[^>]+>|\s+", " ", page).split()[-6:] == ["scores", "otherwise", "1", "of", "2", "games"]
    assert page.count("by points") == 1, "in one row"
    plain = make_go_run(tmp_path / "plain")
    write_report(plain)
    assert "scores otherwise" not in (plain / "report.html").read_text("utf-8")


def test_a_pass_is_a_first_move_of_go(tmp_path: Path) -> None:
    folder = make_go_run(tmp_path / "trial")
    opening = next(iter(Run.read(folder).games())).moves[:2]
    assert opening[0] == "pass"
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    assert "there are 16 different first moves" in page, "15 points and the pass"
    assert " ".join(opening) in page.partition("replies like it")[2]


def test_benched_players_void_games_and_steps_are_reported(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", ["a", "b", "c", "d"], played=0.5)
    journal = Journal.open(folder)
    begun = journal.unplayed()[0].id
    write_void(journal, begun, "no <memory> left")
    journal.bench("d", "5 failures in a row, the last: crash: <gone>")
    journal.record_step("2025-03-01T13:00:00.000Z", "round 2 of 3", {}, [], [])
    journal.close()
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    assert 'd <span class="failed">benched</span>' in page
    assert "crash: &lt;gone&gt;" in page
    assert "1 attempt at 1 game became void" in page
    assert "no &lt;memory&gt; left" in page
    assert "round 2 of 3" in page


def test_annulled_games_are_reported_apart_from_void_ones(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", ["a", "b", "c", "d"], played=0.5)
    with closing(Journal.open(folder)) as journal:
        begun, first, second = journal.unplayed()[0], *journal.games()[:2]
        write_void(journal, begun.id)
        journal.annul(first, "2025-03-02T09:30:00.000Z", "a dispute <about> the clock")
        journal.annul(second, "2025-03-02T09:31:00.000Z", "another one")
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    head = page.index("annulled game")
    shown = page[head : page.index("</table>", head)]
    assert shown.count("<tr>") == 2
    assert "a dispute &lt;about&gt; the clock" in shown
    assert f">{first.result} {{{escape(reason(first))}}}<" in shown
    assert "2025-03-02 09:30:00 UTC" in shown
    assert "another one" in shown
    assert "1 attempt at 1 game became void, without a fault" in page, "the annulled ones do not count"


def test_missing_players_are_marked_and_their_games_wait(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", ["a", "b", "c", "d"], played=0.5)
    with closing(Journal.open(folder)) as journal:
        left = sum("c" in (game.first, game.second) for game in journal.unplayed())
        journal.record_absent({"c": "has been away for 600 s"})
        journal.record_step("2025-03-01T13:00:00.000Z", "round 2 of 3", {}, [], [])
        journal.record_end("18 games are played")
        assert left
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    assert 'c <span class="failed">absent</span>' in page
    assert f'<p class="warning">c has been away for 600 s: {left} games not played</p>' in page
    assert f"<p>End: 18 games are played; not played: {left} games of c, which has been away for 600 s.</p>" in page
    assert '<td class="wrap">has been away for 600 s</td>' in page


def test_a_player_that_is_away_is_marked_while_the_run_is_played(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", ["a", "b"], played=0.5)
    with closing(Journal.open(folder)) as journal, run_lock(folder, "tournament run"):
        journal.record_away({"b": "2025-03-01T12:00:00.000Z"})
        left = counted(len(journal.unplayed()), "game")
        write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    assert 'b <span class="failed">away</span>' in page
    assert f"b is away since 2025-03-01 12:00:00 UTC: {left} not played" in page
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    assert "is away since" not in page, "nobody waits without a manager"
    assert "games not played" not in page


def test_a_sequential_test_shows_its_path_and_its_verdict(tmp_path: Path) -> None:
    pairing = Pairing(method="sprt", sprt=Sprt(elo0=0, elo1=100))
    folder = make_run(tmp_path / "trial", ["new", "old"], games_per_pair=200, elo=[400, 0], pairing=pairing)
    write_report(folder)
    assert "accepted" not in (folder / "ranking.txt").read_text("utf-8"), "a report has only written decisions"
    with closing(Journal.open(folder)) as journal:
        found = planner(journal.schedule).decide(journal.history())
        assert found is not None
        journal.decide(found)
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    answer = found.why
    assert answer.startswith(f"new is stronger: H1 (100 Elo) accepted against H0 (0) after {found.games} games; ")
    assert f"<p><b>{answer}</b></p>" in page
    assert f"It rests on the first {found.games} games; the others were under way." in page
    assert found.test in page
    assert answer in (folder / "ranking.txt").read_text("utf-8")
    assert json.loads((folder / "ranking.json").read_text("utf-8"))["answer"]["text"] == answer
    path = json.loads((folder / "figures" / "sprt.json").read_text("utf-8"))
    assert path[0] == {"games": 0, "llr": 0.0}
    assert path[-1]["games"] == 200
    at_end = {"games": found.games, "llr": pytest.approx(float(found.test.split()[2]), abs=0.005)}
    assert at_end in path
    assert all(point["llr"] < 2.95 for point in path if point["games"] < found.games)


def test_the_names_of_all_figures_are_known(many: Path, tmp_path: Path) -> None:
    """Their names distinguish figures of an earlier report from other files."""
    pairing = Pairing(method="sprt", sprt=Sprt(elo0=0, elo1=400))
    test = drawn(make_run(tmp_path / "trial", ["a", "b"], games_per_pair=8, pairing=pairing))
    assert set(drawn(many)) | set(test) == set(NAMES)


@pytest.mark.parametrize(("players", "least"), [(12, 8.0), (24, 7.8), (30, 6.0)])
def test_cells_of_the_crosstable_fill_the_page(players: int, least: float) -> None:
    counts = np.full((players, players), 10)
    np.fill_diagonal(counts, 0)
    table = Crosstable(tuple(f"player-{n}" for n in range(players)), counts, counts, counts)
    svg = crosstable_figure(table, "all").svg
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"[^>]*>10-10-10<', svg)]
    assert len(sizes) == players * (players - 1)
    assert min(sizes) >= least
    assert float(re.findall(r'<svg[^>]* width="([\d.]+)"', svg)[0]) < 1150


def test_unconnected_players_can_be_drawn(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", ["a", "b", "c", "d"], played=2 / 24)
    write_report(folder)
    assert "nan" not in (folder / "figures" / "los.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (-140, 155, [-100, -50, 0, 50, 100, 150]), (7, 7, [7.0])],
)
def test_ticks_are_round(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high)[: len(expected)] == pytest.approx(expected)


def test_numbers_are_written_for_readers() -> None:
    assert [nice(value) for value in (-3.2, -0.2, 0.0, float("nan"))] == ["−3", "0", "0", "?"]
    assert [short(value) for value in (0.0, 500, -1500, 20_000, 3e6, 2.5e9)] == [
        "0",
        "500",
        "−1500",
        "20k",
        "3M",
        "2.5G",
    ]
    assert shortened("checkpoint-with-a-long-name-0042", 16) == "checkpo…ame-0042"


def test_a_mosaic_is_a_png_with_a_pixel_for_each_number() -> None:
    values = np.array([[0.0, 0.5, 1.0], [np.nan, 0.25, 0.75]])
    drawing = Drawing(10, 10, "a mosaic")
    drawing.cells((0, 0), 5, mosaic(values))
    data = base64.b64decode(re.findall(r"base64,([^\"]+)", drawing.svg())[0])
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    body = data[data.index(b"IDAT") + 4 :]
    lines = np.frombuffer(zlib.decompressobj().decompress(body), dtype=np.uint8).reshape(2, 13)
    pixels = lines[:, 1:].reshape(2, 3, 4)
    assert (pixels[..., 3] == [[255, 255, 255], [0, 255, 255]]).all()
    assert "#{:02x}{:02x}{:02x}".format(*pixels[0, 2, :3]) == colour(1.0)
