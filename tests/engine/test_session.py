from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from fiedler.engine.host import searcher
from fiedler.engine.host.search import REPORT_SECONDS
from fiedler.engine.host.terms import Terms
from fiedler.engine.roster.shares import Shares
from fiedler.games import game
from fiedler.support.errors import UsageError
from tests.engine.engine_driver import TRANSCRIPTS, Conversation, greeted, read_transcript, timeless
from tests.folders import DOCS

PAGE = DOCS / "protocols" / "ugi.md"


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_transcript(path: Path) -> None:
    (game_id, player, *options), exchanges = read_transcript(path)
    talk = Conversation(game_id, player, **dict(option.split("=") for option in options))
    for said, expected in exchanges:
        answers = talk.say(said)
        if talk.session.searching:
            answers += talk.answered()
        assert timeless(answers) == expected, said
    assert talk.session.over


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_a_manager_reads_every_line_of_ours(path: Path) -> None:
    # cutegames takes exactly two words after bestmove and response; legalmoves and capabilities are ours
    said = ""
    for said, answers in read_transcript(path)[1]:
        for line in answers:
            if line.startswith("bestmove"):
                assert len(line.split()) == 2
            if line.startswith("response") and said not in {"query legalmoves", "query capabilities"}:
                assert len(line.split()) == 2
    assert said == "quit"


def test_an_engine_speaks_the_dialogue_of_the_page() -> None:
    block = PAGE.read_text(encoding="utf-8").split("```text\n> ugi\n")[1].split("```")[0]
    talk = Conversation("tictactoe", "negamax")
    for exchange in f"> ugi\n{block}".split("> ")[1:]:
        said, *expected = exchange.splitlines()
        if said == "stop":
            talk.think_through()  # the page shows a stop after the end of the search
        answers = talk.say(said)
        if talk.session.searching and expected and expected[-1].startswith("< bestmove "):
            answers += talk.answered()
        assert timeless(answers) == timeless([line.removeprefix("< ") for line in expected]), said
    assert talk.session.over


def test_the_last_info_carries_everything() -> None:
    *_, info, bestmove = greeted("uttt", "mcts").ask("position startpos", "go nodes 300")
    move = bestmove.split()[1]
    assert re.fullmatch(rf"info depth \d+ nodes 300 nps \d+ time \d+ score cp -?\d+ pv {move}( \w+)*", info)


def test_a_proven_draw_is_cp_0() -> None:
    lines = greeted("tictactoe", "negamax").ask("position startpos", "go depth 9")
    assert " score cp 0 " in lines[-2]


def test_a_proven_win_and_loss_are_mates() -> None:
    talk = greeted("tictactoe", "negamax")
    assert " score mate 1 " in talk.ask("position startpos moves a1 b1 a2 b2", "go nodes 1000")[-2]
    assert " score mate -1 " in talk.ask("position startpos moves a1 b3 b2 c3 a3", "go nodes 1000")[-2]


def test_a_long_search_reports_now_and_then() -> None:
    talk, began = greeted("uttt", "mcts"), time.monotonic()
    lines = talk.say("position startpos", "go infinite")
    while len(reports := [line for line in lines if line.startswith("info depth")]) < 3:
        assert talk.pump()
        lines += talk.received()
    assert len(reports) * REPORT_SECONDS <= time.monotonic() - began
    talk.session.close()


def test_a_proven_root_ends_the_search() -> None:
    assert greeted("tictactoe", "mcts").ask("position startpos moves a1 b1 a2 b2", "go movetime 600000")


def test_infinite_waits_for_stop_even_when_proven() -> None:
    talk = greeted("tictactoe", "negamax")
    assert talk.say("position startpos", "go infinite") == []
    talk.think_through()
    assert not any(line.startswith("bestmove") for line in talk.received())
    assert talk.say("isready") == ["readyok"]
    *_, info, bestmove = talk.say("stop")
    assert " score cp 0 " in info
    assert bestmove.startswith("bestmove ")
    assert talk.say("stop") == []


def test_infinite_waits_for_stop_with_a_player_that_does_not_search() -> None:
    talk = greeted("uttt", "random")
    assert talk.say("go infinite") == []
    assert talk.say("stop")[-1].startswith("bestmove ")


def test_infinite_with_another_limit_ends_by_that() -> None:
    assert greeted("uttt", "mcts").ask("go infinite nodes 100")


