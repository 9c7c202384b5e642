"""The openings of a run: files, balanced ones, and warnings when they are too few."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fiedler import games
from fiedler.games import AnyGame
from fiedler.games.openings import Opening, candidates, canonical_key
from fiedler.native import Position
from fiedler.support.errors import UsageError
from fiedler.tournament.play.opening_evaluator import OpeningEvaluator
from fiedler.tournament.run.openings import OpeningList, symmetric_repeats
from fiedler.tournament.schedule.balance import read_balance
from fiedler.tournament.schedule.opening_file import OpeningFile
from fiedler.tournament.schedule.validation import load
from tests.folders import CONFIGS, ROOT
from tests.take import TAKE, Take
from tests.tournament.schedules import player, tables, toml

SHIPPED = CONFIGS / "openings"

TICTACTOE = games.game("tictactoe")


Moves = tuple[str, ...]


def read(game: games.AnyGame, path: Path, coordinates: str | None = None) -> list[Moves]:
    return moves_of(OpeningFile.read(game, path, coordinates))


def moves_of(file: OpeningFile) -> list[Moves]:
    assert all(one.start == "startpos" for one in file.openings)
    return [one.moves for one in file.openings]


def test_openings_are_the_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# two openings\n\na1 b2  # the first\n\t c3 \n", encoding="utf-8")
    assert read(TICTACTOE, path) == [("a1", "b2"), ("c3",)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1\na1 a1\n", ":2: move a1: not legal"),
        ("\n# no\nz9\n", ":3: move: expected a1 to c3, got 'z9'"),
        ("a1 b1 a2 b2 a3\n", ":1: expected an opening, got a finished game"),
        ("# nothing\n", ": expected at least one opening, got none"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read(TICTACTOE, path)
    assert str(caught.value).startswith(str(path) + message)


def test_a_line_may_begin_with_a_start(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    own, other = str(TICTACTOE.position()), str(TICTACTOE.position(moves=["b2", "a1"]))
    path.write_text(f"# starts\n{other} c3 a2 # moves from there\n{other}\n  {own} a1\nb2 # {other}\n", "utf-8")
    assert OpeningFile.read(TICTACTOE, path).openings == [
        Opening(("c3", "a2"), other),
        Opening((), other),
        Opening(("a1",)),
        Opening(("b2",)),
    ]
    uttt = games.game("uttt")
    closed = "X;#O..O@..X;OXOXXOXOX/O...O.O.O/OX...O.X./......XO./X.....OOO/XX......./O.XOX...O/XX...OX.O/X...X...X"
    assert str(uttt.position(closed)) == closed
    path.write_text(f"{closed}\n", "utf-8")
    assert OpeningFile.read(uttt, path).openings == [Opening((), closed)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("X;nonsense a1", ":2: position: expected "),
        ("O;X../.../... a3", ":2: move a3: not legal"),
        ("O;XXX/OO./...", ":2: expected an opening, got a finished game"),
    ],
)
def test_a_wrong_start_is_refused(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(f"a1\n{line}\n", "utf-8")
    with pytest.raises(UsageError) as caught:
        read(TICTACTOE, path)
    assert str(caught.value).startswith(str(path) + message)


class Lettered(Take):
    """With a semicolon in each move."""

    def parse_move(self, text: str) -> int:
        return super().parse_move(text.removeprefix("take;"))

    def move_text(self, move: int) -> str:
        return f"take;{move}"


def test_a_first_move_is_no_start(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("take;3 take;1\nO;8;3 take;1\n", "utf-8")
    assert OpeningFile.read(replace(TAKE, rules=Lettered), path).openings == [
        Opening(("take;3", "take;1")),
        Opening(("take;1",), "O;8;3"),
    ]


class Listed(AnyGame):
    """Its positions are lists of moves."""

    def is_notation(self, word: str) -> bool:
        return "," in word


def taken_after(text: str) -> Take:
    position = Take()
    for move in [] if text == "startpos" else text.split(","):
        position.play(int(move))
    return position


def test_a_game_has_a_notation_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("3,1 3 2 # and on\n3\n", "utf-8")
    fields = {field.name: getattr(TAKE, field.name) for field in dataclass_fields(TAKE)}
    game = Listed(**{**fields, "rules": taken_after})
    assert OpeningFile.read(game, path).openings == [Opening(("3", "2"), "X;7;1"), Opening(("3",))]


def test_a_start_and_moves_may_have_a_word_between_them(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("O;.../.X./... moves a1 # and on\nO;.../.X./... moves\nstartpos moves a1 b1\n", "utf-8")
    start = str(TICTACTOE.position(moves=["b2"]))
    assert OpeningFile.read(TICTACTOE, path).openings == [
        Opening(("a1",), start),
        Opening((), start),
        Opening(("a1", "b1")),
    ]
    path.write_text("a1 moves b1\n", "utf-8")
    with pytest.raises(UsageError, match=r":1: move: expected a1 to c3, got 'moves'"):
        OpeningFile.read(TICTACTOE, path)


def test_points_may_follow_a_start(tmp_path: Path) -> None:
    start = str(games.game("gomoku15").position(moves=["h8", "a1"]))
    assert openings_of(tmp_path, f"{start}\n0,1 -1,-1\n{start} 0,1\n").openings == [
        Opening((), start),
        Opening(("h7", "g9")),
        Opening(("h7",), start),
    ]


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_bytes(b"a1 # caf\xe9\n")
    with pytest.raises(UsageError, match=r"openings.txt: expected UTF-8 text, got byte 0xe9"):
        read(TICTACTOE, path)
    path.write_bytes(b"\xef\xbb\xbfa1 b2\n")
    assert read(TICTACTOE, path) == [("a1", "b2")]


@pytest.mark.parametrize("game_id", ["gomoku15", "standard15", "renju15"])
def test_the_26_openings_of_renju_differ(game_id: str) -> None:
    game = games.game(game_id)
    found = read(game, SHIPPED / "renju26.txt")
    assert len({canonical_key(game.position(moves=moves)) for moves in found}) == len(found) == 26
    assert {moves[0] for moves in found} == {"h8"}


LISTS = [
    ("uttt81.txt", "uttt", 81, 15),
    ("uttt15.txt", "uttt", 15, 15),
    ("uttt15.txt", "uttt-majority", 15, 15),
    ("gomoku9-balanced.txt", "gomoku9", 20, 20),
    ("gomoku15-balanced.txt", "gomoku15", 60, 60),
    ("standard15-balanced.txt", "standard15", 60, 60),
    ("renju15-balanced.txt", "renju15", 60, 60),
]


@pytest.mark.parametrize(("file", "game_id", "lines", "distinct"), LISTS)
def test_shipped_lists_have_their_number_of_openings(file: str, game_id: str, lines: int, distinct: int) -> None:
    game = games.game(game_id)
    found = OpeningFile.read(game, SHIPPED / file).openings
    assert len(set(found)) == len(found) == lines
    assert symmetric_repeats(game, found) == lines - distinct


def test_gomocup_points_count_from_the_top_left(tmp_path: Path) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("0,0 14,0 # corners at the top\n0,14 7,7\n", encoding="utf-8")
    game = games.game("gomoku15")
    expected = [("a15", "o15"), ("a1", "h8")]
    assert read(game, path) == read(game, path, "gomocup") == expected
    with pytest.raises(UsageError, match=r":1: move: expected a1 to o15, got '0,0'"):
        read(game, path, "own")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,0 15,3", ":1: expected a point from 0,0 to 14,14, got '15,3'"),
        ("0,0\n0,0 h8", ":2: expected a point x,y from the top left, got 'h8'"),
        ("1,1 1,1", ":1: move b14: not legal"),
    ],
)
def test_wrong_gomocup_points_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "openings.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read(games.game("gomoku15"), path)
    assert message in str(caught.value)


def openings_of(tmp_path: Path, text: str, coordinates: str | None = None, game: str = "gomoku15") -> OpeningFile:
    path = tmp_path / "openings.txt"
    path.write_text(text, encoding="utf-8")
    return OpeningFile.read(games.game(game), path, coordinates)


@pytest.mark.parametrize(
    "text",
    [
        "2,-3, 4,-4, 5,0\n-1,-5, 3,2, 0,7\n",
        "2,-3 4,-4 5,0\n-1,-5 3,2 0,7\n",
        "2,-3,4,-4,5,0\r\n -1,-5,3,2,0,7\r\n",
        "2 , -3, 4, -4, 5 , 0,  # x\n-1,-5, 3,2, +0,+7\n",
    ],
)
def test_offsets_count_from_the_centre_right_and_down(text: str, tmp_path: Path) -> None:
    """The centre of 15×15 is h8; the coordinates are those of c-gomoku-cli: offset + size // 2, from the top left."""
    expected = [("j11", "l12", "m8"), ("g13", "k6", "h1")]
    for coordinates in (None, "centre", "center"):
        found = openings_of(tmp_path, text, coordinates)
        assert (moves_of(found), found.coordinates, found.warnings) == (expected, "centre", ())
    absolute = openings_of(tmp_path, "9,4 11,3 12,7\n6,2 10,9 7,14\n")
    assert (moves_of(absolute), absolute.warnings) == (expected, ())


