"""Players that speak Gomocup in schedules: the shipped example, our own players, and the habits of real programs."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest

from fiedler.protocol.gomocup import PAUSE_S, GomocupClient
from fiedler.support.errors import UsageError
from fiedler.tournament.play.work_folder import PREFIX, placed
from fiedler.tournament.run import manager
from tests.engine.engine_process import serving
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, Tables, programs_of, shipped_games

EXAMPLE = [sys.executable, "-S", "-E", str(ROOT / "examples" / "gomocup_random.py")]
OSP: Tables = {"name": "osp", "player": "osp"}
GOMOKU: Tables = {"game": "gomoku9"}
SKELETON = """
import os, sys
sys.path.insert(0, {examples!r})
import gomocup_random as bot
def say(line):
    sys.stdout.buffer.write(line if isinstance(line, bytes) else line.encode())
    sys.stdout.flush()
habit, board, starts = {habit!r}, bot.Board(), 0
if habit == "banner":
    say("MESSAGE I am ready\\r\\nDEBUG x\\r\\n")
while True:
    line = bot.read_line()
    if not line:
        if habit == "spins":
            while True: pass
        break
    command, _, value = line.strip().partition(" ")
    if command == "END":
        if habit == "spins": continue
        break
    text = bot.answer(board, command, value)
    starts += command == "START"
    if habit == "restarts" and starts > 1: text = "UNKNOWN START"
    if habit == "refuses" and command == "START": text = "ERROR unsupported size"
    if habit == "never OK" and text == "OK": text = ""
    if habit == "kind" and text == "OK": text = "ok - everything is good"
    if habit == "folder" and command == "START":
        assert os.listdir() == [] and not os.path.exists("schedule.toml")
        open("table", "w").write("x" * 100)
        say("MESSAGE in " + os.getcwd() + "\\n")
    if command == "ABOUT":
        say(text + "\\n")
    elif "," in text:
        if habit == "banner": say(b"MESSAGE \\x14\\nlost half 3\\nMESSAGE \\xb5\\xe3 x\\n" + text.encode() + b" \\r")
        elif habit == "moans": say("ERROR bad coordinates\\n" + text + "\\n")
        elif habit == "suggests":
            say("SUGGEST " + text + "\\n")
            say(bot.read_line().strip().removeprefix("PLAY ") + "\\n")
        elif habit.startswith("says:"): say(habit[5:] + "\\n")
        else: say(text + "\\n")
    elif text:
        say(text + "\\n")