def test_stop_ends_a_search_at_once() -> None:
    talk = greeted("uttt", "mcts")
    assert talk.say("go movetime 600000") == []
    assert talk.say("stop") == []
    assert talk.answered()[-1].startswith("bestmove ")


def test_during_a_search_only_isready_and_stop_are_accepted() -> None:
    talk = greeted("uttt", "mcts")
    talk.say("go infinite")
    assert talk.say("isready") == ["readyok"]
    for line in ("position startpos", "go nodes 5", "query result", "setoption name c value 2", "uginewgame"):
        assert talk.say(line)[0].startswith("info string error: a search is running; send stop first")
    refused, *_ = talk.say("stop", "go nodes 5")
    assert refused == "info string error: a search is running; wait for its bestmove; got go"
    assert talk.answered()[-1].startswith("bestmove ")
    talk.say("go infinite")
    assert "send stop first" in talk.say("go nodes 5")[0]
    talk.session.close()


def test_a_bare_go_ends_by_itself() -> None:
    started = time.monotonic()
    assert greeted("uttt", "mcts").ask("go")
    assert time.monotonic() - started > 0.5
    (report,) = [line for line in greeted("uttt", "mcts", simulations="70").ask("go") if " nodes 70 " in line]
    assert report


@pytest.mark.parametrize("go", ["go depth 3", "go p2time 50"])
def test_a_limit_that_does_not_bind_this_player_is_none(go: str) -> None:
    talk = greeted("uttt", "mcts")
    assert talk.ask(go)
    talk.say("go infinite depth 3")
    talk.end()
    assert talk.answered()[-1].startswith("bestmove ")


@pytest.mark.parametrize(
    "line",
    [
        "setoption name simulations value 1" + "0" * 400,
        "position fen X;é.......;" + "/".join(["........."] * 9),
        "position startpos moves é5",
    ],
)
def test_odd_words_are_refused_and_change_nothing(line: str) -> None:
    talk = greeted("uttt", "mcts")
    (refusal,) = talk.say(line)
    assert refusal.startswith("info string error: ")
    assert talk.say("query position") == [f"response {game('uttt').position()}"]


def test_instant_players_need_no_thread() -> None:
    talk = greeted("uttt", "hsp")
    assert talk.say("go movetime 100")[-1].startswith("bestmove ")
    assert talk.jobs == 0


def test_answers_do_not_depend_on_the_portions() -> None:
    said = b"ugi\nsetoption name seed value 4\nposition startpos moves e5\ngo nodes 1\nquery position\nquit\n"
    whole = Conversation("uttt", "random")
    whole.bring(said)
    single = Conversation("uttt", "random")
    for at in range(len(said)):
        single.bring(said[at : at + 1])
    assert whole.received() == single.received()
    assert whole.session.over
    assert single.session.over


def test_a_continued_position_equals_the_one_from_the_start() -> None:
    moves = ["e5", "d4", "a1", "b2", "e4", "d1", "c2", "g5"]
    stepwise = greeted("uttt", "random")
    for count in range(len(moves) + 1):
        stepwise.say("position startpos moves " + " ".join(moves[:count]))
        whole = greeted("uttt", "random")
        whole.say("position startpos moves " + " ".join(moves[:count]))
        assert stepwise.say("query position", "query board") == whole.say("query position", "query board")
    stepwise.say("position startpos moves e5 d4 b1")
    assert stepwise.say("query position") == [f"response {game('uttt').position('startpos', ['e5', 'd4', 'b1'])}"]
    stepwise.say("uginewgame")
    assert stepwise.say("query position") == [f"response {game('uttt').position()}"]


def test_a_refused_position_leaves_the_old_one_in_every_way() -> None:
    talk = greeted("tictactoe", "random")
    talk.say("position startpos moves a1")
    board = talk.say("query board", "query position")
    assert talk.say("position startpos moves a1 b1 b1")[0].startswith("info string error: ")
    assert talk.say("query board", "query position") == board
    assert talk.say("position startpos moves a1 b1", "query p1turn") == ["response true"]


