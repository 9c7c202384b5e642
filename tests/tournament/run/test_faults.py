"""A player's failure costs that player that game and is counted by kind, and the run continues."""

from __future__ import annotations

import asyncio
import re
import shlex
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from fiedler import protocol
from fiedler.protocol.flood import FLOOD
from fiedler.protocol.mistake import Question
from fiedler.protocol.ugi import UgiClient
from fiedler.support.errors import UsageError
from fiedler.tournament.play import carriers, endpoint, endpoints
from fiedler.tournament.play.probe import unusable
from fiedler.tournament.play.session import MATE, PlayerSession
from fiedler.tournament.run import manager, seats, venue
from fiedler.tournament.run.events import Benched, Warned
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import LimitSection, PlayerEntry, Schedule, Tournament
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.schedules import GENEROUS, Bench, listening, misbehaving, player

pytestmark = pytest.mark.programs

FAST = {"movetime_ms": 100, "margin_ms": 50, "startup_s": PATIENCE}
"""A short limit, for late players only."""
LATE = ("silent", "late-twice")


def offering(option: str) -> list[str]:
    """Return the command of a player that offers an option, gets ready and makes no legal move."""
    program = """
import sys
answers = {"ugi": "option name " + sys.argv[1] + "\\nugiok", "isready": "readyok", "go": "bestmove none"}
for line in sys.stdin:
    print(answers.get(line.split()[0], ""), flush=True)
"""
    return [sys.executable, "-S", "-E", "-c", program, option]


FAULTS = [
    ("illegal", "illegal move", "a1: not legal"),
    ("garbage", "illegal move", "expected a1 to c3"),
    ("bare", "illegal move", "no move, but legal moves exist"),
    ("resign", "resignation", "bad resigns"),
    ("silent", "time", "ms of 150 ms allowed"),
    ("late-twice", "time", "ms of 150 ms allowed"),
    ("crash", "crash", "bad exited with status 3, saying: Traceback: out of ideas"),
    ("killed", "crash", "bad was killed by SIGKILL"),
    ("closes", "disconnect", "bad closed its output"),
    ("flood", "disconnect", "bad sent more than 1 MiB"),
    ("flood-lines", "disconnect", "bad sent "),
    ("bomb", "disconnect", "bad sent "),
    ("bomb-before", "disconnect", "bad sent "),
]


@pytest.mark.parametrize(("fault", "termination", "detail"), FAULTS, ids=[row[0] for row in FAULTS])
def test_a_fault_on_pipes_costs_the_game(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str, termination: str, detail: str
) -> None:
    bench.hurry(monkeypatch, "bad")
    monkeypatch.setattr("fiedler.protocol.flood.FLOOD_S", PATIENCE)  # a flood takes longer on a busy machine
    games = bench.play([player("bad", fault, 2), player("good")], limit=FAST if fault in LATE else GENEROUS)
    assert len(games) == 2
    for game in games:
        assert game.loser == "bad"
        assert game.termination == termination
        assert detail in game.detail


def test_a_player_without_fault_plays_to_the_end(bench: Bench) -> None:
    games = bench.play([player("a"), player("b", "noise")], limit=GENEROUS)
    assert [game.termination for game in games] == ["rules", "rules"]
    assert games[0].detail == "three in a row"
    assert games[0].moves == ("a1", "b1", "c1", "a2", "b2", "c2", "a3")


def test_endless_words_on_standard_error_cost_nothing(bench: Bench) -> None:
    games = bench.play([player("a", "stderr-flood", 1), player("b")], limit=GENEROUS)
    assert [game.termination for game in games] == ["rules", "rules"]


CLOCKS = [
    {"movetime_ms": 200, "margin_ms": 50},
    {"base_ms": 300, "increment_ms": 50, "margin_ms": 50},
    {"nodes": 1, "stall_s": 0.3},
]


@pytest.mark.parametrize("limit", CLOCKS, ids=["move", "clock", "stall"])
@pytest.mark.parametrize("fault", LATE)
def test_a_hung_player_costs_its_clock_and_a_second_at_most(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, limit: dict[str, float], fault: str
) -> None:
    """The second is the wait after its game; without a limit the hung player would take an hour."""
    waits = [seats.SETTLE_S, carriers.CLOSE_GRACE_S]
    assert sum(waits) <= 1.0
    bench.hurry(monkeypatch, "bad")
    began = time.monotonic()
    games = bench.play([player("bad", fault, 2), player("good")], limit={**limit, "startup_s": PATIENCE})
    assert [(game.loser, game.termination) for game in games] == [("bad", "time")] * 2
    assert time.monotonic() - began < PATIENCE


