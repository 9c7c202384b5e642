"""`game = "generic"`: two players that alone know the rules, agree on them, or do not."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fiedler.games.result import Result
from fiedler.support.errors import UsageError
from fiedler.tournament.game import GameRecord, reason
from fiedler.tournament.play.server_process import engine_program
from fiedler.tournament.report.writing import write_report
from fiedler.tournament.run import manager
from fiedler.tournament.run.event_text import event_text
from fiedler.tournament.run.events import Disputed, Ended, Voided
from fiedler.tournament.run.merge import merge
from fiedler.tournament.run.status import status
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import Pairing, Schedule
from fiedler.tournament.schedule.sharding import sharded
from fiedler.tournament.schedule.validation import load
from fiedler.tournament.termination import Termination
from tests.engine.engine_process import serving
from tests.patience import PATIENCE
from tests.tournament.line import Cut, line_to
from tests.tournament.schedules import PLAYERS, Bench, Tables, example, shipped_games

pytestmark = pytest.mark.programs


def player(name: str, wish: str = "least", *fault: str) -> Tables:
    return {"name": name, "command": [sys.executable, "-S", "-E", str(PLAYERS / "agree.py"), wish, *fault]}


def play(bench: Bench, players: Sequence[Tables], games: int = 2, **changes: Any) -> list[GameRecord]:
    return bench.play(
        players,
        tournament={"game": "generic", "games_per_pair": games, **changes.pop("tournament", {})},
        limit={"nodes": 1, "startup_s": PATIENCE, **changes.pop("limit", {})},
        adjudication={"max_plies": 100, **changes.pop("adjudication", {})},
        **changes,
    )


def uttt(bench: Bench, game: str) -> list[GameRecord]:
    """Play ultimate tic-tac-toe between two of our engines, with rules of ours or without."""
    engines = {
        "mcts": ["--player", "mcts", "--set", "simulations=40"],
        "hsp": ["--player", "hsp"],
        "example": None,
    }
    serve = [engine_program(), "serve", "--game", "uttt"]
    players = [
        example(name) if words is None else {"name": name, "command": [*serve, *words, "--stdio"]}
        for name, words in engines.items()
    ]
    return bench.play(
        players,
        tournament={"game": game, "games_per_pair": 2},
        limit={"nodes": 40, "startup_s": PATIENCE},
        adjudication={"max_plies": 100},
    )


def test_our_games_are_the_same_without_our_rules(tmp_path: Path) -> None:
    benches = {game: Bench(tmp_path / game) for game in ("uttt", "generic")}
    found = {}
    for game, bench in benches.items():
        bench.folder.mkdir()
        found[game] = [(one.id, one.first, one.moves, one.result, one.termination) for one in uttt(bench, game)]
    assert found["generic"] == found["uttt"]
    assert len(found["uttt"]) == 6


def disputes(bench: Bench) -> list[Disputed]:
    return [event for event in bench.events if isinstance(event, Disputed)]


def opinions(bench: Bench) -> list[str]:
    return [event.dispute.text for event in disputes(bench)]


def ended(bench: Bench) -> Ended:
    (event,) = (event for event in bench.events if isinstance(event, Ended))
    return event


def test_a_game_whose_players_agree(bench: Bench) -> None:
    first, second = play(bench, [player("a"), player("b", "most")])
    assert first.moves == ("1", "3", "1", "3", "1", "2")
    assert (first.result, first.termination, reason(first)) == (
        Result.SECOND_WIN,
        Termination.RULES,
        "both players agree",
    )
    assert (second.moves, second.result, first.sides) == (("3", "1", "3", "1", "3"), Result.FIRST_WIN, "")


def test_the_sides_are_those_of_the_answers(bench: Bench) -> None:
    first, second = play(bench, [player("a", "two"), player("b")])
    assert (first.moves, first.sides, first.result) == (("2",) * 5, "00000", Result.DRAW)
    assert (second.moves, second.sides, second.result) == (("1", *["2"] * 5), "011111", Result.SECOND_WIN)
    write_report(bench.results / "test")
    assert '"sides":"0111110"' in (bench.results / "test" / "report.html").read_text("utf-8")


def test_a_player_that_knows_only_the_published_queries(bench: Bench) -> None:
    games = play(bench, [player("a"), player("b", "most", "plain")])
    assert [one.result for one in games] == [Result.SECOND_WIN, Result.FIRST_WIN]


OWN = "a, ply 1: move: expected one of its own 0 legal moves, got '1'"
LIES = {
    "gameover": ("after 2 plies a answers 'true' to query gameover; b answers 'false' to query gameover", "2"),
    "p1turn": ("after 3 plies a answers 'true' to query p1turn; b answers 'false' to query p1turn", "3"),
    "result": ("after 6 plies a answers 'p1win' to query result; b answers 'p2win' to query result", "0"),
    "legalmoves": ("after 0 plies b plays 3; a lists 0 legal moves without it", "0"),
}


@pytest.mark.parametrize(("query", "text", "ply"), [(query, *rest) for query, rest in LIES.items()], ids=LIES)
def test_a_lie_ends_the_game_without_a_result(bench: Bench, query: str, text: str, ply: str) -> None:
    liar = player("a", "least", f"lies:{query}", ply)
    games = play(bench, [liar, player("b", "most")])
    assert [one.detail for one in games] == ([OWN] if query == "legalmoves" else [])
    assert opinions(bench)[0] == text
    assert not [event for event in bench.events if isinstance(event, Voided)]
    with closing(Store.open(bench.results / "test")) as store:
        assert [one.text for one in store.disputes] == opinions(bench)
        assert (store.counts.begun, store.counts.void, store.state) == (0, 0, "finished")


def test_a_move_that_no_player_lists_is_illegal(bench: Bench) -> None:
    first, second = play(bench, [player("a", "4"), player("b")])
    assert (first.result, first.detail) == (
        Result.SECOND_WIN,
        "a, ply 1: move: expected one of its own 3 legal moves, got '4'",
    )
    assert (second.result, second.moves) == (Result.FIRST_WIN, ("1",))


def test_a_move_that_the_opponent_does_not_list_is_disputed(bench: Bench) -> None:
    assert play(bench, [player("a", "4", "plain"), player("b")]) == []
    assert (
        opinions(bench)
        == [
            "after 0 plies a plays 4; b lists 3 legal moves without it",
            "after 1 ply b lists 3 legal moves without it; a plays 4",
        ]
        or opinions(bench)[0] == "after 0 plies a plays 4; b lists 3 legal moves without it"
    )


FAULTS = {
    "crashes:gameover": (Termination.CRASH, "a exited with status 3, saying: KeyError: no idea"),
    "crashes:p1turn": (Termination.CRASH, "a exited with status 3, saying: KeyError: no idea"),
    "crashes:result": (Termination.CRASH, "a exited with status 3, saying: KeyError: no idea"),
    "skips:gameover": (Termination.ILLEGAL_MOVE, "did not answer query gameover, expected 'true' or 'false'"),
    "says:p1turn:maybe": (Termination.ILLEGAL_MOVE, "answered 'maybe' to query p1turn, expected 'true' or 'false'"),
    "says:result:none": (
        Termination.ILLEGAL_MOVE,
        "answered 'none' to query result, expected 'p1win' or 'p2win' or 'draw'",
    ),
}


@pytest.mark.parametrize(("fault", "termination", "detail"), [(key, *rest) for key, rest in FAULTS.items()], ids=FAULTS)
def test_a_wrong_answer_or_none_loses_the_game(bench: Bench, fault: str, termination: Termination, detail: str) -> None:
    games = play(bench, [player("a", "least", fault, "1"), player("b", "most")])
    assert [(one.loser, one.termination) for one in games] == [("a", termination)] * 2
    assert all(detail in one.detail for one in games)
    assert disputes(bench) == []


def test_a_player_that_knows_no_query_ends_the_run_before_its_first_game(bench: Bench) -> None:
    with pytest.raises(UsageError) as caught:
        play(bench, [player("a", "least", "skips:gameover"), player("b")])
    assert str(caught.value) == "player 'a': does not answer query gameover, which the game generic needs"
    (note,) = caught.value.__notes__
    assert "engine check --game generic -- " in note
    assert not (bench.results / "test" / "games.pgn").exists()


@pytest.mark.parametrize("query", ["gameover", "result"])
def test_a_player_that_never_answers_loses_on_time(bench: Bench, query: str) -> None:
    silent = player("a", "least", f"silent:{query}", "1")
    games = play(bench, [silent, player("b", "most")], limit={"startup_s": 3.0})
    assert [(one.loser, one.termination) for one in games] == [("a", Termination.TIME)] * 2
    late = "a did not answer questions about the position within 3 s; no response after query"
    assert all(one.detail.startswith(late) for one in games)


def test_three_disputes_end_the_games_of_a_pair(bench: Bench) -> None:
    liar = player("a", "least", "lies:gameover", "1")
    games = play(bench, [liar, player("b"), player("c", "most")], games=8)
    assert {(one.first, one.second) for one in games} == {("b", "c"), ("c", "b")}
    assert len(games) == 8
    found = disputes(bench)
    assert [event.stops != "" for event in found].count(True) == 2
    (stop,) = (event for event in found if event.stops.startswith("a and b"))
    assert event_text(stop, Pairing()).endswith(
        "; a and b meet no more: they did not agree on the rules in 3 games; 5 other games given up"
    )
    assert ended(bench).why.startswith("8 games are played, 16 games given up: 6 disputes; a and b meet no more")
    folder = bench.results / "test"
    seen = status(folder)
    assert (seen["given_up"], seen["finished"], seen["void"], seen["state"]) == (16, 8, 0, "finished")
    assert bench.play() == games, "nothing is played again"


def test_the_first_dispute_ends_a_run_if_asked_to(bench: Bench) -> None:
    liar = player("a", "least", "lies:p1turn", "1")
    games = play(bench, [player("b"), player("c", "most"), liar], games=2, tournament={"disputes": "stop"})
    (event,) = disputes(bench)
    assert event.over == f"stopped by the dispute in game {event.dispute.number}: {event.dispute.text}"
    assert event.given_up == 6 - len(games)
    assert ended(bench).why == event.over
    before = len(bench.events)
    assert bench.play() == games, "nothing is played after the end"
    assert not [event for event in bench.events[before:] if isinstance(event, Disputed)]
    with pytest.raises(UsageError, match=r"tournament\.disputes: the run has 'stop', the schedule 'continue'"):
        play(bench, [player("b"), player("c", "most"), liar], games=2)


def test_a_knockout_ends_with_its_first_dispute(bench: Bench) -> None:
    liar = player("a", "least", "lies:p1turn", "1")
    assert play(bench, [liar, player("b")], pairing={"method": "knockout"}) == []
    assert ended(bench).why.startswith("stopped by the dispute in game 1: after 1 ply a answers")


def test_a_test_ends_inconclusive_once_its_players_meet_no_more(bench: Bench) -> None:
    liar = player("a", "least", "lies:p1turn", "1")
    play(bench, [liar, player("b")], pairing={"method": "sprt"})
    assert len(disputes(bench)) == 3
    assert ended(bench).why.startswith("a and b meet no more")
    bench.events.clear()
    assert bench.play() == []


def test_a_kill_loses_no_dispute(bench: Bench) -> None:
    liar = player("a", "least", "lies:p1turn", "1")
    play(bench, [liar, player("b")])
    folder = bench.results / "test"
    log = folder / "events.jsonl"
    whole = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    kept = [line for line in whole if line["event"] not in ("disputed", "ended")]
    log.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
    assert bench.play() == []
    again = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    found = [[line["dispute"] for line in lines if line["event"] == "disputed"] for lines in (whole, again)]
    assert found[0] == found[1]
    assert len(found[0]) == 2


@pytest.mark.parametrize("place", ["processes", "reconnect"])
def test_a_dispute_elsewhere(bench: Bench, place: str) -> None:
    liar = player("a", "least", "lies:result")
    bench.processes = 2 if place == "processes" else 1
    limit = {"reconnect_s": 1.0} if place == "reconnect" else {}
    assert play(bench, [liar, player("b")], tournament={"concurrency": 2}, limit=limit) == []
    assert sorted(opinions(bench)) == [
        "after 10 plies a answers 'p1win' to query result; b answers 'draw' to query result",
        "after 10 plies b answers 'draw' to query result; a answers 'p1win' to query result",
    ]


CUTS: dict[str, tuple[Cut, ...]] = {
    "at a question": ((b"query gameover", 2),),
    "with an answer on its way": ((b"response", 4),),
    "at the question about abilities": ((b"query capabilities", 1),),
    "at the result": ((b"query result", 1),),
    "at a move, then at a question": ((b"go nodes", 2), (b"query p1turn", 1)),
}


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
def test_a_lost_line_at_a_question(bench: Bench, cuts: tuple[Cut, ...]) -> None:
    words = ["serve", "--game", "tictactoe", "--player", "negamax", "--stdio"]
    near = {"name": "near", "command": [engine_program(), *words, "--set", "depth=1"]}
    played = []
    for given in ((), cuts):
        bench.results = bench.folder / f"{len(given)}-cuts"
        with (
            serving("--game", "tictactoe", "--player", "negamax", "--set", "depth=2") as server,
            line_to(server.address, *given) as line,
        ):
            far = {"name": "far", "address": line.address}
            games = play(bench, [far, near], limit={"reconnect_s": PATIENCE})
            assert line.cuts_left == 0
        played.append([(one.id, one.moves, one.result, one.termination, one.detail) for one in games])
    assert len(played[0]) == 2
    assert played[0] == played[1]


def test_shards_keep_their_disputes(bench: Bench) -> None:
    liar = player("a", "least", "lies:result", "1")
    play(bench, [liar, player("b"), player("c", "most")])
    whole = status(bench.results / "test")
    shards = []
    for number in (1, 2):
        read = partial(sharded_of, number)
        shards.append(manager.run(bench.path, results=bench.results, read=read))
    out = bench.results / "merged"
    merge(out, shards)
    merged = status(out)
    assert [merged[key] for key in ("finished", "given_up")] == [whole[key] for key in ("finished", "given_up")]
    assert sorted(one["number"] for one in merged["disputes"]) == sorted(one["number"] for one in whole["disputes"])


def sharded_of(number: int, path: Path) -> Schedule:
    return sharded(load(path), f"{number}/2")


def test_the_schedule_that_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    games = shipped_games("generic", "movetime_ms = 50", "nodes = 20")
    assert [one.termination for one in games] == [Termination.RULES] * 4


def test_adjudication_by_length_and_scores(bench: Bench) -> None:
    games = play(bench, [player("a"), player("b")], adjudication={"max_plies": 4})
    assert {(len(one.moves), one.result, one.termination) for one in games} == {
        (4, Result.DRAW, Termination.ADJUDICATION)
    }


def test_a_report_has_both_opinions(bench: Bench) -> None:
    liar = player("a", "least", "lies:result")
    play(bench, [liar, player("b", "most"), player("c")])
    folder = bench.results / "test"
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    assert "a answers &#39;p1win&#39; to query result" in page
    assert "1. 1 3 2. 1 3 3. 1 2 0-1" in re.sub(r" {.*?}", "", (folder / "games.pgn").read_text("utf-8"))
    lines = [json.loads(line) for line in (folder / "events.jsonl").read_text("utf-8").splitlines()]
    assert [line["dispute"]["question"] for line in lines if line["event"] == "disputed"] == ["result"] * 4
