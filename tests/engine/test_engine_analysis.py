from __future__ import annotations

import json

import pytest

from engine.analysis import Analysis, Judgement, analysis_table, analyze_position
from games import game
from native import Limits
from players import create
from tests.engine.engine_process import engine


def analyzed(game_id: str, moves: str, player: str = "negamax", nodes: int = 200_000) -> Analysis:
    position = game(game_id).position("startpos", moves.split())
    return analyze_position(create(game(game_id), player), position, Limits(nodes=nodes))


def judged(analysis: Analysis) -> dict[str, Judgement]:
    return {one.move: one.judgement for one in analysis.moves}


def test_tic_tac_toe_is_a_draw_wherever_one_begins() -> None:
    analysis = analyzed("tictactoe", "")
    assert analysis.judgement == Judgement(0.5, 0, None, "draw")
    assert set(judged(analysis).values()) == {analysis.judgement}
    assert len(analysis.pv) == 9


def test_every_move_is_judged_from_the_movers_side() -> None:
    analysis = analyzed("tictactoe", "a1 b2 a2")  # O must stop a3
    moves = judged(analysis)
    assert analysis.side_to_move == "O"
    assert moves.pop("a3") == Judgement(0.5, 0, None, "draw")
    assert set(moves.values()) == {Judgement(0.0, -9999, -1, "loss")}
    assert analysis.moves[0].move == analysis.pv[0] == "a3"


def test_quick_wins_come_first() -> None:
    analysis = analyzed("tictactoe", "a1 b1 a2 b2")
    assert analysis.moves[0].move == "a3"
    assert analysis.moves[0].judgement == Judgement(1.0, 9999, 1, "win")
    mates = [one.judgement.mate for one in analysis.moves if one.judgement.proven == "win"]
    assert mates == sorted(mate for mate in mates if mate is not None)
    assert analysis.judgement.mate == 1


def test_the_best_move_of_the_search_is_among_the_best_of_the_moves() -> None:
    analysis = analyzed("connect4", "d d d d d c", nodes=300_000)
    best = analysis.moves[0].judgement.score
    assert judged(analysis)[analysis.pv[0]].score == pytest.approx(best, abs=0.1)


def test_a_player_that_does_not_search_proves_nothing() -> None:
    analysis = analyzed("uttt", "e5", "random")
    assert analysis.nodes == 1
    assert {one.judgement.proven for one in analysis.moves} == {None}
    assert {one.judgement.score for one in analysis.moves} == {0.5}


def test_a_table_for_people() -> None:
    lines = analysis_table(analyzed("tictactoe", "a1 b2 a2")).splitlines()
    assert lines[0] == "tictactoe O;.../XO./X.."
    assert lines[1] == "O to move: draw"
    assert lines[3].startswith("best line: a3 ")
    assert lines[4] == "    a3  draw"
    assert lines[-1].endswith("loses in 1")


def test_analyze_as_json() -> None:
    words = ("analyze", "--game", "tictactoe", "--player", "mcts", "--position", "startpos moves a1 b1 a2 b2")
    done = engine(*words, "--nodes", "5000", "--json")
    document = json.loads(done.stdout)
    assert (document["score"], document["mate"], document["proven"]) == (1.0, 1, "win")
    assert document["pv"] == ["a3"]
    assert {"move", "score", "cp", "mate", "proven"} == set(document["moves"][0])
    assert {one["move"] for one in document["moves"]} == {"a3", "b3", "c1", "c2", "c3"}
    assert (done.returncode, done.stderr) == (0, "")


def test_analyze_by_time() -> None:
    done = engine("analyze", "--game", "uttt", "--player", "mcts", "--movetime", "0.2")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 4 + 81
