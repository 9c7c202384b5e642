"""Reading games from PGN and CSV files."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fiedler.support.errors import UsageError
from fiedler.support.left_out import LeftOut
from fiedler.tournament.ratings.files import Reading, read_results
from fiedler.tournament.ratings.results import DRAWS, OUTCOMES, Results, known_result
from tests.native import pgn_model


def read(folder: Path, text: str | bytes, name: str = "games.pgn") -> Reading:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_results(path)


def refused(folder: Path, text: str | bytes, name: str = "games.pgn") -> str:
    with pytest.raises(UsageError) as caught:
        read(folder, text, name)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(folder / name))
    return message.removeprefix(str(folder / name))


def game(white: str, black: str, result: str, moves: str = "1. a1 b2") -> str:
    return f'[Event "e"]\n[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n{moves} {result}\n\n'


AB = Results.from_games([("a", "b", "1-0")])


def test_pgn_games_are_counted(tmp_path: Path) -> None:
    text = game("a", "b", "1-0") + game("b", "a", "1/2-1/2") + game("a", "b", "0-1") + game("a", "b", "*")
    reading = read(tmp_path, text)
    assert reading.results == Results(("a", "b"), ((0, 1, 1, 0, 1), (1, 0, 0, 1, 0)))
    assert reading.left_out == (LeftOut(str(tmp_path / "games.pgn"), "unfinished", 1, (22,)),)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('[White "a"]\n[Black "b"]\n[Result "1-0"]\n', id="no movetext"),
        pytest.param('[White "a"]\n[Black "b"]\n[Result "1-0"]', id="no last newline"),
        pytest.param('[White "a"] [Black "b"] [Result "1-0"]\n1-0\n', id="tags on one line"),
        pytest.param('\ufeff[White "a"]\r\n[Black "b"]\r\n[Result "1-0"]\r\n\r\n1-0\r\n', id="BOM and CRLF"),
        pytest.param(game("a", "b", "1-0", '1. a1 {[White "x"]\n[Black "y"]\n} b2 ; {\n'), id="tags in a comment"),
        pytest.param("% {\n" + game("a", "b", "1-0", "1. a1 {one} {two\n} {\n\n}"), id="escape line and comments"),
        pytest.param(
            '; made by a program\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n', id="words before the first tag"
        ),
        pytest.param('[  White   "a" ]\n[Black "b"]\n[Result "1-0"]\n[WhiteElo "2000"]\n\n*\n', id="blanks in tags"),
    ],
)
def test_pgn_in_many_forms(text: str, tmp_path: Path) -> None:
    assert read(tmp_path, text) == Reading(AB)


def test_pgn_header_only_games_are_all_read(tmp_path: Path) -> None:
    text = '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n' * 3
    assert read(tmp_path, text).results.games == 3


def test_pgn_names_keep_escapes_blanks_and_signs(tmp_path: Path) -> None:
    text = game(r"The \"Quoted\" One", r"back\\slash", "1-0") + game(" leading", "日本語", "0-1")
    assert read(tmp_path, text).results.names == ('The "Quoted" One', "back\\slash", " leading", "日本語")
    latin = game("Ünï", "b", "1-0").encode("latin-1")
    assert read(tmp_path, latin).results.names[0] == "Ünï"


@pytest.mark.parametrize(
    ("result", "reason"),
    [("*", "unfinished"), ("", "unfinished"), ("?", "unfinished"), ("2-0", "unknown result '2-0'")],
)
def test_pgn_games_without_a_known_result_are_counted_and_need_no_players(
    result: str, reason: str, tmp_path: Path
) -> None:
    text = game("a", "b", "1-0") + f'[Result "{result}"]\n\n*\n\n'
    assert read(tmp_path, text) == Reading(AB, (LeftOut(str(tmp_path / "games.pgn"), reason, 1, (8,)),))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ": expected at least one game with the result 1-0, 0-1 or 1/2-1/2, found none"),
        ("just some words\n", ": expected at least one game"),
        (game("a", "b", "*"), ": expected at least one game"),
        (game("a", "b", "1-0", "{never\nclosed"), ":6: expected a } that closes the comment begun here"),
    ],
)
def test_pgn_errors_give_place_and_reason(text: str, complaint: str, tmp_path: Path) -> None:
    assert refused(tmp_path, text).startswith(complaint)


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ('[White "a"\n', "no result", 8),
        (game('a "b" c', "b", "1-0"), "malformed tag White", 8),
        ('\n[White "a"]\n[Result "1-0"]\n', "no tag Black", 9),
        ('[Black "a"]\n[White ""]\n[Result "1-0"]\n', "the name of White is empty", 8),
        ('[Black "a"]\n[White "?"]\n[Result "1-0"]\n', "the name of White is unknown (?)", 8),
        ('[White "a"]\n[Black "b"]\n\n1. a1 b2\n', "no result", 8),
    ],
)
def test_one_wrong_game_is_left_out_and_the_others_are_read(text: str, reason: str, line: int, tmp_path: Path) -> None:
    found = LeftOut(str(tmp_path / "games.pgn"), reason, 1, (line,))
    assert read(tmp_path, game("a", "b", "1-0") + text) == Reading(AB, (found,))
    assert reason in refused(tmp_path, game("a", "b", "*") + text)


def test_draws_may_be_written_short_and_the_moves_may_have_the_result(tmp_path: Path) -> None:
    text = game("a", "b", "1/2") + '[White "a"]\n[Black "b"]\n\n1. a1 b2 1/2\n'
    assert read(tmp_path, text) == Reading(Results.from_games([("a", "b", "1/2-1/2")] * 2))
    rows = "white,black,result\na,b,1/2\na,b,½-½\n"
    assert read(tmp_path, rows, "games.csv") == Reading(Results.from_games([("a", "b", "1/2-1/2")] * 2))


@pytest.mark.parametrize(
    ("spelled", "result"),
    [
        *((text, "1-0") for text in ("1", "1.0", '"1,0"', "1-0", " 1 ")),
        *((text, "0-1") for text in ("0", "0.0", '"0,0"', "0-1", " 0 ")),
        *((text, "1/2-1/2") for text in ("0.5", ".5", '"0,5"', *sorted(DRAWS))),
    ],
)
def test_a_table_may_have_the_scores_of_the_first_player(tmp_path: Path, spelled: str, result: str) -> None:
    found = read(tmp_path, f"white,black,result\na,b,{spelled}\n", "games.csv")
    assert found == Reading(Results.from_games([("a", "b", result)]))


@pytest.mark.parametrize("wrong", ["2", "-1", "0.25", "1/4", "1/2-0", "nan", "1e0", "01", "+1", "win", "1:0"])
def test_another_number_in_a_table_is_no_score(tmp_path: Path, wrong: str) -> None:
    said = refused(tmp_path, f"white,black,result\na,b,{wrong}\n", "games.csv")
    assert said == f":2: expected a result 1-0, 0-1, 1/2-1/2 or *, got {wrong!r}"


def test_the_native_reader_knows_the_same_results_as_that_of_tables(tmp_path: Path) -> None:
    for text in (*DRAWS, *OUTCOMES, "2-0", "draw", "1:0", "1/2-1/", "=-=", "½-", "0-0", "+/-", "1/2-1/2-"):
        known = known_result(text)
        games = game("a", "b", "1-0") + f'[White "a"]\n[Black "b"]\n[Result "{text}"]\n\n'
        expected = [("a", "b", "1-0"), *([("a", "b", known)] if known else [])]
        assert read(tmp_path, games).results == Results.from_games(expected), text
    assert {*pgn_model.DRAWS} == DRAWS


def test_malformed_tags_that_do_not_count_are_skipped_with_a_warning(tmp_path: Path) -> None:
    text = game("a", "b", "1-0").replace("[White", '[Annotator "He said "hi""]\n[Broken tag]\n[White')
    path = tmp_path / "games.pgn"
    assert read(tmp_path, text) == Reading(AB, warnings=(f"{path}: 2 malformed tags skipped (lines 2, 3)",))


def test_csv_blanks_around_fields_mean_nothing(tmp_path: Path) -> None:
    rows = ' white , black\t, result\r\nAda, Bo , 1-0\n  \nBo , Ada,\t0-1\n Ada,"Bo",1-0\n,,\n'
    reading = read(tmp_path, rows, "games.csv")
    assert reading == Reading(Results(("Ada", "Bo"), ((0, 1, 2, 0, 0), (1, 0, 0, 0, 1))))


def test_csv_games_without_a_name_are_left_out(tmp_path: Path) -> None:
    rows = "white,black,result\na,b,1-0\n,b,1-0\na,?,1-0\na,b,*\n,b,1-0\n"
    path = str(tmp_path / "games.csv")
    assert read(tmp_path, rows, "games.csv").left_out == (
        LeftOut(path, "the name of White is empty", 2, (3, 6)),
        LeftOut(path, "the name of Black is unknown (?)", 1, (4,)),
        LeftOut(path, "unfinished", 1, (5,)),
    )


def test_csv_games_are_counted(tmp_path: Path) -> None:
    text = '\ufeffWhite, black ,result\r\na,"b, jr.",1-0\r\n\r\n"b, jr.",a, 1/2-1/2 \r\na,c,*\r\nd,a,\r\n'
    reading = read(tmp_path, text, "games.CSV")
    assert reading.results == Results(("a", "b, jr."), ((0, 1, 1, 0, 0), (1, 0, 0, 1, 0)))
    assert [one.text().partition(": ")[2] for one in reading.left_out] == [
        "1 game left out: unfinished (line 5)",
        "1 game left out: no result (line 6)",
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", ":1: expected the header white,black,result, then rows such as Ann,Bob,1-0"),
        ("a,b,1-0\n", ":1: expected the header white,black,result, then rows such as Ann,Bob,1-0"),
        ("white,black,result\na,b\n", ":2: expected 3 fields (white,black,result), got 2"),
        ("white,black,result\na,b,1-0\n\na,b,2-0\n", ":4: expected a result 1-0, 0-1, 1/2-1/2 or *, got '2-0'"),
        ('white,black,result\n"a,b,1-0\n', ":2: expected rows of white,black,result: unexpected end of data"),
        (b"white,black,result\na,\xff,1-0\n", ":2: expected text in UTF-8"),
        ("white,black,result\n", ": expected at least one game"),
    ],
)
def test_csv_errors_give_place_and_reason(text: str | bytes, complaint: str, tmp_path: Path) -> None:
    assert refused(tmp_path, text, "games.csv").startswith(complaint)


def test_other_files_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, "x", "games.txt") == ": expected a run folder or a file ending in .pgn or .csv"
    with pytest.raises(UsageError, match=r"gone\.pgn: cannot be read: no such file"):
        read_results(tmp_path / "gone.pgn")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300) | st.text('[]"{};% \n\\WhiteBlackResult01-/2*', max_size=200).map(str.encode))
@pytest.mark.parametrize("name", ["games.pgn", "games.csv"])
def test_garbage_is_read_or_refused(data: bytes, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with contextlib.suppress(UsageError):
        assert read_results(path).results.games > 0


def test_pgn_of_many_games_in_one_line_after_the_other_is_read_in_pieces(tmp_path: Path) -> None:
    """More than one piece of the file, with a line over the border."""
    one = game("a", "b", "1-0", "{" + "long " * 50_000 + "}")
    assert read(tmp_path, one * 10).results.games == 10


def test_csv_repeated_rows_are_counted_and_a_later_wrong_row_is_found(tmp_path: Path) -> None:
    rows = "white,black,result\n" + "a,b,1-0\n" * 1000
    assert read(tmp_path, rows + "a,b, 1-0\n", "games.csv").results.rows == ((0, 1, 1001, 0, 0),)
    assert refused(tmp_path, rows + "a,b,2\n", "games.csv").startswith(":1002: ")


ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_files_in_other_encodings_are_read_by_their_mark(encoding: str, tmp_path: Path) -> None:
    mark = "" if encoding in {"utf-16", "utf-32"} else "\ufeff"
    text = game("Ünï", "b", "1-0") * 3
    assert read(tmp_path, (mark + text).encode(encoding)).results == Results.from_games([("Ünï", "b", "1-0")] * 3)
    rows = f"{mark}white,black,result\r\nÜnï,b,1-0\r\n"
    assert read(tmp_path, rows.encode(encoding), "games.csv").results == Results.from_games([("Ünï", "b", "1-0")])


@pytest.mark.parametrize("name", ["games.pgn", "games.csv"])
def test_text_in_an_unknown_encoding_is_refused(name: str, tmp_path: Path) -> None:
    zero = ": expected text in UTF-8, or in UTF-16 with a byte order mark; got zero bytes"
    assert refused(tmp_path, game("a", "b", "1-0").encode("utf-16-le"), name) == zero
    text = game("a", "b", "1-0") if name == "games.pgn" else "white,black,result\na,b,1-0\n"
    cut = text.encode("utf-16")[:-1]
    assert refused(tmp_path, cut, name) == ": expected text in UTF-16, by its byte order mark"


def test_lines_that_end_in_a_bare_carriage_return_are_lines(tmp_path: Path) -> None:
    assert read(tmp_path, game("a", "b", "1-0").replace("\n", "\r")) == Reading(AB)
    rows = "white,black,result\ra,b,1-0\r"
    assert read(tmp_path, rows, "games.csv") == Reading(AB)
    assert refused(tmp_path, rows + "a,b,2-0\r", "games.csv").startswith(":3: expected a result ")


def test_blocks_may_end_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "white,black,result\r\nÜnï,b,1-0\r\nb,Ünï,*".encode()
    for size in range(4, len(rows)):  # a mark has four bytes at most
        monkeypatch.setattr("fiedler.support.text_file.CHUNK", size)
        assert read(tmp_path, rows, "games.csv").skipped == 1
        assert read(tmp_path, rows.decode().encode("utf-16"), "games.csv").skipped == 1