"""


def habitual(habit: str) -> list[str]:
    """Return the command of a program with a habit of real ones."""
    code = SKELETON.format(examples=str(ROOT / "examples"), habit=habit)
    return [sys.executable, "-E", "-c", code]


def bot(command: list[str], **more: object) -> Tables:
    return {"name": "bot", "command": command, "protocol": "gomocup", **more}


def logged(bench: Bench, players: list[Tables], **changes: Tables) -> list[tuple[float, str]]:
    """Play, and return the seconds and the lines of the traffic with the bot."""
    log = bench.folder / "log"
    path = bench.write(players, **{"tournament": GOMOKU, **changes})
    manager.run(path, results=bench.results, log=log)
    lines = [line.split(maxsplit=2) for line in log.read_text("utf-8").splitlines() if " bot#" in line]
    return [(float(seconds), rest) for seconds, _, rest in lines]


def test_the_shipped_schedule_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    games = shipped_games("gomocup", "movetime_ms = 1000", "movetime_ms = 20_000")
    assert len(games) == 18
    assert {one.termination for one in games} == {"rules"}


@pytest.mark.parametrize("game_id", ["gomoku20", "renju15"])
def test_a_game_is_the_same_over_gomocup_and_over_ugi(bench: Bench, game_id: str) -> None:
    played = []
    for protocol in ("gomocup", "ugi"):
        bench.results = bench.folder / protocol
        ours = [
            {"name": name, "player": "negamax", "options": {"depth": depth}, "protocol": protocol}
            for name, depth in (("a", 1), ("b", 2))
        ]
        games = bench.play(ours, tournament={"game": game_id}, openings={"plies": 3}, adjudication={"max_plies": 12})
        assert {one.termination for one in games} <= {"rules", "adjudication"}
        played.append([(one.id, one.moves, one.result) for one in games])
    assert played[0] == played[1]


def test_a_player_at_an_address_and_on_a_clock(bench: Bench) -> None:
    with serving("--game", "gomoku9", "--player", "hsp", "--protocol", "gomocup") as server:
        far: Tables = {"name": "far", "address": server.address, "protocol": "gomocup", "options": {"seed": 5}}
        limit = {"base_ms": round(1000 * PATIENCE), "increment_ms": 1000, "startup_s": PATIENCE}
        games = bench.play([far, bot(EXAMPLE)], tournament=GOMOKU, limit=limit)
    assert {one.termination for one in games} == {"rules"}
    assert [one.result.value for one in games] == ["1-0" if one.first == "far" else "0-1" for one in games]


def test_the_lines_of_the_manager(bench: Bench) -> None:
    limit = {"movetime_ms": 20_000, "startup_s": PATIENCE}
    traffic = logged(bench, [bot(EXAMPLE, reserve_ms=500, options={"seed": 3}), OSP], limit=limit)
    lines = [line for _, line in traffic]
    info = ["> INFO max_memory 0", "> INFO game_type 2", "> INFO rule 0"]
    settled = ["> ABOUT", '< name="gomocup_random", version="1", author="me", country="-"']
    times = ["> INFO timeout_turn 19500", "> INFO timeout_match 2147483647", "> INFO time_left 2147483647"]
    start = ["> START 9", "< OK", *info, "> INFO seed 3", *settled, *times]
    again = lines.index("> START 9", 1)
    assert lines[: len(start)] == lines[again : again + len(start)] == start
    assert {line.split()[1] for line in (lines[len(start)], lines[again + len(start)])} == {"BEGIN", "TURN"}
    assert "> BOARD" not in lines
    assert lines[-1] == "> END"


def test_the_pause_before_a_line(bench: Bench) -> None:
    traffic = logged(bench, [bot(EXAMPLE), bot(EXAMPLE, name="other")])
    pauses = [
        later - earlier
        for (earlier, one), (later, other) in pairwise(traffic)
        if one.startswith("<") and other.startswith(">")
    ]
    assert len(pauses) > 10
    assert min(pauses) > PAUSE_S - 0.003  # the log has milliseconds


def test_an_opening_is_a_board_in_the_order_of_play(bench: Bench) -> None:
    lines = [line for _, line in logged(bench, [bot(EXAMPLE), OSP], openings={"plies": 4})]
    boards = [lines[at + 1 : at + lines[at:].index("> DONE")] for at, line in enumerate(lines) if line == "> BOARD"]
    assert len(boards) == 2
    assert sorted(["".join(stone[-1] for stone in board) for board in boards]) == ["1212", "21212"]


@pytest.mark.parametrize("habit", ["banner", "kind", "moans", "suggests", "spins"])
def test_habits_that_are_tolerated(bench: Bench, habit: str) -> None:
    games = bench.play([bot(habitual(habit)), OSP], tournament=GOMOKU, openings={"plies": 2})
    assert {one.termination for one in games} == {"rules"}
    assert programs_of(bench) == []


def test_a_program_that_never_answers_start(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GomocupClient, "grace_s", 0.2)
    games = bench.play([bot(habitual("never OK")), OSP], tournament=GOMOKU)
    assert {one.termination for one in games} == {"rules"}


def test_a_program_for_another_board_is_given_up_at_once(bench: Bench) -> None:
    wrong = "refused to begin; it sent 'ERROR unsupported size', expected 'OK' after START"
    limit = {"movetime_ms": 9000, "startup_s": 3600}
    with pytest.raises(UsageError, match=wrong):
        bench.play([bot(habitual("refuses")), OSP], tournament=GOMOKU, limit=limit)


def test_a_process_for_each_game(bench: Bench) -> None:
    games = bench.play([bot(habitual("restarts"), restart="game"), OSP], tournament=GOMOKU)
    assert {one.termination for one in games} == {"rules"}


def test_a_program_that_refuses_another_game_is_started_again(bench: Bench) -> None:
    games = bench.play([bot(habitual("restarts")), OSP], tournament=GOMOKU)
    assert [one.termination for one in games] == ["rules", "rules"]


def test_each_process_has_a_folder_of_its_own(bench: Bench) -> None:
    traffic = logged(bench, [bot(habitual("folder"), restart="game"), OSP])
    folders = [Path(line.removeprefix("< MESSAGE in ")) for _, line in traffic if line.startswith("< MESSAGE in ")]
    assert len(folders) == 2
    assert len({*folders}) == 2
    assert all(folder.name.startswith(PREFIX) and not folder.exists() for folder in folders)


def test_the_words_of_a_command_that_name_files(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("pbrain-x", "net.bin", "sub/y"):
        (tmp_path / name).touch()
    folder = str(tmp_path / "sub")
    assert placed(["../pbrain-x", "../net.bin", "y", "sub", "5", "-q"], folder) == (
        str(tmp_path / "pbrain-x"),
        str(tmp_path / "net.bin"),
        str(tmp_path / "sub" / "y"),
        "sub",
        "5",
        "-q",
    )
    assert placed(["y", "no/such/file", "\0", "x" * 5000], folder) == ("y", "no/such/file", "\0", "x" * 5000)


FAULTS = [
    ("says:9,9", "it sent '9,9', expected 'X,Y' after BEGIN, TURN or BOARD"),
    ("says:-1,-1", "it sent '-1,-1', expected 'X,Y' after BEGIN, TURN or BOARD"),
]


@pytest.mark.parametrize(("habit", "detail"), FAULTS)
def test_an_answer_that_is_no_point_loses(bench: Bench, habit: str, detail: str) -> None:
    for one in bench.play([bot(habitual(habit)), OSP], tournament=GOMOKU, openings={"plies": 2}):
        assert (one.termination, one.result.value) == ("illegal move", "0-1" if one.first == "bot" else "1-0")
        assert one.detail.endswith(detail)


def test_an_occupied_point_loses(bench: Bench) -> None:
    games = bench.play([bot(habitual("says:4,4")), bot(habitual("says:4,4"), name="twin")], tournament=GOMOKU)
    assert {(one.termination, len(one.moves)) for one in games} == {("illegal move", 1)}
    assert "e5" in games[0].detail


@pytest.mark.parametrize("line", ["ERROR no idea", "hm"])
def test_any_other_line_loses_on_time_and_is_quoted(bench: Bench, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    bench.hurry(monkeypatch, "bot")
    limit = {"movetime_ms": 5000, "startup_s": PATIENCE}
    one = bench.play([bot(habitual(f"says:{line}")), OSP], tournament=GOMOKU, limit=limit)[0]
    assert one.termination == "time"
    assert f"it sent '{line}', expected 'X,Y'" in one.detail


def test_with_a_limit_of_its_own_no_time_is_sent(bench: Bench) -> None:
    limit = {"nodes": 100, "stall_s": PATIENCE, "startup_s": PATIENCE}
    lines = [line for _, line in logged(bench, [bot(EXAMPLE, own_limit=True), OSP], limit=limit)]
    assert not [line for line in lines if "time" in line]


REFUSED = [
    ({}, {"limit": {"nodes": 5}}, "limit.nodes: expected movetime_ms"),
    ({}, {"tournament": {"game": "uttt"}}, "players 'bot'.protocol: gomocup has no names for the moves of uttt"),
    ({}, {"tournament": {"game": "tictactoe"}}, "players 'bot'.protocol: gomocup has no names for the moves of"),
    ({"restart": "always"}, {}, "players 'bot'.restart: expected 'never' or 'game', got 'always'"),
    ({"protocol": "gtp", "reserve_ms": -1}, {}, "players 'bot'.reserve_ms: expected a whole number >= 0, got -1"),
]


@pytest.mark.parametrize(("more", "changes", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_what_a_schedule_cannot_ask_for(bench: Bench, more: Tables, changes: Tables, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        bench.play([bot(EXAMPLE, **more), OSP], **{"tournament": GOMOKU, **changes})
    assert str(caught.value).startswith(f"{bench.path}: {message}")


def test_keys_of_programs_are_refused_for_other_players(bench: Bench) -> None:
    far: Tables = {"name": "far", "address": "h:1", "restart": "game"}
    with pytest.raises(UsageError, match=r"players 'far'\.restart: only with command"):
        bench.play([far, OSP])
    rowcol: Tables = {"name": "bot", "command": ["x"], "protocol": "rowcol", "reserve_ms": 5}
    with pytest.raises(UsageError, match=r"players 'bot'\.reserve_ms: only with a protocol that sends times"):
        bench.play([rowcol, OSP], tournament={"game": "uttt"})
