from __future__ import annotations

import dataclasses
import math
import re
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import networkx
import pandas
import pytest

import fiedler
import fiedler.matches
from fiedler.games.picture import board_svg
from fiedler.tournament.run.store import Store
from tests.engine.engine_process import ENGINE, serving
from tests.patience import PATIENCE
from tests.tournament.report.made_runs import make_run


@pytest.fixture(autouse=True)
def engines_start_slowly_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fiedler.matches, "open_engine", partial(fiedler.open_engine, start_seconds=PATIENCE))


def command(player: str, game: str = "tictactoe") -> list[str]:
    return [ENGINE, "serve", "--game", game, "--player", player, "--stdio"]


def test_the_import_loads_no_library() -> None:
    code = "import sys, fiedler; print({'numpy', 'asyncio', 'pandas', 'networkx', 'fiedler.native'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_every_name_is_there() -> None:
    assert sorted(fiedler.__all__) == sorted({name for name in dir(fiedler) if getattr(fiedler, name) is not None})
    with pytest.raises(AttributeError, match="module 'fiedler' has no attribute 'rating'"):
        fiedler.rating  # noqa: B018
    assert fiedler.match is fiedler.match


# --- boards -----------------------------------------------------------------------------------------------------------


def test_a_board_plays_and_takes_back() -> None:
    board = fiedler.Board("tictactoe")
    assert board.play("a1").play("b1").moves == ["a1", "b1"]
    assert board.side_to_move == 0
    assert "c1" in board.legal_moves
    assert board.undo() == "b1"
    assert (board.moves, str(board.position)) == (["a1"], "O;.../.../X..")
    assert repr(board) == "Board('tictactoe', 'startpos moves a1')"


def test_a_board_of_a_position() -> None:
    board = fiedler.Board("tictactoe", "X;.../.../XO. moves a2 b2", ["a3"])
    assert (board.moves, board.result, board.legal_moves) == (["a2", "b2", "a3"], 1, [])
    assert repr(board) == "Board('tictactoe', 'X;.../.../XO. moves a2 b2 a3')"
    assert board.svg().count('stroke="#b2182b"') == 3


def test_a_board_shows_as_a_picture_and_as_text() -> None:
    board = fiedler.Board("uttt", moves=["e5"])
    assert board._repr_svg_() == board.svg() == board_svg(board.game, board.position, board.start.parse_move("e5"))
    assert board.svg() != board_svg(board.game, board.position)
    assert str(board).count("[X]") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("checkers",), "checkers"),
        (("tictactoe", "startpos moves z9"), "move 1: expected a1 to c3, got 'z9'"),
        (("tictactoe", "startpos", ["a1", "a1"]), "a1 is taken"),
        (("tictactoe", "nonsense"), "position"),
    ],
)
def test_a_wrong_board_is_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(fiedler.UsageError, match=re.escape(message)):
        fiedler.Board(*arguments)


def test_a_board_at_its_start_has_nothing_to_take_back() -> None:
    with pytest.raises(fiedler.UsageError, match="undo: expected a move to take back"):
        fiedler.Board("uttt").undo()


# --- ratings ----------------------------------------------------------------------------------------------------------

GAMES = [("Ann", "Bob", 1), ("Bob", "Ann", 0.5), ("Ann", "Cem", 1), ("Cem", "Bob", 0), ("Bob", "Cem", 0.5)]
COLUMNS = dict(zip(("white", "black", "result"), map(list, zip(*GAMES, strict=True)), strict=True))


def test_a_table_is_a_frame_or_columns() -> None:
    frame = fiedler.rate(pandas.DataFrame(COLUMNS))
    assert isinstance(frame, pandas.DataFrame)
    columns = fiedler.rate(COLUMNS)
    assert isinstance(columns, dict)
    assert frame.to_dict("list") == columns
    assert columns["name"] == ["Ann", "Bob", "Cem"]
    assert sum(columns["elo"]) == pytest.approx(0)
    assert list(frame.index) == [1, 2, 3]


