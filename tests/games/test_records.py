"""Recorded games of RenjuNet and of the Gomocup manager; wrong ones give one line with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiedler import games
from fiedler.games.record import RecordedGame
from fiedler.games.records import read
from fiedler.support.errors import UsageError

RENJU = games.game("renju15")
WON = "h8 a1 i8 b1 j8 c1 k8 d1 l8"
"""Black has five in a row."""


def rif(tmp_path: Path, *found: str) -> Path:
    path = tmp_path / "games.rif"
    body = "\n".join(f"<game {one}\n</game>" for one in found)
    text = f'<?xml version="1.0" encoding="iso-8859-1"?>\n<database>\n<games>\n{body}\n</games>\n</database>\n'
    path.write_text(text, encoding="latin-1")
    return path


def psq(tmp_path: Path, *lines: str, head: str = "Piskvorky 15x15, 11:11, 0") -> Path:
    path = tmp_path / "game.psq"
    path.write_text("\r\n".join([head, *lines, "A\xe9.zip", "B.zip", "-1", "1,Renju"]), encoding="latin-1")
    return path


def names(record: RecordedGame) -> str:
    return " ".join(map(RENJU.position().move_text, record.moves))


def test_games_of_renjunet(tmp_path: Path) -> None:
    path = rif(
        tmp_path,
        f'id="1" rule="3" bresult="0">\n<move>{WON}</move><info>\xe9</info>',
        'id="2" bresult="0.5"><move>h8 H9</move>',
        'id="3" bresult="1"><move/>',
        'id="4"><move>h8</move>',
        f'id="5" bresult="0"><move>{WON.replace("l8", "o15")}</move>',
    )
    found = list(read(path, RENJU))
    assert [names(one) for one in found] == [WON, "h8 h9", "h8", WON.replace("l8", "o15")]
    assert [(one.result, one.finished) for one in found] == [(1, True), (0, False), (None, False), (-1, False)]


def test_the_board_decides_a_game_of_the_gomocup_manager(tmp_path: Path) -> None:
    moves = ["8,8,0", "1,15,12", "9,8,3", "2,15,0", "10,8,1", "3,15,0", "11,8,1", "4,15,0", "12,8,9"]
    (found,) = read(psq(tmp_path, *moves), RENJU)
    assert names(found) == WON
    assert (found.result, found.finished) == (1, True)
    (found,) = read(psq(tmp_path, *moves[:-1]), RENJU)
    assert (found.result, found.finished) == (None, False)
    assert list(read(psq(tmp_path), RENJU)) == []


MOVES = ["8,8", "1,15", "9,8", "2,15", "10,8", "3,15", "11,8", "4,15", "12,8"]


@pytest.mark.parametrize(
    ("lines", "tail"),
    [
        (MOVES, ["-1"]),
        (MOVES, ["A.zip", "B.zip", "-1", "1,3"]),
        ([f"{move},5" for move in MOVES], ["5aside.zip", "B.zip", "0", "1,Renju15_1"]),
        ([f" {move.replace(',', ' , ')} , 7 " for move in MOVES], []),
        ([f"{move},-1" if place % 2 else move for place, move in enumerate(MOVES)], [""]),
    ],
)
def test_moves_of_the_manager_need_no_time(lines: list[str], tail: list[str], tmp_path: Path) -> None:
    path = tmp_path / "game.psq"
    path.write_text("\n".join(["Piskvorky 15x15", *lines, *tail]), encoding="latin-1")
    (found,) = read(path, RENJU)
    assert (names(found), found.result) == (WON, 1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1", "utf-8"])
def test_a_recorded_game_in_any_encoding(encoding: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "game.psq"
    path.write_bytes(end.join(["Piskvorky 15x15, 1:1, 0", *MOVES, "A\xe9.zip", "-1", ""]).encode(encoding))
    (found,) = read(path, RENJU)
    assert names(found) == WON
    rif = tmp_path / "game.rif"
    declared = "" if encoding == "utf-8-sig" else f' encoding="{encoding}"'
    text = f'<?xml version="1.0"{declared}?>{end}<d><i>\xe9</i>{end}<game id="1"><move>{WON}</move></game></d>'
    rif.write_bytes(text.encode(encoding))
    (found,) = read(rif, RENJU)
    assert (names(found), found.place) == (WON, f"{rif}:3: game '1'")


def test_empty_lines_of_the_manager_mean_nothing(tmp_path: Path) -> None:
    (found,) = read(psq(tmp_path, "", "8,8,0", " ", "1,1,0", head="\n \nPiskvorky 15x15"), RENJU)
    assert names(found) == "h8 a15"


def test_blanks_before_the_xml_mean_nothing(tmp_path: Path) -> None:
    path = tmp_path / "game.rif"
    path.write_bytes(b'\xef\xbb\xbf\n \r\n<?xml version="1.0"?>\n<d><game id="1"><move>h8 q9</move></game></d>')
    with pytest.raises(UsageError, match=r"game\.rif:4: game '1': expected a legal move 2"):
        list(read(path, RENJU))


def test_a_game_without_moves_is_counted(tmp_path: Path) -> None:
    places: list[str] = []
    path = rif(tmp_path, 'id="1"><move>h8</move>', 'id="2"><move/>', 'id="3">')
    assert len(list(read(path, RENJU, on_empty=places.append))) == 1
    assert places == [f"{path}:6: game '2'", f"{path}:8: game '3'"]
    empty = psq(tmp_path)
    assert list(read(empty, RENJU, on_empty=places.append)) == []
    assert places[2:] == [str(empty)]


def test_a_file_without_games_is_counted(tmp_path: Path) -> None:
    places: list[str] = []
    path = tmp_path / "other.xml"
    path.write_text("<database><Game id='1'><move>h8</move></Game><move>h8</move></database>", encoding="utf-8")
    assert list(read(path, RENJU, on_empty=places.append)) == []
    assert places == [str(path)]


@pytest.mark.parametrize(
    ("bresult", "result"),
    [("1/2", 0), ("½", 0), ("0,5", 0), (" 0.5 ", 0), (" 1 ", 1), ("1.0", 1), ("0.0", -1), ("", None), (" ", None)],
)
def test_the_forms_of_a_result(tmp_path: Path, bresult: str, result: int | None) -> None:
    path = tmp_path / "game.rif"
    path.write_text(f'<d><game id="1" bresult="{bresult}"><move>h8</move></game></d>', encoding="utf-8")
    assert [one.result for one in read(path, RENJU)] == [result]


def test_a_last_move_on_a_forbidden_point_loses(tmp_path: Path) -> None:
    before = "h8 a1 i8 c1 j9 e1 j10 g1"
    (found,) = read(rif(tmp_path, f'id="1"><move>{before} j8</move>'), RENJU)
    assert RENJU.position(moves=before.split()).forbidden_moves()
    assert (names(found), found.result, found.finished) == (before, -1, True)
    with pytest.raises(UsageError, match=r"expected a legal move 9 of renju15, got 'j8'"):
        list(read(rif(tmp_path, f'id="1"><move>{before} j8 o1</move>'), RENJU))


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ('id="7"><move>h8 q9</move>', "rif:4: game '7': expected a legal move 2 of renju15, got 'q9'"),
        ('id="7"><move>h8 h8</move>', "rif:4: game '7': expected a legal move 2 of renju15, got 'h8'"),
        (f'id="7"><move>{WON} a2</move>', "rif:4: game '7': expected the end of the game after 9 moves, got 'a2'"),
        ('id="7" bresult="2"><move>h8</move>', "rif:4: game '7': expected a bresult of 0, 0.5 or 1, got '2'"),
    ],
)
def test_a_wrong_game_is_named_by_its_line_and_may_be_left_out(tmp_path: Path, game: str, message: str) -> None:
    path = rif(tmp_path, game, 'id="8"><move>h8 h9</move>')
    with pytest.raises(UsageError) as refused:
        list(read(path, RENJU))
    assert str(refused.value).endswith(message)
    wrong: list[UsageError] = []
    assert [names(one) for one in read(path, RENJU, wrong.append)] == ["h8 h9"]
    assert [str(one) for one in wrong] == [str(refused.value)]


def test_a_file_that_is_not_xml_is_refused_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cut.xml"
    path.write_text("<database>\n<games>\n<game id=", encoding="utf-8")
    with pytest.raises(UsageError, match=r"cut\.xml:3: expected the XML of a RIF database, got an error: unclosed"):
        list(read(path, RENJU, lambda _: None))


@pytest.mark.parametrize(
    ("lines", "head", "message"),
    [
        (["x,1"], "\r\n \r\n8,8,0", "psq:3: expected 'Piskvorky 15x15, …', got '8,8,0'"),
        (["8,8,0", "9;9;0", "1,1,1"], None, "psq:3: expected a move X,Y,MILLISECONDS, got '9;9;0'"),
        (["8,8,0", "9;9;0"], None, "psq:3: expected a move X,Y,MILLISECONDS, got '9;9;0'"),
        (["8,8", "junk", "9,9", "1,1"], None, "psq:3: expected a move X,Y,MILLISECONDS, got 'junk'"),
        (["8,8", "100,1,5"], None, "psq:3: expected a move X,Y,MILLISECONDS, got '100,1,5'"),
        (["8,8,0", "16,1,5"], None, "psq:3: expected X and Y from 1 to 15, got '16,1,5'"),
        (["8,8,0", "8,8,0"], None, "psq:3: expected a legal move 2 of renju15, got 'h8'"),
        ([], "Piskvorky 20x20, 11:11, 0", "psq:1: expected 'Piskvorky 15x15, …', got 'Piskvorky 20x20, 11:11, 0'"),
        ([], "8,8,0", "psq:1: expected 'Piskvorky 15x15, …', got '8,8,0'"),
    ],
)
def test_a_wrong_file_of_the_manager_gives_one_line(
    tmp_path: Path, lines: list[str], head: str | None, message: str
) -> None:
    path = psq(tmp_path, *lines, **({"head": head} if head else {}))
    with pytest.raises(UsageError) as refused:
        list(read(path, RENJU))
    assert str(refused.value).endswith(message)
    wrong: list[UsageError] = []
    assert list(read(path, RENJU, wrong.append)) == []
    assert len(wrong) == 1


def test_other_files_and_other_games_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"notes\.txt: expected a file \*\.rif, \*\.xml, \*\.psq"):
        read(tmp_path / "notes.txt", RENJU)
    for name in ("none.rif", "none.psq"):
        with pytest.raises(UsageError, match=rf"{name}: cannot be read: no such file or directory"):
            list(read(tmp_path / name, RENJU))
    with pytest.raises(UsageError, match=r"expected a game of stones on points, got connect4"):
        list(read(psq(tmp_path, "1,1,1"), games.game("connect4")))
