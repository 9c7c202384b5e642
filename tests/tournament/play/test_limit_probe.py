"""Before the first game a program searches once; one that does not keep the limit of the run is refused."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping

import pytest

from fiedler import games
from fiedler.protocol import DIALECTS, Limit
from fiedler.support.errors import UsageError
from fiedler.tournament.play.limit_probe import AskedLimit, asked_limit, limit_failure
from fiedler.tournament.play.session import PlayerSession
from fiedler.tournament.schedule.schedule import LimitSection, PlayerEntry
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, Tables

GAME = games.any_game("chess")
NODES, DEPTH = Limit(nodes=1000), Limit(depth=4)
WAY = "expected movetime_ms or base_ms, or own_limit = true for a player whose own options limit its searches"
BEST, FAR = b"bestmove a1a2\n", b"info depth 9 nodes 150000 score cp 3 pv a1a2\n"


class Program:
    """A carrier with a program behind it that has an answer for the first word of some lines."""

    def __init__(self, answers: Mapping[str, bytes]) -> None:
        self.answers = {"uci": b"uciok\n", "isready": b"readyok\n", **answers}
        self.lines: list[str] = []
        self.session = PlayerSession("a", self, None, DIALECTS["uci"].client(GAME))  # type: ignore[arg-type]

    def write(self, data: bytes) -> None:
        for line in data.decode().splitlines():
            self.lines.append(line)
            for one in self.answers.get(line.split()[0], b"").splitlines(keepends=True):
                asyncio.get_running_loop().call_soon(self.session.feed, one)

    def has_unread(self) -> bool:
        return False

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def abort(self) -> None: ...

    async def close(self) -> None: ...


def probed(asked: AskedLimit, answers: Mapping[str, bytes]) -> tuple[str, Program]:
    """Return the failure of a program that gives these answers."""

    async def probe() -> tuple[str, Program]:
        program = Program(answers)
        await program.session.shake_hands({})
        return await limit_failure(program.session, asked, GAME, PATIENCE), program

    return asyncio.run(probe())


@pytest.mark.parametrize(
    ("limit", "answers", "failure"),
    [
        (NODES, {"go": b"info nodes 900 score cp 1\n" + BEST}, ""),
        (NODES, {"go": BEST}, ""),
        (NODES, {"go": b"info depth 50 nodes 102000\n" + BEST}, ""),  # it looks at its nodes now and then
        (
            NODES,
            {"go": FAR, "stop": BEST},
            "searched 150,000 nodes after 'go nodes 1000': it does not keep limit.nodes",
        ),
        (NODES, {"go": b"info nodes 150000 time 3\n" + BEST}, "searched 150,000 nodes"),
        (DEPTH, {"go": b"info depth 8 seldepth 30 score cp 1\n" + BEST}, ""),
        (DEPTH, {"go": FAR, "stop": BEST}, "searched 9 plies after 'go depth 4': it does not keep limit.depth"),
    ],
)
def test_a_search_is_judged_by_its_reports(limit: Limit, answers: Mapping[str, bytes], failure: str) -> None:
    why, program = probed(AskedLimit(limit, 1, PATIENCE, PATIENCE), answers)
    assert why.startswith(failure)
    assert bool(why) == bool(failure)
    assert not why or why.endswith(WAY)
    assert program.session.takes_another_game


@pytest.mark.parametrize(
    ("reports", "stops"),
    [(b"", BEST), (b"", b""), (b"info depth 2 nodes 50\n", BEST), (b"info depth 2 nodes 50\n", b"")],
)
def test_time_proves_nothing_and_stop_ends_the_search(reports: bytes, stops: bytes) -> None:
    why, program = probed(AskedLimit(NODES, 1, 0.05, 0.1), {"go": reports, "stop": stops})
    assert not why
    assert "stop" in program.lines
    assert program.session.takes_another_game == bool(stops)  # the other one is ended


@pytest.mark.parametrize(
    ("reports", "remark"),
    [
        (b"info depth 1 nodes 6 score cp 1\n", "answered 'go nodes 1000' after 6 nodes: it may not know limit.nodes"),
        (b"info depth 1 nodes 6\ninfo depth 3 nodes 90 score cp 1\n", ""),
        (b"info depth 1 nodes 1 score cp 0\n", ""),
        (b"", ""),
    ],
)
def test_a_search_that_ends_at_once_is_remarked(reports: bytes, remark: str) -> None:
    why, program = probed(AskedLimit(NODES, 1, PATIENCE, PATIENCE), {"go": reports + BEST})
    assert not why
    assert program.session.remark == remark


def test_each_thread_may_exceed_the_limit() -> None:
    asked = asked_limit(PlayerEntry(name="a", command=("a",), options={"Threads": 2}), LimitSection(nodes=5000))
    assert asked == AskedLimit(Limit(nodes=1000), 2, 3.0, 60.0)
    assert probed(asked, {"go": FAR + BEST})[0] == ""


@pytest.mark.parametrize(
    ("player", "limit"),
    [
        (PlayerEntry(name="a", command=("a",), own_limit=True), LimitSection(nodes=500)),
        (PlayerEntry(name="a", player="mcts"), LimitSection(nodes=500)),
        (PlayerEntry(name="a", command=("a",)), LimitSection(nodes=9)),
        (PlayerEntry(name="a", command=("a",)), LimitSection(movetime_ms=5)),
    ],
)
def test_nothing_is_asked_without_need(player: PlayerEntry, limit: LimitSection) -> None:
    assert asked_limit(player, limit) is None


ENDLESS = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word in ("uci", "isready"):
        print({"uci": "uciok", "isready": "readyok"}[word], flush=True)
    elif word == "go":
        print("info nodes 987654 score cp 0\\nbestmove e2e4", flush=True)
"""


@pytest.mark.programs
def test_a_run_names_the_player_and_the_ways_out_and_own_limit_is_one(bench: Bench) -> None:
    player: Tables = {"name": "endless", "command": [sys.executable, "-S", "-E", "-c", ENDLESS], "protocol": "uci"}
    more: Tables = {
        "tournament": {"game": "chess"},
        "limit": {"nodes": 10, "startup_s": PATIENCE},
        "adjudication": {"max_plies": 1},
    }
    ours: Tables = {"name": "ours", "player": "random"}
    with pytest.raises(UsageError) as caught:
        bench.play([player, ours], **more)
    reason = f"searched 987,654 nodes after 'go nodes 10': it does not keep limit.nodes; {WAY}"
    assert str(caught.value) == f"player 'endless': {reason}"
    played = bench.play([{**player, "own_limit": True}, ours], **more)
    assert [one.termination for one in played] == ["adjudication"] * 2