def test_the_same_seed_and_nodes_give_the_same_moves() -> None:
    games = []
    for _ in range(2):
        talk, moves = greeted("connect4", "mcts"), list[str]()
        talk.say("setoption name seed value 11")
        while talk.say(f"position startpos moves {' '.join(moves)}", "query gameover") == ["response false"]:
            moves.append(talk.ask("go nodes 200")[-1].split()[1])
        games.append(moves)
    assert games[0] == games[1]


def test_pending_answers_follow_the_end_of_the_input() -> None:
    talk = greeted("uttt", "mcts")
    talk.say("go nodes 2000")
    talk.end()
    assert not talk.session.over
    assert "nodes 2000 " in talk.answered()[-2]
    assert talk.session.over


def test_the_end_of_the_input_ends_an_endless_search() -> None:
    talk = greeted("uttt", "mcts")
    talk.say("go infinite")
    talk.end()
    assert talk.answered()[-1].startswith("bestmove ")
    assert talk.session.over


def test_quit_stops_the_search_and_its_move_still_comes() -> None:
    talk = greeted("uttt", "mcts")
    talk.say("go movetime 600000", "quit")
    assert not talk.session.listening
    assert talk.answered()[-1].startswith("bestmove ")
    assert talk.session.over


@pytest.mark.parametrize("player", ["mcts", "hsp"])
def test_unprintable_figures_do_not_cost_the_move(
    player: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def info_of(*_: object) -> None:
        raise ValueError("expected a score from 0 to 1, got nan")

    monkeypatch.setattr(searcher, "info_of", info_of)
    talk = greeted("uttt", player)
    *_, error, bestmove = talk.ask("go movetime 300")
    assert error == f"info string error: player {player} failed; see the log of the engine"
    assert game("uttt").position().parse_move(bestmove.split()[1]) >= 0
    assert "got nan" in caplog.text
    assert talk.ask("go nodes 5")[-1] != "bestmove none"


def test_an_unprintable_move_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def best_of(*_: object) -> None:
        raise RuntimeError("no such move")

    monkeypatch.setattr(searcher, "best_of", best_of)
    *_, error, bestmove = greeted("uttt", "mcts").ask("go nodes 5")
    assert (error.split(":")[0], bestmove) == ("info string error", "bestmove none")


def test_a_long_value_is_cut_in_the_answer() -> None:
    (refused,) = greeted("uttt", "negamax").say("setoption name hash_mb value " + "9" * 4000)
    assert refused.endswith("expected a whole number from 1 to 1024, got '" + "9" * 39 + "…'")


def test_one_line_is_handled_if_that_is_enough() -> None:
    talk = greeted("uttt", "random")
    talk.session.receive_data(b"query gameover\n" * 3)
    for left in (True, True, False):
        talk.session.handle_lines(lambda: True)
        assert talk.received() == ["response false"]
        assert talk.session.waiting == left


def test_a_repeated_query_has_a_new_answer_after_a_move() -> None:
    talk = greeted("tictactoe", "random")
    asked = ("query board", "query legalmoves", "query position")
    start = talk.say(*asked)
    assert talk.say(*asked) == start
    moved = talk.say("position startpos moves b2", *asked)
    assert "[X]" in "".join(moved)
    assert talk.say("position startpos moves b2", *asked) == moved
    assert talk.say("position startpos moves b2 z9", *asked)[1:] == moved
    assert talk.say("position startpos", *asked) == start
    assert talk.say("position startpos moves b2", "uginewgame", *asked) == start


def test_sessions_share_the_memory_of_the_server() -> None:
    terms = Terms(Shares(memory_mb=100))
    one = Conversation("uttt", "negamax", terms, hash_mb="60")
    two = Conversation("uttt", "negamax", terms, hash_mb="20")
    assert two.say("ugi", "setoption name hash_mb value 41")[-1] == (
        "info string error: hash_mb: expected at most 40 MiB, left by the other sessions of 100; got 41"
    )
    assert two.say("setoption name hash_mb value none")[-1].endswith("from 1 to 1024, got 'none'")
    assert two.say("setoption name hash_mb value 40", "setoption name depth value 3") == []
    with pytest.raises(UsageError, match="at most 0 MiB"):
        Conversation("uttt", "negamax", terms, hash_mb="1")
    Conversation("uttt", "hsp", terms)
    one.session.close()
    one.session.close()
    assert two.say("setoption name hash_mb value 100") == []
    two.session.close()
    Conversation("uttt", "negamax", terms, hash_mb="100")