def test_columns_are_rated_without_pandas() -> None:
    code = f"import sys\nsys.modules['pandas'] = None\nimport fiedler\nprint(fiedler.rate({COLUMNS!r})['name'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['Ann', 'Bob', 'Cem']\n"


def test_results_have_several_spellings() -> None:
    texts = {1: "1-0", 0.5: "1/2-1/2", 0: "0-1"}
    expected = fiedler.rate(COLUMNS)
    for spelled in ([texts[one] for one in COLUMNS["result"]], [str(float(one)) for one in COLUMNS["result"]]):
        assert fiedler.rate({**COLUMNS, "result": spelled}) == expected


def test_the_games_of_a_run_are_rows(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "trial", ["a", "b", "c"], games_per_pair=4, played=0.75)
    games = fiedler.played_games(folder)
    assert games == fiedler.played_games("trial", results=tmp_path)
    with closing(Store.open(folder)) as store:
        records = store.games()
    assert [(one.number, one.white, one.black, one.result, one.moves) for one in games] == [
        (one.number, one.first, one.second, one.result.value, one.moves) for one in records
    ]
    assert [game.plies for game in games] == [len(game.moves) for game in games]
    with pytest.raises(dataclasses.FrozenInstanceError):
        games[0].white = "z"  # type: ignore[misc]
    frame = pandas.DataFrame(games)
    assert list(frame.columns) == [field.name for field in dataclasses.fields(fiedler.RunGame)]
    by_rows, by_frame = fiedler.rate(games), fiedler.rate(frame)
    assert by_rows["name"] == list(by_frame["name"])
    assert by_rows["elo"] == pytest.approx(list(by_frame["elo"]))
    assert sum(fiedler.played_graph(games).edges[edge]["weight"] for edge in fiedler.played_graph(games).edges) == 9


def test_a_run_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(fiedler.UsageError, match="no run 'none': neither a folder"):
        fiedler.played_games("none", results=tmp_path)


