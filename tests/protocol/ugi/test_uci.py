"""UCI: the words of chess engines, on both sides."""

from __future__ import annotations

import pytest

from fiedler.protocol import Limit, Move, Ready, RemoteProtocolError
from fiedler.protocol.ugi import UCI, UgiClient
from fiedler.protocol.ugi.go import read_go
from tests.engine.engine_driver import Conversation, timeless
from tests.folders import DOCS
from tests.protocol.dialogue import exchanges
from tests.protocol.ugi.session_events import events_of

PAGE = DOCS / "protocols" / "uci.md"


def sent(client: UgiClient) -> list[str]:
    return client.data_to_send().decode().splitlines()


def test_the_dialogue_of_the_page() -> None:
    talk = Conversation("connect4", "hsp", seed="1")
    for lines, answers in exchanges(PAGE, "A dialogue"):
        found = talk.ask(*lines) if lines[-1].startswith("go w") else talk.say(*lines)
        assert timeless(found) == timeless(answers), lines


def test_chess960_is_offered_as_programs_of_chess_know_it() -> None:
    option = "option name UCI_Chess960 type check default true"
    talk = Conversation("chess960", "random", seed="1")
    assert option in talk.say("uci")
    assert talk.say("setoption name uci_chess960 value true") == []
    (refused,) = talk.say("setoption name UCI_Chess960 value false")
    assert refused == "info string error: option 'UCI_Chess960': expected true in chess960, got 'false'"
    assert option not in Conversation("chess960", "random", seed="1").say("ugi")
    assert not any("Chess960" in line for line in Conversation("chess", "random", seed="1").say("uci"))


def test_options_are_known_by_their_words_in_uci() -> None:
    talk = Conversation("chess", "negamax")
    talk.say("uci")
    assert talk.say("setoption name Hash value 2", "setoption name THREADS value 1") == []
    (refused,) = talk.say("setoption name Hash value 0")
    assert "option 'hash_mb': expected a whole number from 1 to 1024, got '0'" in refused


def test_the_client_sends_the_words_of_uci() -> None:
    client = UgiClient(vocabulary=UCI)
    client.greet()
    assert sent(client) == ["uci"]
    assert events_of(client, b"uciok\n") == [Ready()]
    client.new_game()
    assert sent(client) == ["ucinewgame", "isready"]
    assert events_of(client, b"readyok\n") == [Ready()]
    clock = Limit(p1time_ms=1000, p2time_ms=900, p1inc_ms=10, p2inc_ms=20)
    for limit in (clock, Limit(movetime_ms=5, depth=2, nodes=7)):
        client.search(["d"], limit)
        assert events_of(client, b"bestmove a ponder b\n") == [Move("a")]
    assert sent(client) == [
        "position startpos moves d",
        "go wtime 1000 btime 900 winc 10 binc 20",
        "position startpos moves d",
        "go movetime 5 depth 2 nodes 7",
    ]
    client.search([], clock)
    assert events_of(client, b"bestmove (none)\n") == [Move(None)]


def test_the_client_names_its_words_in_a_message() -> None:
    client = UgiClient(vocabulary=UCI)
    client.greet()
    assert client.mistake.silence(received=False) == "; no uciok after uci yet: too slow, or its output is not flushed"
    (event,) = events_of(client, b"hello\n")
    assert "uciok" in str(event)


def test_a_clock_of_white_is_that_of_the_first_mover() -> None:
    line = "go wtime 5 btime 6 winc 7 binc 8 movestogo 9 movetime 3"
    assert read_go(line.split(), UCI) == Limit(p1time_ms=5, p2time_ms=6, p1inc_ms=7, p2inc_ms=8, movetime_ms=3)
    assert read_go(["go", "movestogo", "0"], UCI) == Limit()
    for wrong in ("go movestogo", "go p1time 5", "go ponder"):
        with pytest.raises(RemoteProtocolError):
            read_go(wrong.split(), UCI)


def test_debug_has_no_effect() -> None:
    talk = Conversation("tictactoe", "random", pinned="uci")
    assert talk.say("debug on")[0].startswith("info string error: expected one of ")
    talk.say("uci", "position startpos moves a1 b1")
    assert talk.say("debug on", "debug off", "debug  on") == []
    for wrong in ("debug", "debug perhaps", "debug on off"):
        (error,) = talk.say(wrong)
        assert error == f"info string error: expected debug on|off, got {wrong[6:]!r}"
    assert talk.ask("go nodes 1")[-1].startswith("bestmove ")
    assert Conversation("tictactoe", "random").say("ugi", "debug on")[-1].startswith("info string error: expected one")


def test_debug_is_accepted_during_a_search() -> None:
    talk = Conversation("uttt", "mcts")
    talk.say("uci", "go infinite")
    assert [line for line in talk.say("debug on", "isready") if not line.startswith("info depth")] == ["readyok"]
    talk.say("stop")
    assert talk.answered()[-1].startswith("bestmove ")


def test_a_session_without_a_move() -> None:
    talk = Conversation("tictactoe", "random")
    talk.say("uci", "position startpos moves a1 b1 a2 b2 a3")
    assert talk.say("go") == ["bestmove (none)"]