def test_the_centre_of_an_even_board_is_below_and_right_of_its_middle(tmp_path: Path) -> None:
    """The first line of c-gomoku-cli's example for 20×20."""
    found = openings_of(tmp_path, "8,-3, 6,-4, 5,-4, 4,-3, 2,-8, -1,-5\n0,0, -10,-10, 9,9\n", game="gomoku20")
    expected = openings_of(tmp_path, "18,7 16,6 15,6 14,7 12,2 9,5\n10,10 0,0 19,19\n", "gomocup", game="gomoku20")
    assert found.openings == expected.openings


def test_the_whole_file_decides_whether_it_has_offsets(tmp_path: Path) -> None:
    assert moves_of(openings_of(tmp_path, "0,0 1,1\n3,3 -1,2\n")) == [("h8", "i7"), ("k5", "g6")]


def test_offsets_without_a_negative_one_are_not_in_the_corner_without_a_word(tmp_path: Path) -> None:
    commas = openings_of(tmp_path, "2,3, 4,4\n1,0, 0,5\n")
    assert moves_of(commas) == [("j5", "l4"), ("i8", "h3")]
    assert commas.warnings[0].endswith('if these are points from the top left, set coordinates = "gomocup"')
    blanks = openings_of(tmp_path, "2,3 4,4\n1,0 0,5\n")
    assert moves_of(blanks) == [("c12", "e11"), ("b15", "a10")]
    assert blanks.warnings[0].endswith('if these are offsets, set coordinates = "centre"')
    assert moves_of(openings_of(tmp_path, "2,3, 4,14\n")) == [("c12", "e1")], "14 is no offset"
    for text, coordinates in (("2,3, 4,4", "gomocup"), ("2,3 4,4", "centre"), ("2,3 4,4", "gomocup")):
        assert openings_of(tmp_path, text, coordinates).warnings == ()
    (tmp_path / "lines.txt").write_text("2,3 4,4\n", encoding="utf-8")
    listed = opening_list(tmp_path, game="gomoku15", file="lines.txt")
    assert taken(listed, 1) == [Opening(("c12", "e11"))]
    assert "top left quarter" in listed.warnings[0]


