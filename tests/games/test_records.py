"""Recorded games of RenjuNet and of the Gomocup manager; wrong ones give one line with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest

import games
from games.record import RecordedGame
from games.records import read
from support.errors import UsageError

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
        (["8,8,0", "9;9;0", "1,1,1"], None, "psq:3: expected a move X,Y,MILLISECONDS, got '9;9;0'"),
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
