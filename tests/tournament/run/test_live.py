"""Running games for watchers, and the ranking so far."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fiedler import games
from fiedler.tournament.run import live, rater
from fiedler.tournament.run.events import Event, Finished, Rated
from fiedler.tournament.run.live import FILE, Board, Boards
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, player

pytestmark = pytest.mark.programs

SLOW = """
import os, sys, time
games = 0
for line in sys.stdin:
    word = line.split()[0]
    games += word == "uginewgame"
    if word == "go":
        while games > 1 and not os.path.exists({watched!r}):
            time.sleep(0.005)
        time.sleep({seconds} if os.path.exists({path!r}) else 0.0)
        print("info depth 3 nodes 500 nps 1000 score cp 25")
    print({{"ugi": "ugiok", "isready": "readyok", "go": "bestmove " + {moves}}}.get(word, ""), flush=True)
    if word == "position":
        moves = line.split()[3:]
"""
FREE = "next(c + r for c in 'abc' for r in '123' if c + r not in moves)"


def slow(name: str, seconds: float = 0.02, while_exists: Path = Path("/"), watched: Path = Path("/")) -> dict[str, Any]:
    """A player that reports its findings, and takes these seconds for a move as long as a file exists.

    From its second game on it waits for the file `watched`.
    """
    program = SLOW.format(moves=FREE, seconds=seconds, path=str(while_exists), watched=str(watched)).replace(
        "for line in sys.stdin", "moves = []\nfor line in sys.stdin"
    )
    return player(name, command=[sys.executable, "-S", "-E", "-c", program])


def watching(folder: Path, watch: Callable[[socket.socket], None]) -> Callable[[Event], None]:
    """Return a subscriber that runs `watch` on the socket of a run from its first game on, in a thread."""

    def connect() -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
            one.settimeout(PATIENCE)
            one.connect(str(folder / FILE))
            watch(one)

    def receive(event: Event) -> None:
        if isinstance(event, Finished) and event.finished == 1:
            threading.Thread(target=connect, daemon=True).start()

    return receive


@pytest.mark.parametrize("processes", [1, 2])
def test_a_watcher_sees_played_positions(bench: Bench, monkeypatch: pytest.MonkeyPatch, processes: int) -> None:
    bench.processes = processes
    monkeypatch.setattr(live, "PERIOD_S", 0.01)
    received = bytearray()
    watched = bench.folder / "watched"

    def watch(one: socket.socket) -> None:
        while data := one.recv(65536):
            received.extend(data)
            watched.touch()

    folder = bench.results / "test"
    bench.subscribers.append(watching(folder, watch))
    players = [slow(name, watched=watched) for name in "ab"]
    played = bench.play(players, tournament={"games_per_pair": 8, "concurrency": 2})
    assert not (folder / FILE).exists()
    lines = [json.loads(line) for line in received.splitlines()]
    assert {line["v"] for line in lines} == {1}
    running = set[int]()
    for line in lines:
        assert running >= set(line["ended"]), "only games that were shown end"
        running = running - set(line["ended"]) | {board["number"] for board in line["tables"]}
        assert len(running) <= 2
    boards = [board for line in lines for board in line["tables"]]
    assert len({board["number"] for board in boards}) > 1
    records = {game.id: game for game in played}
    game = games.game("tictactoe")
    for board in boards:
        record = records[board["id"]]
        assert (board["number"], board["first"], board["second"]) == (record.number, record.first, record.second)
        assert tuple(board["moves"]) == record.moves[: len(board["moves"])]
        assert board["to_move"] == len(board["moves"]) % 2
        assert game.position(moves=board["moves"]) is not None
    reported = [(board["score"], board["depth"], board["nps"]) for board in boards if len(board["moves"]) > 1]
    assert set(reported) == {(25, 3, 1000)}
    for number in {board["number"] for board in boards}:
        plies = [len(board["moves"]) for board in boards if board["number"] == number]
        assert plies == sorted(set(plies))


def test_watchers_that_do_not_read_or_leave_do_not_delay_games(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PERIOD_S", 0.001)
    over = threading.Event()

    def sleep(_: socket.socket) -> None:
        over.wait(PATIENCE)

    def leave(one: socket.socket) -> None:
        one.recv(1)

    folder = bench.results / "test"
    bench.subscribers += [watching(folder, sleep), watching(folder, leave)]
    played = bench.play([player("a"), player("b")], tournament={"games_per_pair": 200})
    over.set()
    assert len(played) == 200


def test_the_socket_of_a_killed_manager_is_replaced(bench: Bench) -> None:
    folder = bench.results / "test"
    bench.play([player("a"), player("b")])
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(folder / FILE))
    bench.path.write_text(bench.path.read_text("utf-8").replace("games_per_pair = 2", "games_per_pair = 4"), "utf-8")
    assert len(bench.play()) == 4
    assert not [event for event in bench.events if "no live view" in str(event)]


def test_changed_boards_come_once() -> None:
    boards, seen, moves = Boards(), dict[int, int](), ["a1"]

    def board() -> Board:
        return Board(1, "id", "a", "b", (), tuple(moves), None, len(moves) % 2, None, None, None)

    with boards.showing(1, lambda: len(moves), board):
        assert [one.moves for one in boards.changed(seen)] == [("a1",)]
        assert boards.changed(seen) == []
        moves += ["b2", "c3"]
        assert [one.moves for one in boards.changed(seen)] == [("a1", "b2", "c3")]
        assert boards.ended(seen) == []
    assert boards.changed(seen) == []
    assert boards.ended(seen) == [1]
    assert seen == {}


def test_the_ranking_so_far_is_an_event_from_time_to_time_and_at_the_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rater, "PAUSE_S", 0.0)
    bench.play([player("a"), player("b"), player("c")], tournament={"games_per_pair": 20})
    rated = [event for event in bench.events if isinstance(event, Rated)]
    counts = [event.games for event in rated]
    assert counts == sorted(set(counts))
    assert counts[0] >= rater.RATED_AFTER
    assert counts[-1] == 60
    assert [type(event) for event in bench.events[-2:]] == [Rated, type(bench.events[-1])]
    last = rated[-1]
    assert sorted(one.name for one in last.players) == ["a", "b", "c"]
    assert sum(one.games for one in last.players) == 120
    assert sum(one.score * one.games for one in last.players) == pytest.approx(60)
    lines = [json.loads(line) for line in (bench.results / "test/events.jsonl").read_text("utf-8").splitlines()]
    assert [line["games"] for line in lines if line["event"] == "rated"] == counts