def test_a_slow_player_within_the_margin_is_fine(bench: Bench) -> None:
    limit = {"movetime_ms": 50, "margin_ms": 20_000, "startup_s": PATIENCE}
    games = bench.play([player("slow", "slow", 0.06), player("good")], limit=limit)
    assert {game.termination for game in games} == {"rules"}


def test_a_stalled_player_under_a_node_limit_loses_on_time(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.hurry(monkeypatch, "bad")
    games = bench.play([player("bad", "silent", 2), player("good")], limit={"nodes": 5, "stall_s": 0.2})
    assert [game.termination for game in games] == ["time", "time"]


def hurry_second_game(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Give a player 0.2 s to get ready for the second game of each of its sessions."""
    announce, games = PlayerSession.announce, Counter[int]()

    def announced(session: PlayerSession, seed: int, seconds: float) -> None:
        games[id(session)] += 1
        hurried = session.player == name and games[id(session)] == 2
        announce(session, seed, 0.2 if hurried else seconds)
        if hurried:
            del games[id(session)]

    monkeypatch.setattr(PlayerSession, "announce", announced)


@pytest.mark.parametrize(
    ("fault", "number", "terminations"),
    [("unready", 2, ["rules", "time"] * 3), ("newgame-crash", 1, ["crash"] * 6), ("newgame-crash", 2, ["rules"] * 6)],
    ids=["hangs", "crashes", "leaves after each game"],
)
def test_a_failure_while_getting_ready_loses_unless_a_restart_helps(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str, number: int, terminations: list[str]
) -> None:
    """A program that ended after a game starts again; one that fails at once, or hangs, loses."""
    if fault == "unready":
        hurry_second_game(monkeypatch, "bad")
    table = {"games_per_pair": 6, "bench_after": 0}
    games = bench.play([player("bad", fault, number), player("good")], limit=GENEROUS, tournament=table)
    assert [game.termination for game in games] == terminations
    assert all(game.loser == "bad" for game in games if game.termination != "rules")
    crashed = {game.detail for game in games if game.termination == "crash"}
    assert crashed <= {"bad exited with status 4; it was to get ready for a new game"}
    warnings = [event.text for event in bench.events if isinstance(event, Warned)]
    again = ["bad exited with status 4 between two games, and is restarted; later ones are not reported"]
    assert warnings == (again if (fault, number) == ("newgame-crash", 2) else [])


@pytest.mark.parametrize(
    ("fault", "termination", "detail"),
    [
        ("fine", "rules", ""),
        ("silent", "time", "ms of 150 ms allowed"),
        ("closes", "disconnect", "far "),
        ("crash", "disconnect", "far "),
    ],
)
def test_a_fault_over_tcp_costs_the_game(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str, termination: str, detail: str
) -> None:
    bench.hurry(monkeypatch, "far")
    with listening([*misbehaving(fault, 2), "--tcp"]) as address:
        players = [{"name": "far", "address": address}, player("good")]
        games = bench.play(players, limit=FAST if fault in LATE else GENEROUS)
    assert [game.termination for game in games] == [termination, termination]
    assert all(detail in game.detail for game in games)


def hurry_start(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Give only the player `bad` this time to start."""

    def hurried(entry: PlayerEntry, schedule: Schedule, site: endpoint.Site) -> endpoint.Endpoint:
        limit = replace(schedule.limit, startup_s=seconds) if entry.name == "bad" else schedule.limit
        return endpoints.make_endpoint(entry, replace(schedule, limit=limit), site)

    monkeypatch.setattr(venue, "make_endpoint", hurried)


UNUSABLE = [
    (player("bad", "exit"), "player 'bad': exited with status 7, saying: error: cannot find my opening book"),
    (player("bad", "mute"), "player 'bad': did not shake hands within 0.5 s"),
    (player("bad", "echo"), "player 'bad': did not shake hands within 2 s; it sent 'ugi'"),
    ({"name": "bad", "command": ["./no-such-engine"]}, "cannot start './no-such-engine': no such file or directory"),
    ({"name": "bad", "command": ["x\0"]}, r"cannot start 'x\x00': embedded null byte"),
    ({"name": "bad", "command": ["/"]}, "cannot start '/': permission denied"),
    ({"name": "bad", "address": "127.0.0.1:1"}, "player 'bad': cannot be reached at 127.0.0.1:1: connection refused"),
    (
        {"name": "bad", "address": "no-such-host.invalid:1"},
        "player 'bad': cannot be reached at no-such-host.",
    ),
    (player("bad", options={"sede": 1}), "player 'bad': unknown option 'sede'; did you mean 'seed'?"),
    (
        {"name": "bad", "command": offering("book type string"), "options": {"book": "a\nb"}},
        "player 'bad': option 'book': expected a value in words",
    ),
    (
        player("bad", options={"seed": 100}),
        "player 'bad': option 'seed': expected a whole number from 0 to 99, got '100'",
    ),
]


@pytest.mark.parametrize(("bad", "message"), UNUSABLE, ids=[str(number) for number in range(len(UNUSABLE))])
def test_the_probe_finds_an_unusable_player_before_the_first_game(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, bad: dict[str, object], message: str
) -> None:
    given = re.search(r"within ([0-9.]+) s", message)
    hurry_start(monkeypatch, float(given[1]) if given else PATIENCE)
    with pytest.raises(UsageError) as caught:
        bench.play([player("good"), bad], limit=GENEROUS)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(bench.results.iterdir()) == [], "nothing is left of a run that never began"


def test_an_unusable_player_leaves_earlier_runs_and_other_files_alone(bench: Bench) -> None:
    games = bench.play([player("a"), player("b")])
    bench.write([player("a"), player("b", "exit")])
    for fresh in (True, False):
        with pytest.raises(UsageError):
            manager.run(bench.path, results=bench.results, fresh=fresh)
    assert bench.games() == games
    assert [folder.name for folder in bench.results.iterdir()] == ["test"]
    (bench.results / "other").mkdir()
    (bench.results / "other" / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError):
        bench.play([player("a"), player("b", "exit")], tournament={"name": "other"})
    assert [file.name for file in (bench.results / "other").iterdir()] == ["notes.txt"]


def test_all_unusable_players_are_named_with_their_reasons(bench: Bench) -> None:
    silent = [{"name": f"s{number:02}", "command": ["./none"]} for number in range(12)]
    with pytest.raises(UsageError) as caught:
        bench.play([player("a", "exit"), *silent, player("b", options={"sede": 1}), player("c"), player("d", "exit")])
    assert str(caught.value).split("\n") == [
        "2 players ('a', 'd'): exited with status 7, saying: error: cannot find my opening book",
        f"{bench.path}: "
        "12 players ('s00', 's01', 's02', 's03', 's04', 's05', 's06', 's07', 's08', 's09' and 2 more).command: "
        "cannot start './none': no such file or directory",
        "player 'b': unknown option 'sede'; did you mean 'seed'?",
    ]


@pytest.mark.parametrize("dialect", ["ugi", "uci", "gtp", "gomocup"])
@pytest.mark.parametrize("reads", [(), ("reads",)])
def test_a_server_that_refuses_with_a_text_is_quoted(bench: Bench, dialect: str, reads: tuple[str, ...]) -> None:
    command = [sys.executable, "-S", "-E", str(ROOT / "tests/players/refuse.py"), "ERROR: server full", *reads]
    with listening(command) as address:
        far = {"name": "far", "address": address, "protocol": dialect}
        with pytest.raises(UsageError, match=r"^player 'far': (closed|broke) the .*; it sent 'ERROR: server full'"):
            bench.play([far, player("b")], tournament={"game": "gomoku15"}, limit=GENEROUS)


def test_a_text_before_the_first_question_is_quoted_at_the_end_only() -> None:
    mistake = UgiClient().mistake
    mistake.keep("Welcome")
    mistake.ask(Question("ugi", "ugiok"))
    assert (mistake.report(""), mistake.greeting) == ("", "; it sent 'Welcome' before it was asked")


NOTED = [
    ({"command": ["./no such", "it's"]}, "engine check --game tictactoe -- './no such' 'it'\"'\"'s'"),
    (
        {"command": ["python3", "x.py", "{port}"], "protocol": "makemove"},
        "engine check --game uttt --protocol makemove -- python3 x.py '{port}'",
    ),
    (
        {"address": "127.0.0.1:9", "protocol": "gtp", "token_file": "my token", "tls": True},
        "engine check --game tictactoe --protocol gtp --address 127.0.0.1:9 --token-file 'my token' --tls",
    ),
    ({"player": "random"}, ""),
    ({"dial_in": True}, ""),
]


@pytest.mark.parametrize(("table", "command"), NOTED)
def test_players_that_do_not_start_get_the_command_that_finds_the_cause(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, table: dict[str, Any], command: str
) -> None:
    game = "uttt" if table.get("protocol") == "makemove" else "tictactoe"
    schedule = Schedule(
        tournament=Tournament(name="x", game=game),
        limit=LimitSection(movetime_ms=1000),
        players=(msgspec.convert({"name": "a", **table}, PlayerEntry),),
        folder=str(tmp_path),
    )
    error = unusable(schedule, {"a": "exited with status 1"})
    assert str(error) == "player 'a': exited with status 1"
    elsewhere = f"to find the cause: cd {shlex.quote(str(tmp_path))} && {command}"
    assert getattr(error, "__notes__", []) == ([elsewhere] if command else [])
    monkeypatch.chdir(tmp_path)
    error = unusable(schedule, {"a": "exited with status 1"})
    assert getattr(error, "__notes__", []) == ([f"to find the cause: {command}"] if command else [])


@pytest.mark.parametrize("bounds", ["max -1", "min 5 max 5", "min -9", "min 100000000000"])
def test_the_seed_is_within_the_bounds_of_a_player(bench: Bench, bounds: str) -> None:
    games = bench.play([{"name": "odd", "command": offering(f"seed type spin {bounds}")}, player("b")], limit=GENEROUS)
    assert [game.termination for game in games] == ["illegal move", "illegal move"]


class Nowhere:
    """A carrier without a player."""

    def write(self, data: bytes) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def has_unread(self) -> bool:
        return False

    def abort(self) -> None: ...

    async def close(self) -> None: ...


async def test_a_session_keeps_the_last_score() -> None:
    session = PlayerSession("a", Nowhere(), None, UgiClient())
    scores = []
    for line in (b"score cp 12 pv a1", b"nodes 7", b"score mate -3", b"string score cp 5", b"score mate 2"):
        session.feed(b"info " + line + b"\n")
        scores.append(session.last_score)
    assert scores == [12, 12, -MATE, -MATE, MATE]
    session._client.greet()
    session.feed(b"ugiok\n")
    session.go([], protocol.Limit(nodes=1))
    assert session.last_score is None


def test_much_output_in_a_long_search_is_not_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    async def talk(pause_s: float) -> PlayerSession:
        session = PlayerSession("a", Nowhere(), None, UgiClient())
        for _ in range(3):
            session.feed(b"info depth 1\n" * (FLOOD // 26))
            await asyncio.sleep(pause_s)
        return session

    monkeypatch.setattr("fiedler.protocol.flood.FLOOD_S", 0.05)
    assert asyncio.run(talk(0.06)).fault is None
    monkeypatch.setattr("fiedler.protocol.flood.FLOOD_S", 60.0)
    flooded = asyncio.run(talk(0.0)).fault
    assert flooded is not None
    assert flooded.detail == "sent more than 1 MiB within a second"


def test_two_players_that_only_fail_do_not_save_each_other(bench: Bench) -> None:
    table = {"games_per_pair": 20, "bench_after": 3, "concurrency": 1}
    games = bench.play([player("x", "crash", 1), player("y", "crash", 1)], limit={"nodes": 1}, tournament=table)
    assert {game.termination for game in games} == {"crash"}
    assert 3 <= len(games) <= 5
    assert [event.why[:17] for event in bench.events if isinstance(event, Benched)] == ["3 failures in a r"]


def test_a_player_that_only_fails_is_benched_and_the_others_play(bench: Bench) -> None:
    players = [player("a"), player("bad", "crash", 2), player("b"), player("c")]
    pairing = {"method": "meeting-graph", "degree": 2}
    table = {"games_per_pair": 8, "bench_after": 3, "concurrency": 1}
    games = bench.play(players, limit={"nodes": 1}, tournament=table, pairing=pairing)
    failed = [game for game in games if "bad" in (game.first, game.second)]
    assert [game.termination for game in failed] == ["crash"] * 3
    others = Counter(frozenset((game.first, game.second)) for game in games if game not in failed)
    assert set(others.values()) == {8}
    assert len(others) >= 2, "those who are left are still connected"
    benched = [event for event in bench.events if isinstance(event, Benched)]
    assert [(event.player, event.why[:17]) for event in benched] == [("bad", "3 failures in a r")]
    assert bench.play() == games, "a finished run stays finished"
    with closing(Store.open(bench.results / "test")) as store:
        assert store.state == "finished"
        assert list(store.benched) == ["bad"]


@pytest.mark.parametrize(
    ("option", "value", "warnings"),
    [
        ("X type spin default 500 min 1 max 100", 50, ["a whole number from 1 to 100, got '500'; 50"]),
        ("X type spin default -1 min 0 max 9", 3, ["a whole number from 0 to 9, got '-1'; 3"]),
        ("X type combo default c var a var b", "a", ["one of 'a', 'b', got 'c'; a"]),
        ("X type spin default 100 min 1 max 100", 50, []),
    ],
)
def test_a_default_outside_of_its_own_bounds_is_a_remark(
    bench: Bench, option: str, value: object, warnings: list[str]
) -> None:
    games = bench.play([{"name": "bad", "command": offering(option), "options": {"X": value}}, player("good")])
    assert len(games) == 2
    assert [event.text for event in bench.events if isinstance(event, Warned)] == [
        f"bad: default of option 'X': expected {text} is sent, other programs may refuse the option"
        for text in warnings
    ]
