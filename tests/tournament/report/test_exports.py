"""PGN, SGF, CSV and JSON lines: our games for other programs."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import json
import re
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from fiedler.games import game as game_of
from fiedler.games.result import Result
from fiedler.support.errors import UsageError
from fiedler.tournament.commands.report import export, report
from fiedler.tournament.evaluation import from_text
from fiedler.tournament.game import GameRecord
from fiedler.tournament.ratings.files import read_results
from fiedler.tournament.report.csv_line import Cell
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.pgn import pgn, time_control
from fiedler.tournament.report.run import Run, limit_text
from fiedler.tournament.report.sgf import sgf
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.schedule.schedule import LimitSection
from tests.tournament.report.made_runs import make_go_run, make_run
from tests.tournament.schedules import write_finished

NAMES = ["ada", 'b "two" \\', "c]:three", "dáša 棋"]
ROSTER = ["Event", "Site", "Date", "Round", "White", "Black", "Result"]


@pytest.fixture(scope="module", params=["tictactoe", "connect4", "uttt", "cube", "gomoku15"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("run") / "trial", NAMES, game=request.param, games_per_pair=6)


def exported(folder: Path, kind: str) -> str:
    result = CliRunner().invoke(export, [str(folder), "--format", kind], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_pgn_has_the_roster_first_then_the_moves_and_always_a_result(folder: Path) -> None:
    run = Run.read(folder)
    for game, text in zip(run.games(), pgn(run), strict=True):
        head, movetext, rest = text.split("\n\n")
        assert rest == ""
        tags = [re.fullmatch(r'\[(\w+) "(.*)"\]', line) for line in head.splitlines()]
        assert all(tags)
        assert [tag[1] for tag in tags if tag][:7] == ROSTER
        assert f'[PlyCount "{len(game.moves)}"]' in head
        assert '[OpeningPlies "2"]' in head
        assert '[Date "2025.03.01"]' in head
        comments = [one.replace("\n", " ") for one in re.findall(r"\{([^}]*)\}", movetext)]
        assert comments == ["book", "book", *(one.comment for one in from_text(game.evaluations))]
        tokens = re.sub(r"\{[^}]*\}", "", movetext).split()
        assert tokens[-1] == game.result
        assert [token for token in tokens[:-1] if not token.endswith(".")] == list(game.moves)
        assert [token for token in tokens if token.endswith(".")] == [
            f"{k + 1}." for k in range((len(game.moves) + 1) // 2)
        ]
        assert all(len(line) <= 79 for line in movetext.splitlines())


def test_pgn_and_csv_are_read_back_with_every_name(folder: Path, tmp_path: Path) -> None:
    run = Run.read(folder)
    for kind in ("pgn", "csv"):
        path = tmp_path / f"games.{kind}"
        path.write_text(exported(folder, kind), encoding="utf-8")
        read = read_results(path)
        assert read.results.rows == run.results.rows
        assert read.results.names == run.results.names
        assert read.skipped == 0


FORMULAS = ["=HYPERLINK(1)", "+1", "-5", "@a", "'=b", "'plain", "a=b"]


def test_no_name_is_a_formula_in_a_table_and_rank_reads_it_back(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", FORMULAS, games_per_pair=2)
    rows = list(csv.reader(exported(folder, "csv").splitlines()))[1:]
    harmless = {"'=HYPERLINK(1)", "'+1", "'-5", "'@a", "''=b", "'plain", "a=b"}
    assert {name for row in rows for name in row[:2]} == harmless
    (tmp_path / "games.csv").write_text(exported(folder, "csv"), encoding="utf-8")
    assert set(read_results(tmp_path / "games.csv").results.names) == set(FORMULAS)


def test_no_name_is_a_formula_in_the_numbers_of_a_figure() -> None:
    rows: list[list[Cell]] = [["=1+1", -3.5, None], ["\tx", -2, "＝1"], ["ok", 1, "1-0"]]
    lines = list(Figure("f", "", ("name", "elo", "note"), rows).csv())
    assert lines == ["name,elo,note\n", "'=1+1,-3.5,\n", "'\tx,-2,'＝1\n", "ok,1,1-0\n"]


def test_csv_has_the_documented_header(folder: Path) -> None:
    rows = list(csv.reader(exported(folder, "csv").splitlines()))
    assert rows[0] == ["white", "black", "result"]
    assert [tuple(row) for row in rows[1:]] == [(g.first, g.second, g.result) for g in Run.read(folder).games()]


def test_jsonl_has_all_stored_data(folder: Path) -> None:
    lines = exported(folder, "jsonl").splitlines()
    games = [msgspec.convert(json.loads(line), GameRecord) for line in lines]
    assert games == list(Run.read(folder).games())


def test_sgf_has_one_game_tree_a_line_for_any_exit_message(tmp_path: Path) -> None:
    made = make_run(tmp_path / "trial", ["a", "b", "c"], game="connect4", played=0.5)
    with contextlib.closing(Journal.open(made)) as journal:
        left, last = journal.unplayed()[0], journal.games()[-1]
        words = "its last words:\nout of ]\r\nmemory"
        write_finished(journal, replace(last, id=left.id, number=left.number, detail=words))
    lines = exported(made, "sgf").splitlines()
    assert len(lines) == len(list(Run.read(made).games()))
    assert all(_TREE.fullmatch(line + "\n") for line in lines)
    assert sum(r"its last words: out of \] memory)]" in line for line in lines) == 1


_TREE = re.compile(r"\(;((?:[A-Z]+(?:\[(?:[^\]\\]|\\.)*\])+)+)((?:;[BW]\[[a-zA-Z]{2}\])*)\)\n", re.DOTALL)
_PROPERTY = re.compile(r"([A-Z]+)\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)


def test_sgf_replays_to_the_same_stones(folder: Path) -> None:
    run = Run.read(folder)
    width, height = (16, 4) if run.game.id == "cube" else game_of(run.game.id).position().planes_shape[:0:-1]
    for game, text in zip(run.games(), sgf(run), strict=True):
        tree = _TREE.fullmatch(text)
        assert tree
        root = {name: re.sub(r"\\(.)", r"\1", value) for name, value in _PROPERTY.findall(tree[1])}
        assert root["FF"] == "4"
        assert root["PB"] == game.first
        assert root["PW"] == game.second
        assert root["RU"] == run.game.id
        assert root["SZ"] == (str(width) if width == height else f"{width}:{height}")
        assert root["RE"][0] == {Result.FIRST_WIN: "B", Result.SECOND_WIN: "W", Result.DRAW: "0"}[game.result]
        assert " ".join(game.moves) in root["C"]
        stones = bytearray(width * height)
        for colour, point in re.findall(r";([BW])\[(..)\]", tree[2]):
            column, row = (ord(letter) - ord("a") for letter in point)
            stones[row * width + column] = 1 if colour == "B" else 2
        if run.game.id == "cube":  # four layers side by side
            stones = bytearray(stones[16 * y + 4 * z + x] for z in range(4) for y in range(4) for x in range(4))
        assert bytes(stones) == game_of(run.game.id).position(moves=game.moves).cells


@pytest.mark.parametrize(
    ("limit", "tag", "text"),
    [
        (LimitSection(movetime_ms=20), "1/0.02", "20 ms per move"),
        (LimitSection(movetime_ms=2000), "1/2", "2000 ms per move"),
        (LimitSection(base_ms=60000, increment_ms=500), "60+0.5", "60000 ms per game + 500 ms per move"),
        (LimitSection(base_ms=1500), "1.5", "1500 ms per game + 0 ms per move"),
        (LimitSection(nodes=800), "-", "800 nodes per move"),
        (LimitSection(depth=6), "-", "depth 6"),
    ],
)
def test_limits_are_a_tag_and_a_text(limit: LimitSection, tag: str, text: str) -> None:
    assert time_control(limit) == tag
    assert limit_text(limit) == text


def test_sgf_of_go_has_the_points(tmp_path: Path) -> None:
    lines = exported(make_go_run(tmp_path / "trial"), "sgf").splitlines()
    assert [re.findall(r"GM\[1\]|KM\[.*?\]|RE\[.*?\]", line) for line in lines] == [
        ["GM[1]", "KM[7.5]", "RE[W+88.5]"],
        ["GM[1]", "KM[7.5]", "RE[W+7.5]"],
    ]


def test_sgf_escapes_a_colon_only_where_it_would_join_two_values(tmp_path: Path) -> None:
    text = next(sgf(Run.read(make_run(tmp_path / "trial", ["c]:three", "back\\slash"]))))
    assert r"PB[c\]:three]" in text
    assert r"PW[back\\slash]" in text
    assert r"\:" not in text


def test_the_part_of_a_composed_value_has_its_colon_escaped(tmp_path: Path) -> None:
    run = Run.read(make_run(tmp_path / "trial", ["a", "b"]))
    text = next(sgf(dataclasses.replace(run, meta={**run.meta, "version": "1:2]"})))
    assert r"AP[Fiedler:1\:2\]]" in text


def test_a_clock_is_written_to_sgf(tmp_path: Path) -> None:
    made = make_run(tmp_path / "trial", ["a", "b"], limit=LimitSection(base_ms=90500, increment_ms=100))
    assert "TM[90.5]OT[100 ms increment]" in next(sgf(Run.read(made)))


def test_report_command_finds_a_run_by_name(tmp_path: Path) -> None:
    make_run(tmp_path / "trial", ["a", "b", "c"])
    result = CliRunner().invoke(report, ["trial", "--results", str(tmp_path)], catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout.startswith("Rank Name")
    assert (tmp_path / "trial" / "report.html").is_file()


def test_an_unknown_run_or_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run 'nothing'"):
        CliRunner().invoke(export, ["nothing", "--format", "pgn", "--results", str(tmp_path)], catch_exceptions=False)
    assert CliRunner().invoke(export, ["nothing", "--format", "xml"]).exit_code == 2
