"""Opening files of chess and of other games: EPD, PGN, books of PolyGlot, lists with FENs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import pytest

from fiedler import games
from fiedler.games.epd import read_start
from fiedler.games.openings import Opening
from fiedler.games.pgn import pgn_of, start_tags
from fiedler.support.errors import UsageError
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.schedule.opening_file import OpeningFile, drawn_lines, first_start
from fiedler.tournament.schedule.opening_file import form as opening_form
from fiedler.tournament.schedule.validation import load
from tests.folders import ROOT
from tests.tournament.schedules import player, tables, toml

DATA = ROOT / "tests/data/openings"
CHESS, CHESS960, UTTT = (games.game(name) for name in ("chess", "chess960", "uttt"))
AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def word(fen: str) -> str:
    return fen.replace(" ", "_")


def read(folder: Path, name: str, text: str | bytes, game: games.AnyGame = CHESS, plies: int = 0) -> list[Opening]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(OpeningFile.read(game, path, plies=plies).openings)


def test_each_line_of_an_epd_is_a_start(tmp_path: Path) -> None:
    lines = [
        AFTER_E4.removesuffix(" 0 1"),
        'r3k2r/8/8/8/8/8/8/R3K2R w Qk - bm O-O-O; hmvc 7; id "fmvn 3; x"; fmvn 40;',
        "4k3/8/8/8/3pP3/8/8/4K3 b - e3 12 30",
        "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 30 ce 12;",
        chess.STARTING_FEN,
        '4k3/8/8/8/8/8/8/4K2R w K - id "caf\xe9";',
    ]
    found = read(tmp_path, "starts.EPD", ("\ufeff" + "\r\n# a comment\n\n".join(lines)).encode())
    expected = [chess.Board.from_epd(line)[0] for line in (*lines[:2], *lines[5:])]
    expected[2:2] = [chess.Board(line.removesuffix(" ce 12;")) for line in lines[2:5]]
    assert [CHESS.position(one.start).key for one in found] == [
        CHESS.position(word(board.fen())).key for board in expected
    ]
    assert [one.start for one in found][1:5] == [
        "r3k2r/8/8/8/8/8/8/R3K2R_w_Qk_-_7_40",
        "4k3/8/8/8/3pP3/8/8/4K3_b_-_e3_12_30",
        "4k3/8/8/8/3pP3/8/8/4K3_b_-_e3_0_30",
        "startpos",
    ]
    assert all(one.moves == () for one in found)


@pytest.mark.parametrize(
    ("operations", "counters"),
    [
        ('id "hmvc 9; x";hmvc 7;fmvn 40', "7_40"),
        ('hmvc 7; ; id "no end; fmvn 40;', "7_40"),
        (f'hmvc 7; id {"a" * 100_000} "', "7_1"),
        (f"hmvc 7; id {chr(34) * 100_001}", "7_1"),
        (f"hmvc 7; {' ' * 100_000}fmvn 40", "7_40"),
    ],
    ids=range(5),
)
def test_the_counters_of_an_epd_are_read_in_linear_time(operations: str, counters: str) -> None:
    """With time for each place times each other one, the long lines would take days."""
    assert read_start(f"4k3/8/8/8/8/8/8/4K2R w K - {operations}") == f"4k3/8/8/8/8/8/8/4K2R_w_K_-_{counters}"


def test_openings_of_an_epd_are_made_when_they_are_needed(tmp_path: Path) -> None:
    (tmp_path / "starts.epd").write_text(f"{AFTER_E4}\n{chess.STARTING_FEN}", "utf-8")
    openings = OpeningFile.read(CHESS, tmp_path / "starts.epd").openings
    assert (len(openings), openings[-1], openings[:1]) == (2, Opening(), [Opening(start=word(AFTER_E4))])
    assert [*openings] == [openings[0], openings[1]]


def test_a_pgn_has_an_opening_in_each_game() -> None:
    whole = OpeningFile.read(CHESS, DATA / "small.pgn").openings
    assert len(whole) == 8
    assert whole[3].moves == ("e2e4", "e7e6", "e4e5", "d7d5", "e5d6", "c7d6", "d2d4", "g8f6")
    first = OpeningFile.read(CHESS, DATA / "small.pgn", plies=3).openings
    assert [one.moves for one in first] == [one.moves[:3] for one in whole]
    assert len(OpeningFile.read(CHESS, DATA / "small.pgn", plies=500).openings[0].moves) == 10


def test_a_game_may_begin_at_its_tag(tmp_path: Path) -> None:
    tags = f'[SetUp "1"]\n[FEN "{AFTER_E4}"]\n[Variant "Standard"]\n\n'
    ignored = tags.replace('SetUp "1"', 'SetUp "0"')
    found = read(tmp_path, "games.pgn", f"{tags}1... e5 *\n{tags}*\n{ignored}1. d4 *\n")
    assert found == [Opening(("e7e5",), word(AFTER_E4)), Opening((), word(AFTER_E4)), Opening(("d2d4",))]
    number = CHESS960.numbered_start(7)
    text = f'[Variant "Fischerandom"]\n[FEN "{number.replace("_", " ")}"]\n\n*\n'
    assert read(tmp_path, "games.pgn", text, CHESS960) == [Opening((), number)]


def test_games_of_other_rules_are_read_from_our_own_files(tmp_path: Path) -> None:
    start, moves = str(UTTT.position(moves=["e5"])), ["d4", "b2"]
    tags = {"Game": "uttt", **start_tags(UTTT.written_start(start))}
    text = pgn_of(tags, UTTT.pgn_moves(moves, start), "*") + pgn_of({}, ["e5", "d4"], "*")
    assert read(tmp_path, "games.pgn", text, UTTT) == [Opening(tuple(moves), start), Opening(("e5", "d4"))]


def test_a_list_has_fens_with_blanks_and_names_of_either_notation(tmp_path: Path) -> None:
    text = f"{AFTER_E4} # a comment\n{AFTER_E4} 1... e5 2. Nf3\n{word(AFTER_E4)} moves e7e5\n1. e4 c5 2.Nf3\n"
    assert read(tmp_path, "lines.txt", text) == [
        Opening((), word(AFTER_E4)),
        Opening(("e7e5", "g1f3"), word(AFTER_E4)),
        Opening(("e7e5",), word(AFTER_E4)),
        Opening(("e2e4", "c7c5", "g1f3")),
    ]


WRONG = [
    (
        "x.epd",
        f"{AFTER_E4}\nrnbqkbnr/8 w\n",
        0,
        ":2: position: expected at least 4 fields of a FEN, got 'rnbqkbnr/8 w'",
    ),
    ("x.epd", "4k3/8/8/8/8/8/8/4K2K w - -\n", 0, ":1: position: expected one king of White, found 2"),
    ("x.epd", "4k3/8/8/8/8/8/8/R3K3 w - - hmvc x;\n", 0, ":1: position: expected plies without a capture"),
    ("x.epd", "7k/5Q2/8/8/8/8/8/K7 b - -\n", 0, ":1: expected an opening, got a finished game"),
    ("x.epd", b"\x89PNG\0\1", 0, ": expected text in UTF-8, or in UTF-16"),
    ("x.epd", "# only a comment\n", 0, ": expected at least one opening, got none"),
    ("x.epd", "", 0, ": expected at least one opening, got an empty file"),
    ("x.pgn", "1. e4 e5 *\n\n1. e4\nNf6 2. Nf6 *", 0, ":4: game 2, ply 3: move Nf6: not legal in rnbqkb1r/"),
    ("x.pgn", "1. Nf3 d5 2. d3 e5 3. Nd2 *", 2, ""),
    ("x.pgn", "1. Nf3 d5 2. d3 e5 3. Nd2 *", 9, ":1: game 1, ply 5: move Nd2: expected Nbd2 or Nfd2"),
    ("x.pgn", '[Variant "Atomic"]\n\n1. e4 *', 0, ":1: game 1: expected a game of chess, got the variant 'Atomic'"),
    ("x.pgn", '\n[Game "uttt"]\n\n1. e5 *', 0, ":2: game 1: expected a game of chess, got one of uttt"),
    ("x.pgn", '[FEN "x"]\n\n*', 0, ":1: game 1: position: expected 'startpos' or the six fields of a FEN"),
    (
        "x.pgn",
        "1. f3 e5 2. g4 Qh4# 0-1",
        0,
        ":1: game 1: expected an opening, got a finished game; openings.plies",
    ),
    ("x.pgn", "1. f3 e5 2. g4 Qh4# 0-1", 4, ":1: game 1: expected an opening, got a finished game"),
    ("x.pgn", "rubbish of words", 0, ":1: game 1, ply 1: move: expected a move such as e2e4, Nf3, exd5, O-O or e8=Q"),
    ("x.txt", f"{AFTER_E4} e4\n", 0, ":1: move e4: not legal in "),
    ("x.txt", "rnbqkbnr/8 w KQkq\n", 0, ":1: position: expected 'startpos' or the six fields of a FEN"),
]


@pytest.mark.parametrize(("name", "text", "plies", "why"), WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_a_wrong_file_has_one_line_with_its_place(
    tmp_path: Path, name: str, text: str | bytes, plies: int, why: str
) -> None:
    if not why:
        assert len(read(tmp_path, name, text, plies=plies)) == 1
        return
    with pytest.raises(UsageError) as caught:
        read(tmp_path, name, text, plies=plies)
    assert str(caught.value).startswith(f"{tmp_path / name}{why}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening_form, "MOST_BYTES", 1000)
    with pytest.raises(UsageError, match=r"x.epd: expected at most 1,000 bytes, got 1,001"):
        read(tmp_path, "x.epd", "x" * 1001)


def test_lines_of_a_book_are_drawn_by_the_seed_and_differ() -> None:
    drawn = [list(drawn_lines(CHESS, DATA / "small.bin", plies, seed)) for plies, seed in ((6, 1), (6, 1), (6, 2))]
    assert drawn[0] == drawn[1] != drawn[2]
    whole = OpeningFile.read(CHESS, DATA / "small.pgn", plies=6).openings
    assert set(drawn[0]) == set(drawn[2]) == set(whole)
    assert max(len(one.moves) for one in drawn_lines(CHESS, DATA / "small.bin", 99, 1)) == 12, "the book ends"


def schedule(folder: Path, game: str = "chess", **openings: Any) -> Path:
    table = {"name": "t", "game": game, "games_per_pair": 2, "seed": 1}
    path = folder / "s.toml"
    path.write_text(
        toml(tables([player("a"), player("b")], tournament=table, openings=openings, adjudication={"max_plies": 300})),
        "utf-8",
    )
    return path


def taken(folder: Path, most: int, game: str = "chess", **openings: Any) -> list[Opening]:
    with closing(OpeningList(load(schedule(folder, game, **openings)))) as found:
        found.extend(most)
    return found.found


def test_a_run_takes_its_openings_from_a_file_of_any_form(tmp_path: Path) -> None:
    for name in ("small.pgn", "small.bin"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    whole = taken(tmp_path, 9, file="small.pgn", plies=4)
    assert len(whole) == 8
    assert taken(tmp_path, 9, file="small.pgn", plies=4, start=2, count=3) == whole[2:5]
    mixed = taken(tmp_path, 9, file="small.pgn", plies=4, order="random")
    assert mixed != whole
    assert sorted(mixed) == sorted(whole)
    book = taken(tmp_path, 3, file="small.bin", plies=2)
    assert book == list(islice(drawn_lines(CHESS, DATA / "small.bin", 2, 1), 3))
    assert taken(tmp_path, 960, "chess960", positions="random")[959].moves == ()
    assert [len(one.moves) for one in taken(tmp_path, 3, "chess960", positions="random", plies=2)] == [2, 2, 2]


def complaints(folder: Path, game: str, openings: dict[str, Any]) -> Iterator[str]:
    try:
        load(schedule(folder, game, **openings))
    except UsageError as error:
        yield from (line.removeprefix(f"{folder / 's.toml'}: ") for line in str(error).splitlines())


@pytest.mark.parametrize(
    ("game", "openings", "why"),
    [
        (
            "uttt",
            {"file": "x.epd"},
            "openings.file: expected a list or a file *.pgn for uttt, got 'x.epd'",
        ),
        ("uttt", {"file": "x.bin", "plies": 2}, "openings.file: expected a list or a file *.pgn for uttt, got 'x.bin'"),
        ("chess", {"file": "x.bin"}, "openings.plies: expected the number of moves that are drawn from the book"),
        (
            "chess",
            {"file": "x.epd", "plies": 2},
            "openings: expected one of plies, file, got both: only files *.pgn and *.bin",
        ),
        (
            "chess",
            {"file": "x.pgn", "coordinates": "own"},
            "openings.coordinates: only with a list, got",
        ),
        ("chess", {"file": "x.bin", "plies": 2, "order": "random"}, "openings.order: expected 'listed', got 'random'"),
        (
            "chess",
            {"file": "x.pgn", "plies": 2, "balance": "negamax depth=2"},
            "openings.balance: expected none",
        ),
        ("chess", {"file": "x.pgn", "plies": 2}, "openings.file: no such file: "),
        ("chess", {"positions": "random"}, "openings.positions: expected a game of several starts, got chess"),
        ("chess960", {"positions": "all"}, "openings.positions: expected 'start' or 'random', got 'all'"),
        ("chess960", {"positions": "random", "file": "x.txt"}, "openings: expected one of positions, file, got both"),
    ],
)
def test_keys_that_do_not_fit_the_file_are_refused(
    tmp_path: Path, game: str, openings: dict[str, Any], why: str
) -> None:
    assert any(line.startswith(why) for line in complaints(tmp_path, game, openings))


def test_the_first_start_of_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.pgn"
    path.write_text(f'1. e4 *\n\n[FEN "{AFTER_E4}"]\n\n*\n', "utf-8")
    assert first_start(CHESS, path) == f"{path}:3"
    assert first_start(CHESS, DATA / "small.pgn") == first_start(CHESS, DATA / "small.bin") == ""
    path = tmp_path / "x.epd"
    path.write_text(f"\ufeff# a comment\n\n{AFTER_E4}\n", "utf-8")
    assert first_start(CHESS, path) == f"{path}:3"
    path.write_text("# only a comment\n", "utf-8")
    assert first_start(CHESS, path) == ""


@pytest.mark.parametrize("ending", ["txt", "epd", "pgn", "bin"])
def test_a_missing_file_has_no_first_start(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.{ending}"
    with pytest.raises(UsageError, match=r"x\.\w+: cannot be read: no such file or directory"):
        first_start(CHESS, path)