@pytest.mark.parametrize(
    ("text", "coordinates", "message"),
    [
        ("8,-3, 6,-4\n", None, ":1: expected an offset from -7,-7 to 7,7, got '8,-3'"),
        ("1,1 2\n", "centre", ":1: expected an offset x,y from the centre, got '2'"),
        ("h8\n", "center", ":1: expected an offset x,y from the centre, got 'h8'"),
        ("1,-1\n", "gomocup", "from 0,0 to 14,14, got '1,-1'; offsets from the centre are coordinates = \"centre\""),
        ("h8\n2,-3, 4,-4\n", None, ":2: move: expected a1 to o15, got '2,-3'; offsets from the centre are coord"),
        ("2,-3, 4,-4\n", "own", ":1: move: expected a1 to o15, got '2,-3'; offsets from the centre are coordinates"),
        ("0,0, 0,0\n", "centre", ":1: move h8: not legal"),
    ],
)
def test_wrong_offsets_are_refused(text: str, coordinates: str | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        openings_of(tmp_path, text, coordinates)
    assert message in str(caught.value)


def test_moves_may_run_together(tmp_path: Path) -> None:
    found = openings_of(tmp_path, "d3e5f6d7\nk10j10 i9 j9m7\n")
    assert moves_of(found) == [("d3", "e5", "f6", "d7"), ("k10", "j10", "i9", "j9", "m7")]
    with pytest.raises(UsageError, match=r":1: move: expected a1 to o15, got 'z3'"):
        openings_of(tmp_path, "d3z3\n")


def opening_list(tmp_path: Path, game: str = "tictactoe", seed: int = 1, **openings: Any) -> OpeningList:
    table = {"name": "t", "game": game, "games_per_pair": 2, "seed": seed}
    path = tmp_path / "s.toml"
    path.write_text(toml(tables([player("a"), player("b")], tournament=table, openings=openings)), encoding="utf-8")
    return OpeningList(load(path))


def taken(found: OpeningList, count: int) -> list[Opening]:
    with closing(found):
        found.extend(count)
    return found.found[:count]


def test_ranges_of_a_list_are_disjoint(tmp_path: Path) -> None:
    whole = taken(opening_list(tmp_path, plies=2), 12)
    assert [taken(opening_list(tmp_path, plies=2, start=start), 4) for start in (0, 4, 8)] == [
        whole[:4],
        whole[4:8],
        whole[8:],
    ]
    with pytest.raises(UsageError, match=r"s.toml: openings.start: expected fewer than there are openings, got 12"):
        opening_list(tmp_path, plies=2, start=12).extend(1)


@pytest.mark.programs
def test_count_limits_the_openings_of_a_list(tmp_path: Path) -> None:
    whole = taken(opening_list(tmp_path, plies=2), 12)
    part = opening_list(tmp_path, plies=2, start=3, count=4)
    assert [part(number) for number in range(6)] == [*whole[3:7], *whole[3:5]]
    assert (part.short_of(4), part.short_of(5)) == (False, True)
    going_on = opening_list(tmp_path, plies=2, start=3, count=4)
    assert going_on.resume(whole[3:6])
    assert taken(going_on, 9) == whole[3:7]
    judged: dict[str, Any] = {"plies": 3, "balance": "negamax depth=9 hash_mb=1"}
    drawn = taken(opening_list(tmp_path, **judged), 4)
    assert taken(opening_list(tmp_path, **judged, start=1, count=2), 9) == drawn[1:3]


def test_a_file_can_be_in_random_order(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text(
        "\n".join(["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]), encoding="utf-8"
    )
    listed = taken(opening_list(tmp_path, file="lines.txt"), 9)
    mixed = [taken(opening_list(tmp_path, file="lines.txt", order="random", seed=seed), 9) for seed in (1, 1, 2)]
    assert listed[:2] == [Opening(("a1",)), Opening(("b1",))]
    assert mixed[0] == mixed[1] != mixed[2]
    assert sorted(mixed[0]) == sorted(mixed[2]) == sorted(listed)


def test_symmetric_repeats_in_a_file_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("a1\nb2\nc3\na3\n", encoding="utf-8")
    found = opening_list(tmp_path, file="lines.txt")
    assert len(taken(found, 4)) == 4
    assert found.warnings == ["openings: 2 of 4 in the file are an earlier one up to symmetry"]


@pytest.mark.programs
def test_balanced_openings_are_even_by_search(tmp_path: Path) -> None:
    """At tic-tac-toe a search to the end returns 0, 0.5 or 1; a naive search finds the same drawn openings."""
    found = taken(opening_list(tmp_path, plies=3, balance="negamax depth=9 hash_mb=1"), 100)
    drawn = [one for one in candidates(TICTACTOE, 3, 1) if value(TICTACTOE.position(moves=one.moves)) == 0]
    assert found == drawn
    assert 0 < len(drawn) < 38


def value(position: Position) -> int:
    """The result of perfect play for the side to move: 1, 0 or -1."""
    if position.result is not None:
        return position.result if position.side_to_move == 0 else -position.result
    best = -1
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        best = max(best, -value(child))
        if best == 1:
            break
    return best


@pytest.mark.programs
def test_a_balanced_list_resumes_without_judging_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"game": "uttt", "plies": 4, "balance": "mcts nodes=100", "tolerance": 0.05, "start": 2}
    whole = taken(opening_list(tmp_path, **options), 8)
    asked: list[Opening] = []
    score = OpeningEvaluator.score

    def watched(evaluator: OpeningEvaluator, opening: Opening) -> float:
        asked.append(opening)
        return score(evaluator, opening)

    monkeypatch.setattr(OpeningEvaluator, "score", watched)
    again = opening_list(tmp_path, **options)
    assert again.resume(whole[:5])
    assert asked == []
    assert taken(again, 8) == whole
    assert set(asked).isdisjoint(whole[:5])
    other = opening_list(tmp_path, **{**options, "plies": 5})
    assert not other.resume(whole[:5])
    other.close()


@pytest.mark.programs
def test_a_model_in_the_folder_of_the_schedule_finds_balanced_openings(tmp_path: Path) -> None:
    shutil.copy(ROOT / "models/uttt-small.onnx", tmp_path / "net.onnx")
    found = opening_list(tmp_path, game="uttt", plies=2, balance="net.onnx nodes=5", tolerance=0.5)
    assert len(taken(found, 2)) == 2


@pytest.mark.programs
def test_an_opening_is_judged_from_its_start(tmp_path: Path) -> None:
    starts = [f"4k3/8/8/8/8/8/8/Q3K3_{side}_-_-_0_1" for side in "wb"]
    with closing(OpeningEvaluator("chess", read_balance("negamax depth=1"), tmp_path)) as judge:
        ahead, behind = (judge.score(Opening(start=start)) for start in starts)
        assert behind < 0.2 < 0.8 < ahead
        assert judge.score(Opening(("e1e2",), starts[0])) < 0.2


@pytest.mark.programs
def test_the_tolerance_decides_the_openings(tmp_path: Path) -> None:
    judges: dict[str, Any] = {"game": "connect4", "plies": 1, "balance": "mcts nodes=200"}
    with pytest.raises(UsageError, match=r"s.toml: openings.balance: no opening of 1 ply is even within 0.001"):
        taken(opening_list(tmp_path, **judges, tolerance=0.001), 1)
    counts = [len(taken(opening_list(tmp_path, **judges, tolerance=tolerance), 9)) for tolerance in (0.1, 0.5)]
    assert counts[0] < counts[1] == 4


WRONG = [
    ({"plies": 1, "balance": "nobody depth=2"}, "openings.balance: engine serve: "),
    ({"plies": 1, "balance": "negamax depth=2 dephts=2"}, "openings.balance: engine serve: "),
    ({"plies": 1, "balance": ""}, "openings.balance: expected a player or a model file, then its options as KEY=VALUE"),
    ({"plies": 1, "balance": "negamax depth"}, "openings.balance: expected KEY=VALUE, got 'depth'"),
    ({"plies": 1, "balance": "negamax"}, "expected depth=N or nodes=N, which limits the search, got 'negamax'"),
    ({"plies": 1, "balance": "negamax depth=0"}, "openings.balance: expected a whole number from 1 to"),
    ({"plies": 1, "balance": "negamax depth=2 threads=2"}, "openings.balance: expected threads=1"),
    ({"plies": 1, "balance": "negamax depth=2", "tolerance": 0.6}, "openings.tolerance: expected a number <= 0.5"),
    ({"plies": 1, "tolerance": 0.2}, "openings.tolerance: only with balance, which is missing"),
    ({"balance": "negamax depth=2"}, "openings.balance: only with plies, which is missing"),
    ({"plies": 1, "order": "random"}, "openings.order: only with file, which is missing"),
    ({"plies": 1, "coordinates": "own"}, "openings.coordinates: only with file, which is missing"),
    ({"file": "s.toml", "order": "mixed"}, "openings.order: expected 'listed' or 'random', got 'mixed'"),
    (
        {"file": "s.toml", "coordinates": "gtp"},
        "expected 'own' or 'gomocup' or 'centre', got 'gtp'",
    ),
    ({"plies": 1, "start": -1}, "openings.start: expected a whole number >= 0, got -1"),
]


@pytest.mark.programs
@pytest.mark.parametrize(("options", "message"), WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_wrong_options_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        taken(opening_list(tmp_path, **options), 1)
    assert str(caught.value).startswith(f"{tmp_path / 's.toml'}: openings.")
    assert message in str(caught.value)


def test_points_are_refused_in_a_game_without_them(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("0,0\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"openings.coordinates: connect4 has no points x,y"):
        opening_list(tmp_path, game="connect4", file="lines.txt", coordinates="gomocup")
