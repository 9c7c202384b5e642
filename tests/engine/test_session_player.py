"""A session and its player: limits, getting ready, failures, release."""

from __future__ import annotations

import threading
import time

import pytest

from fiedler.games import game
from fiedler.native import Limits, Position, SearchInfo, StopFlag
from fiedler.players import OnInfo, Player, Settings
from fiedler.support.errors import WorkError
from tests.engine.engine_driver import Conversation, greeted
from tests.patience import PATIENCE


class Watched(Player):
    """Plays by request of a test, and notes its calls."""

    name = "watched"
    description = "for tests"

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(game("uttt"), Settings())
        self.error = error
        self.limits = Limits()
        self.closed = 0

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        self.limits = limits
        if self.error is not None:
            raise self.error
        while not stop.is_set and not limits.nodes:
            if on_info is not None:
                on_info(SearchInfo(position.legal_moves()[0]))
            time.sleep(0.001)
        return SearchInfo(position.legal_moves()[0])

    def close(self) -> None:
        self.closed += 1


class Hasty(Watched):
    """Answers at once, under any limit."""

    instant = True

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        return SearchInfo(position.legal_moves()[0])


def test_close_stops_the_search_and_gives_the_player_back_afterwards() -> None:
    player = Watched()
    talk = greeted("uttt", player)
    talk.say("go infinite")
    talk.session.close()
    assert player.closed == 0
    while talk.session.searching:
        assert talk.pump()
    talk.session.close()
    assert player.closed == 1
    assert talk.received() == []
    assert talk.session.over


def test_close_without_a_search_gives_the_player_back() -> None:
    player = Watched()
    talk = greeted("uttt", player)
    talk.session.close()
    assert player.closed == 1
    assert talk.session.over


def test_close_while_a_result_waits_for_stop_gives_the_player_back() -> None:
    player = Hasty()
    talk = greeted("uttt", player)
    assert talk.say("go infinite") == []
    talk.session.close()
    assert player.closed == 1


def test_a_congested_session_drops_reports() -> None:
    talk = greeted("uttt", Watched())
    talk.session.congested = True
    talk.say("go infinite")
    assert talk.pump()
    assert talk.received() == []
    talk.session.congested = False
    talk.session.close()


def test_limits_reach_the_player() -> None:
    player = Watched()
    talk = greeted("uttt", player)
    talk.ask("go nodes 7 depth 3 movetime 600000")
    assert (player.limits.nodes, player.limits.depth) == (7, 3)
    assert 300.0 < player.limits.seconds < 600.0


@pytest.mark.parametrize("go", ["go p1time 300 p2time 1 p1inc 0", "go movetime 300"])
def test_a_clock_is_kept(go: str) -> None:
    player = Watched()
    talk = greeted("uttt", player)
    talk.say(go)
    talk.session.close()
    while talk.session.searching:
        assert talk.pump()
    assert 0.0 < player.limits.seconds < 0.3


def test_a_player_that_cannot_think_loses_a_move_not_the_session() -> None:
    talk = greeted("uttt", Watched(WorkError("the network failed: out of memory")))
    assert talk.ask("go nodes 5") == ["info string error: the network failed: out of memory", "bestmove none"]
    assert talk.say("isready") == ["readyok"]


def test_a_search_without_memory_loses_a_move_not_the_session() -> None:
    talk = greeted("uttt", Watched(MemoryError()))
    assert talk.ask("go nodes 5") == ["info string error: player watched: not enough memory", "bestmove none"]
    assert talk.say("isready") == ["readyok"]


def test_a_bug_in_a_player_is_logged_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    talk = greeted("uttt", Watched(ZeroDivisionError("division by zero")))
    error, bestmove = talk.ask("go nodes 5")
    assert error.startswith("info string error: player watched failed")
    assert bestmove == "bestmove none"
    assert "ZeroDivisionError" in caplog.text


def test_odd_blanks_in_a_title_become_single_blanks() -> None:
    class Titled(Watched):
        title = " a  file\tname "

    assert Conversation("uttt", Titled()).say("ugi")[0] == "id name Fiedler a file name"


class Gated(Watched):
    """Gets ready and forgets when the test allows it."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(error)
        self.gate = threading.Event()
        self.done: list[str] = []

    def prepare(self) -> None:
        assert self.gate.wait(PATIENCE)
        self.done.append("prepare")

    def new_game(self) -> None:
        assert self.gate.wait(PATIENCE)
        self.done.append("new_game")


def test_lines_wait_in_order_while_the_player_gets_ready() -> None:
    player = Gated()
    talk = greeted("uttt", player)
    said = b"isready\nuginewgame\nposition startpos moves e5\nquery p1turn\ngo nodes 5\n"
    talk.bring(said[:30])
    talk.bring(said[30:])
    assert talk.session.busy
    assert talk.received() == []
    player.gate.set()
    assert talk.pump()
    assert talk.received() == ["readyok"]
    assert talk.pump()
    assert talk.received() == ["response false"]
    assert talk.answered()[-1].startswith("bestmove ")
    assert player.done == ["prepare", "new_game", "prepare"]


def test_the_reported_time_counts_from_go() -> None:
    class Slow(Watched):
        def prepare(self) -> None:
            time.sleep(0.2)

    info, _ = greeted("uttt", Slow()).ask("go nodes 5")
    assert 200 <= int(info.split()[info.split().index("time") + 1]) < 1000 * PATIENCE


def test_a_driver_without_threads_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def work(_: object) -> None:
        raise WorkError("no thread")

    talk = greeted("uttt", "mcts")
    monkeypatch.setattr(talk, "work", work)
    error = "info string error: no thread"
    assert talk.say("isready") == [error, "readyok"]
    assert talk.say("uginewgame") == [error]
    assert talk.say("go nodes 5") == [error, "bestmove none"]
    monkeypatch.undo()
    assert talk.ask("go nodes 5")[-1] != "bestmove none"


def test_quit_and_the_end_of_the_input_wait_too() -> None:
    for end in ("quit", "eof"):
        player = Gated()
        talk = greeted("uttt", player)
        talk.bring(b"isready\nquit\n" if end == "quit" else b"isready\ngo nodes 5\n")
        talk.end()
        assert talk.session.listening
        player.gate.set()
        lines = list[str]()
        while not talk.session.over:
            assert talk.pump()
            lines += talk.received()
        assert lines[0] == "readyok"
        assert lines[-1].startswith("readyok" if end == "quit" else "bestmove ")


def test_close_while_the_player_gets_ready_gives_it_back_afterwards() -> None:
    player = Gated()
    talk = greeted("uttt", player)
    talk.bring(b"isready\ngo nodes 5\n")
    talk.session.close()
    assert player.closed == 0
    assert not talk.session.over
    player.gate.set()
    assert talk.pump()
    assert (player.closed, player.done, talk.received()) == (1, ["prepare"], [])
    assert talk.session.over


@pytest.mark.parametrize("instant", [False, True])
def test_a_player_that_cannot_get_ready_reports_the_reason_and_answers(instant: bool) -> None:
    class Big(Watched):
        def prepare(self) -> None:
            raise MemoryError

        new_game = prepare

    Big.instant = instant
    talk = greeted("uttt", Big())
    error = "info string error: player watched: not enough memory"
    assert talk.say("isready") == [error, "readyok"]
    assert talk.say("uginewgame") == [error]
    assert talk.ask("go nodes 5") == [error, "bestmove none"]