def test_parameters_of_a_rating() -> None:
    anchored = fiedler.rate(COLUMNS, anchors={"Bob": 2000.0})
    assert anchored["elo"][1] == 2000.0
    assert fiedler.rate(COLUMNS, model="davidson")["elo"] != fiedler.rate(COLUMNS)["elo"]


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ({"white": ["Ann"], "black": ["Bob"]}, "games: expected the columns white, black, result; result is missing"),
        ({"white": ["Ann"], "black": ["Bob"], "result": ["2"]}, "games: row 0: expected a result 1, 0.5 or 0"),
        ({"white": ["Ann"], "black": ["Bob"], "result": [math.nan]}, "games: row 0: expected a result"),
        ({"white": ["Ann"], "black": [None], "result": [1]}, "games: row 0: expected a name, got None"),
        ({"white": [math.nan], "black": ["Bob"], "result": [1]}, "games: row 0: expected a name, got nan"),
        ({"white": ["Ann"], "black": ["Bob"], "result": [None]}, "got None"),
        ({"white": ["Ann"], "black": ["Bob"], "result": []}, "games: expected columns of one length, got 1, 1 and 0"),
    ],
)
def test_a_wrong_table_is_refused(games: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(fiedler.UsageError, match=re.escape(message)):
        fiedler.rate(games)


def test_no_games_are_empty_columns() -> None:
    rated = fiedler.rate({"white": [], "black": [], "result": []})
    assert rated["name"] == rated["elo"] == []


def test_doubts_are_warnings() -> None:
    with pytest.warns(UserWarning, match="every game"):
        fiedler.rate({"white": ["Ann"], "black": ["Bob"], "result": [1]})


# --- graphs -----------------------------------------------------------------------------------------------------------


def test_a_meeting_graph_has_names_and_weights() -> None:
    graph = fiedler.meeting_graph(["Ann", "Bob", "Cem", "Dan"], pairs=4, elo=[0, 10, 20, 30])
    assert sorted(graph.nodes) == ["Ann", "Bob", "Cem", "Dan"]
    assert graph.nodes["Dan"]["elo"] == 30
    assert {edge["weight"] for _, _, edge in graph.edges(data=True)} == {2}
    assert networkx.is_connected(graph)
    assert fiedler.meeting_graph(4, games=12).number_of_edges() == 6


def test_the_players_of_a_meeting_graph_are_columns_of_a_frame() -> None:
    rated = fiedler.rate(pandas.DataFrame(COLUMNS))
    graph = fiedler.meeting_graph(rated["name"], pairs=2, elo=rated["elo"])
    assert graph.nodes["Cem"]["elo"] == rated["elo"][3]


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(fiedler.UsageError, match="expected different names, got 'Ann' more than once"):
        fiedler.meeting_graph(["Ann", "Bob", "Ann"], pairs=2)


def test_the_played_graph_leaves_games_against_oneself_out() -> None:
    games: dict[str, list[Any]] = {"white": ["Ann", "Ann"], "black": ["Ann", "Bob"], "result": [1, 1]}
    assert [*fiedler.played_graph(games).edges] == [("Ann", "Bob")]


def test_the_played_graph_counts_games() -> None:
    graph = fiedler.played_graph(COLUMNS)
    assert {(*sorted(pair), games) for *pair, games in graph.edges(data="weight")} == {
        ("Ann", "Bob", 2),
        ("Ann", "Cem", 1),
        ("Bob", "Cem", 2),
    }


# --- training curves --------------------------------------------------------------------------------------------------


def test_a_curve_of_a_folder(tmp_path: Path) -> None:
    lines = [f'{{"iteration":{n},"seconds":{n / 2},"policy_loss":{1 / n}}}\n' for n in (1, 2, 3)]
    (tmp_path / "log.jsonl").write_text("".join(lines), encoding="utf-8")
    assert fiedler.training_curve(tmp_path) == fiedler.training_curve(str(tmp_path / "log.jsonl"))
    curve = fiedler.training_curve(tmp_path, {"name": ["net-2", "random"], "elo": [70.0, 0.0]})
    assert curve["seconds"] == [0.5, 1.0, 1.5]
    assert math.isnan(curve["elo"][0])
    assert curve["elo"][1] == 70.0


def test_a_column_may_begin_late(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"iteration":1}\n{"iteration":2,"test_loss":0.5}\n', encoding="utf-8")
    assert fiedler.training_curve(tmp_path) == {"iteration": [1, 2], "test_loss": [None, 0.5]}
    with pytest.raises(fiedler.UsageError, match="ratings: expected the columns name and elo; elo is missing"):
        fiedler.training_curve(tmp_path, {"name": ["net-2"]})


@pytest.mark.parametrize("text", ["{", "[]", "{}\n", "5"])
def test_a_damaged_log_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "log.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(fiedler.UsageError, match=r"log\.jsonl: expected a JSON object with an iteration on each line"):
        fiedler.training_curve(tmp_path)


def test_a_missing_log_is_refused(tmp_path: Path) -> None:
    with pytest.raises(fiedler.UsageError, match=r"log\.jsonl: cannot be read: no such file or directory"):
        fiedler.training_curve(tmp_path)


# --- matches ----------------------------------------------------------------------------------------------------------


def test_a_match_reverses_colours_and_is_rated() -> None:
    weak = [*command("random"), "--set", "seed=1"]  # another one may win a won opening
    result = fiedler.match(command("negamax"), weak, "tictactoe", games=4, limit=fiedler.Limit(depth=9))
    assert result.names == ("Fiedler negamax", "Fiedler random")
    assert [game.white for game in result.games] == [*result.names, *result.names]
    assert result.games[0].board.moves[:2] == result.games[1].board.moves[:2]
    assert result.score >= 0.5
    assert re.match(r"Fiedler negamax against Fiedler random: .* \(\+\d =\d -0\) in 4 games", str(result))
    assert fiedler.played_graph(result.table).edges["Fiedler negamax", "Fiedler random"]["weight"] == 4


def test_a_match_of_open_engines_leaves_them_open() -> None:
    with serving("--game", "uttt", "--player", "osp") as server, fiedler.open_engine(server.address, "uttt") as engine:
        result = fiedler.match(engine, server.address, "uttt", plies=0)
        assert result.names == ("Fiedler osp (1)", "Fiedler osp (2)")
        assert all(game.board.result is not None for game in result.games)
        engine.ping()


def test_an_engine_that_resigns_has_lost() -> None:
    code = "for line in __import__('sys').stdin:\n    print({'ugi\\n': 'ugiok', 'isready\\n': 'readyok'}.get(line, ''"
    resigning = [sys.executable, "-uc", f"{code} if line[0] != 'g' else 'bestmove resign'))"]
    result = fiedler.match(command("random"), resigning, "tictactoe", limit=1.0, plies=0)
    assert result.points == [1.0, 1.0]
    assert [game.reason for game in result.games] == ["O resigns", "X resigns"]


FAILURES = {
    "illegal move": ("print('bestmove a1')", "broke the rules: move a1: not legal"),
    "crash": ("sys.exit('no idea')", "exited with status 1, saying: no idea"),
}
FAILING = """
import sys
for line in sys.stdin:
    match line.split():
        case ["ugi"]: print("ugiok")
        case ["isready"]: print("readyok")
        case ["go", *_]: FAILURE
"""


@pytest.mark.parametrize(("failure", "reason"), FAILURES.values(), ids=FAILURES)
def test_an_engine_that_fails_loses_the_game_and_returns_for_the_next(failure: str, reason: str) -> None:
    failing = [sys.executable, "-uc", FAILING.replace("FAILURE", failure)]
    result = fiedler.match(command("random"), failing, "tictactoe", games=4, limit=1.0, plies=0)
    assert result.points == [1.0] * 4
    assert [game.reason.partition(":")[0] for game in result.games] == ["O loses", "X loses"] * 2
    assert any(reason in game.reason for game in result.games)


def test_an_open_engine_that_fails_is_opened_again() -> None:
    failing = [sys.executable, "-uc", FAILING.replace("FAILURE", "sys.exit(1)")]
    with fiedler.open_engine(failing, "tictactoe") as engine:
        assert fiedler.match(engine, command("random"), "tictactoe", plies=0).points == [0.0, 0.0]
        assert not engine.is_open
        engine.reopen()
        engine.ping()
    with pytest.raises(fiedler.EngineGoneError, match="was closed"):
        engine.reopen()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 3}, "games: expected an even number from 2, got 3"),
        ({"limit": "0.1"}, "limit: expected a Limit or seconds, got '0.1'"),
        ({"plies": 9}, "plies: expected a number of moves after which tictactoe is not over, got 9"),
        ({"plies": -1}, "plies: expected a number"),
    ],
)
def test_a_wrong_match_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(fiedler.UsageError, match=re.escape(message)):
        fiedler.match(["x"], ["y"], "tictactoe", **arguments)


def test_a_posterior_adds_its_columns() -> None:
    names = [f"p{number:02d}" for number in range(12)]
    pairs = [(a, b) for a in names for b in names if a != b]
    games = {
        "white": [a for a, _ in pairs],
        "black": [b for _, b in pairs],
        "result": [1 if (ord(a[-1]) + ord(b[-1])) % 3 else 0 for a, b in pairs],
    }
    plain = fiedler.rate(games)
    with pytest.warns(UserWarning, match="posterior: assumes that all players come from"):
        found = fiedler.rate(games, posterior="population")
    assert {key: found[key] for key in plain} == plain
    spreads = [max(one) - min(one) for one in (found["posterior"], found["elo"])]
    assert spreads[0] < spreads[1]
    assert min(found["posterior_sd"]) > 0
