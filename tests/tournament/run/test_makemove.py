"""Players that speak makemove in schedules: the shipped example, faults, refusals, players started elsewhere."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.run import manager
from fiedler.tournament.run.events import Warned
from tests.engine.engine_process import ENGINE
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.schedules import PLAYERS, Bench, Tables, programs_of, shipped_games

EXAMPLE = [sys.executable, "-S", "-E", str(ROOT / "examples" / "makemove_random.py"), "{port}", "{movetime_s}"]
OSP: Tables = {"name": "osp", "player": "osp"}
UTTT: Tables = {"game": "uttt"}
TOURNAMENT = str(Path(sys.executable).parent / "tournament")


def bot(fault: str = "", number: int = 1, **more: object) -> Tables:
    faulty = [sys.executable, "-E", str(PLAYERS / "makemove_misbehave.py"), "{port}", fault, str(number)]
    return {"name": "bot", "command": faulty if fault else EXAMPLE, "protocol": "makemove", **more}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_the_shipped_schedule_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    games = shipped_games("makemove", "movetime_ms = 100", "movetime_ms = 20_000")
    assert len(games) == 60
    assert {one.termination for one in games} == {"rules"}


TOLD: list[tuple[Tables, bool]] = [
    ({"command": ["cat", "{port}"]}, False),
    ({"command": ["cat", "{port}", "250"]}, False),
    ({"listen": "127.0.0.1:4099"}, False),
    ({"listen": "127.0.0.1:4099", "send_time": True}, True),
    ({"command": ["cat", "{port}"], "send_time": True}, True),
    ({"command": ["cat", "{port}", "--time={movetime_s}"]}, True),
    ({"command": ["cat", "{port}", "0.50"]}, True),
    ({"command": ["cat", "{port}", "500"]}, True),
]


@pytest.mark.parametrize(("table", "knows"), TOLD)
def test_a_player_that_cannot_know_its_time_is_named_before_the_first_game(
    bench: Bench, table: Tables, *, knows: bool
) -> None:
    schedule = {"tournament": UTTT | {"concurrency": 1}, "openings": {"plies": 2}}
    path = bench.write([{"name": "bot", "protocol": "makemove", **table}, OSP], limit={"movetime_ms": 500}, **schedule)
    done = subprocess.run(
        [TOURNAMENT, "run", str(path), "--dry-run", "--results", str(bench.results)],
        capture_output=True,
        text=True,
        check=True,
    )
    line = (
        "warning: player 'bot': it cannot know that a move has 500 ms: "
        "expected {movetime_s} in its command, or send_time = true; got neither"
    )
    assert (line in done.stderr.splitlines()) is not knows


def test_a_run_names_a_player_that_cannot_know_its_time(bench: Bench) -> None:
    quick: Tables = {"name": "bot", "command": [*EXAMPLE[:-1], "0.001"], "protocol": "makemove"}
    bench.play([quick, OSP], tournament=UTTT, openings={"plies": 2})
    said = [event.text for event in bench.events if isinstance(event, Warned)]
    assert [text for text in said if text.startswith("player 'bot': it cannot know that a move has ")], said


def test_what_both_sides_say(bench: Bench) -> None:
    log = bench.folder / "log"
    settings: Tables = {"load_model": "net 1.onnx", "send_time": True}
    path = bench.write([bot(**settings), OSP], tournament=UTTT, openings={"plies": 2})
    manager.run(path, results=bench.results, log=log)
    lines = [line.split(maxsplit=2)[2] for line in log.read_text("utf-8").splitlines() if " bot#" in line]
    head = ["< OK", "> LOAD_MODEL:net 1.onnx", "< OK", "> SET_TIME_PER_MOVE:20", "< OK", "> GAME_RESET", "< OK"]
    assert lines[:7] == head
    games = bench.games()
    own = [line for line in lines if line.startswith("< MOVE:")]
    applied = [line for line in lines if line.startswith("> APPLY_MOVE:")]
    # every ply is one or the other, but for the last one of a game if the opponent played it
    unsent = sum((len(one.moves) % 2 == 1) != (one.first == "bot") for one in games)
    assert len(own) + len(applied) == sum(len(one.moves) for one in games) - unsent
    assert lines.count("> MAKE_MOVE") == len(own)
    assert lines.count("> GAME_RESET") == 2
    assert lines[-2:] == ["> EXIT", "< OK"]
    assert programs_of(bench) == []


def test_some_clients_know_no_settings(bench: Bench) -> None:
    assert {one.termination for one in bench.play([bot("strict"), OSP], tournament=UTTT)} == {"rules"}


def test_a_setting_without_an_answer_is_named(bench: Bench) -> None:
    limit = {"movetime_ms": 20_000, "startup_s": 8}
    with pytest.raises(UsageError, match="did not shake hands within 8 s; no OK after LOAD_MODEL yet"):
        bench.play([bot("strict", load_model="x"), OSP], tournament=UTTT, limit=limit)


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        ("says:MOVE:x", "no move, but legal moves exist; it sent 'MOVE:x', expected 'MOVE:N' after MAKE_MOVE"),
        ("says:MOVE:", "no move, but legal moves exist; it sent 'MOVE:', expected 'MOVE:N' after MAKE_MOVE"),
        ("says:MOVE:9", "no move, but legal moves exist; it sent 'MOVE:9', expected 'MOVE:N' after MAKE_MOVE"),
        ("says:ERROR:no", "no move, but legal moves exist; it sent 'ERROR:no', expected 'MOVE:N' after MAKE_MOVE"),
        ("refuses", "no move, but legal moves exist; it sent 'ERROR:no', expected 'OK' after APPLY_MOVE"),
    ],
)
def test_no_move_is_an_illegal_move(bench: Bench, fault: str, detail: str) -> None:
    one = bench.play([bot(fault), OSP], tournament=UTTT)[-1]
    assert (one.termination, one.result.value) == ("illegal move", "0-1" if one.first == "bot" else "1-0")
    assert one.detail.endswith(detail)


def test_a_move_that_is_not_legal_loses(bench: Bench) -> None:
    games = bench.play([bot("says:MOVE:0"), OSP], tournament=UTTT)
    assert {one.termination for one in games} == {"illegal move"}
    assert "a9" in games[0].detail


@pytest.mark.parametrize(("fault", "termination"), [("leaves", "crash"), ("crashes", "crash"), ("says:hm", "time")])
def test_a_player_that_fails_is_started_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str, termination: str
) -> None:
    bench.hurry(monkeypatch, "bot")
    limit = {"movetime_ms": 5000 if termination == "time" else 20_000, "startup_s": PATIENCE}
    games = bench.play([bot(fault), OSP], tournament=UTTT, limit=limit)
    assert [one.termination for one in games] == [termination] * 2
    if fault == "crashes":
        assert "exited with status 3" in games[0].detail
    if fault == "says:hm":
        assert "it sent 'hm', expected 'MOVE:N' after MAKE_MOVE" in games[0].detail
    assert programs_of(bench) == []


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("absent", "exited with status 1, saying: error: no license; it did not connect"),
        (
            "mute",
            "did not shake hands within 8 s; no OK after its connection yet: too slow, or its output is not flushed",
        ),
    ],
)
def test_a_player_that_does_not_come_is_named_before_the_first_game(bench: Bench, fault: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        bench.play(
            [bot(fault), OSP],
            tournament=UTTT,
            limit={"movetime_ms": 20_000, "startup_s": 8 if fault == "mute" else PATIENCE},
        )
    assert str(caught.value).startswith(f"player 'bot': {why}")  # the other one may be late on a busy machine
    assert programs_of(bench) == []


def test_a_line_too_many_is_ignored_with_a_warning(bench: Bench) -> None:
    games = bench.play([bot("eager"), OSP], tournament=UTTT)
    assert {one.termination for one in games} == {"rules"}
    assert [event for event in bench.events if isinstance(event, Warned) and "'hello'" in event.text]


def test_a_player_that_was_started_elsewhere(bench: Bench) -> None:
    port = free_port()
    where = f"127.0.0.1:{port}"
    dialling = [ENGINE, "serve", "--game", "uttt", "--player", "osp", "--protocol", "makemove", "--dial", where]
    with subprocess.Popen(dialling, stderr=subprocess.PIPE, text=True) as engine:
        limit = {"movetime_ms": 20_000, "startup_s": PATIENCE}
        far = {"name": "far", "listen": where, "protocol": "makemove", "send_time": True}
        games = bench.play([far, OSP], tournament={**UTTT, "games_per_pair": 4}, limit=limit)
        assert engine.wait(PATIENCE) == 0
        assert engine.stderr is not None
        assert engine.stderr.read().splitlines()[-1] == f"connected to {where}"
    assert [one.termination for one in games] == ["rules"] * 4


def test_nobody_connects(bench: Bench) -> None:
    where = f"127.0.0.1:{free_port()}"
    far = {"name": "far", "listen": where, "protocol": "makemove"}
    with pytest.raises(UsageError, match=f"player 'far': did not connect to {where} within 1 s"):
        bench.play([far, OSP], tournament=UTTT, limit={"movetime_ms": 20_000, "startup_s": 1})


def test_a_port_that_is_taken_is_named(bench: Bench) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        far = {"name": "far", "listen": where, "protocol": "makemove"}
        with pytest.raises(UsageError, match=f"player 'far': cannot listen on {where}: address already in use"):
            bench.play([far, OSP], tournament=UTTT)


FAR: Tables = {"name": "bot", "listen": "127.0.0.1:4999", "protocol": "makemove"}
REFUSED = [
    (
        bot(),
        {"limit": {"base_ms": 5}},
        "limit.base_ms: expected movetime_ms: player 'bot' speaks makemove, which has no ",
    ),
    (bot(), {"limit": {"nodes": 5}}, "limit.nodes: expected movetime_ms, or own_limit = true for the player: player "),
    (
        bot(own_limit=True),
        {"limit": {"nodes": 5}},
        "players 'bot'.command: expected limit.movetime_ms with {movetime_s}",
    ),
    (bot(options={"a": 1}), {}, "players 'bot'.options: expected none: makemove has no words for options"),
    (bot(command=["x", "1"]), {}, "players 'bot'.command: expected {port} among the arguments: the port to which the "),
    (
        {**bot(), "protocol": "ugi", "send_time": True},
        {},
        "players 'bot'.send_time: only with protocol = 'makemove', got ",
    ),
    (
        {**bot(), "protocol": "ugi", "load_model": "x"},
        {},
        "players 'bot'.load_model: only with protocol = 'makemove', ",
    ),
    (
        {"name": "bot", "dial_in": True, "protocol": "makemove"},
        {},
        "players 'bot'.protocol: expected command or listen",
    ),
    ({**FAR, "protocol": "rowcol"}, {}, "players 'bot'.listen: only with protocol = 'makemove', got it with 'rowcol'"),
    ({**FAR, "listen": "here"}, {}, "players 'bot'.listen: expected HOST:PORT with a port from 1 to 65535, got 'here'"),
    (
        FAR,
        {"tournament": {**UTTT, "concurrency": 2}},
        "players 'bot'.listen: expected one game at the same time with it",
    ),
    (
        {**bot("strict", own_limit=True), "send_time": True},
        {"limit": {"nodes": 5}},
        "players 'bot'.send_time: expected ",
    ),
    (bot(load_model="a\nb"), {}, "players 'bot'.load_model: expected printable characters, got 'a\\nb'"),
    (
        {"name": "bot", "player": "osp", "protocol": "makemove"},
        {},
        "players 'bot'.protocol: expected command or listen ",
    ),
    (
        {"name": "bot", "address": "h:1", "protocol": "makemove"},
        {},
        "players 'bot'.protocol: expected command or listen ",
    ),
    (bot(), {"tournament": {"game": "cube"}}, "players 'bot'.protocol: makemove has no names for the moves of cube"),
]


@pytest.mark.parametrize(("entry", "changes", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_what_a_schedule_cannot_ask_for(bench: Bench, entry: Tables, changes: Tables, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        bench.play([entry, OSP], **{"tournament": UTTT, **changes})
    assert str(caught.value).startswith(f"{bench.path}: {message}")
    assert all(line.startswith(f"{bench.path}: ") for line in str(caught.value).split("\n"))


def test_with_a_limit_of_its_own_the_stall_binds(bench: Bench) -> None:
    limit = {"depth": 3, "stall_s": PATIENCE, "startup_s": PATIENCE}
    games = bench.play([bot("strict", own_limit=True), OSP], tournament=UTTT, limit=limit)
    assert {one.termination for one in games} == {"rules"}
