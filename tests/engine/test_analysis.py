from __future__ import annotations

import io
import json
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from fiedler.engine.commands.progress import StepProgress
from fiedler.engine.host.analysis import Analysis, analysis_document, analysis_table, analyze_position
from fiedler.engine.host.evaluation import Evaluation, words
from fiedler.games import game
from fiedler.native import Limits, Position, SearchInfo, StopFlag
from fiedler.players import Player, create
from tests.engine.engine_process import engine as run_engine
from tests.native.positions import load
from tests.patience import wait_until


def analyzed(game_id: str, moves: str, player: str = "negamax", nodes: int = 200_000) -> Analysis:
    position = game(game_id).position("startpos", moves.split())
    return analyze_position(create(game(game_id), player), position, Limits(nodes=nodes))


def judged(analysis: Analysis) -> dict[str, Evaluation]:
    """The evaluation of each searched move."""
    return {one.move: one.evaluation for one in analysis.moves if one.evaluation is not None}


def test_tic_tac_toe_is_a_draw_wherever_one_begins() -> None:
    analysis = analyzed("tictactoe", "")
    assert analysis.evaluation == Evaluation(0.5, 0, None, "draw")
    assert set(judged(analysis).values()) == {analysis.evaluation}
    assert len(analysis.pv) == 9


def test_every_move_is_evaluated_from_the_movers_side() -> None:
    analysis = analyzed("tictactoe", "a1 b2 a2")  # O must stop a3
    moves = judged(analysis)
    assert analysis.side_to_move == "O"
    assert moves.pop("a3") == Evaluation(0.5, 0, None, "draw")
    assert set(moves.values()) == {Evaluation(0.0, -9999, -1, "loss")}
    assert analysis.moves[0].move == analysis.pv[0] == "a3"


def test_quick_wins_come_first() -> None:
    analysis = analyzed("tictactoe", "a1 b1 a2 b2")
    assert analysis.moves[0].move == "a3"
    assert analysis.moves[0].evaluation == Evaluation(1.0, 9999, 1, "win")
    mates = [one.mate for one in judged(analysis).values() if one.proven == "win"]
    assert mates == sorted(mate for mate in mates if mate is not None)
    assert analysis.evaluation.mate == 1


def test_the_best_move_of_the_search_is_among_the_best_of_the_moves() -> None:
    analysis = analyzed("connect4", "d d d d d c", nodes=300_000)
    best = judged(analysis)[analysis.moves[0].move].score
    assert judged(analysis)[analysis.pv[0]].score == pytest.approx(best, abs=0.1)


def test_a_player_that_does_not_search_proves_nothing() -> None:
    analysis = analyzed("uttt", "e5", "random")
    assert analysis.nodes == len(analysis.moves)  # the best one is judged by the search of the position
    assert {one.proven for one in judged(analysis).values()} == {None}
    assert {one.score for one in judged(analysis).values()} == {0.5}


def test_a_readable_table() -> None:
    lines = analysis_table(analyzed("tictactoe", "a1 b2 a2")).splitlines()
    assert lines[0] == "tictactoe O;.../XO./X.."
    assert lines[1] == "O to move: draw"
    assert lines[3].startswith("best line: a3 ")
    assert lines[4] == "    a3  draw"
    assert lines[-1].endswith("loses in 1")


def test_analyze_as_json() -> None:
    words = ("analyze", "--game", "tictactoe", "--player", "mcts", "--position", "startpos moves a1 b1 a2 b2")
    done = run_engine(*words, "--nodes", "5000", "--json")
    document = json.loads(done.stdout)
    assert (document["score"], document["mate"], document["proven"]) == (1.0, 1, "win")
    assert document["pv"] == ["a3"]
    assert {"move", "score", "cp", "mate", "proven", "pv"} == set(document["moves"][0])
    assert [one["pv"][0] for one in document["moves"]] == [one["move"] for one in document["moves"]]
    assert {one["move"] for one in document["moves"]} == {"a3", "b3", "c1", "c2", "c3"}
    assert (done.returncode, done.stderr) == (0, "")


def test_analyze_by_time() -> None:
    done = run_engine("analyze", "--game", "uttt", "--player", "mcts", "--movetime", "0.2")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 13 + 4 + 81, "the board comes first"


@pytest.mark.parametrize("player", ["negamax", "mcts"])
@pytest.mark.parametrize(("game_id", "moves"), [("uttt", "e5 d4"), ("connect4", "d d c"), ("tictactoe", "a1")])
def test_the_best_move_is_first_and_none_is_above_the_position(player: str, game_id: str, moves: str) -> None:
    analysis = analyzed(game_id, moves, player, nodes=3000)
    position = game(game_id).position("startpos", moves.split())
    assert sorted(judged(analysis)) == sorted(map(position.move_text, position.legal_moves()))
    assert analysis.moves[0].pv == analysis.pv
    assert analysis.moves[0].evaluation == analysis.evaluation
    worths = [one.worth for one in judged(analysis).values()]
    assert worths == sorted(worths, reverse=True)
    for one in analysis.moves:
        line = position.copy()
        for move in one.pv:
            line.play(line.parse_move(move))
        assert one.pv[0] == one.move


def test_every_move_of_a_proven_position_is_exact() -> None:
    """Scores k of the data mean that the winner has 22 - k stones at the end."""
    late = [row for row in load("connect4_scores")["positions"] if len(row["moves"]) >= 30]
    for row in late[::4]:
        analysis = analyzed("connect4", " ".join("abcdefg"[move] for move in row["moves"]))
        assert analysis.evaluation == expected(row["score"], len(row["moves"]))
        exact = {"abcdefg"[c]: expected(k, len(row["moves"])) for c, k in enumerate(row["scores"]) if k is not None}
        assert judged(analysis) == exact


def expected(score: int, stones: int) -> Evaluation:
    """The expected result for the mover with `stones` on the board."""
    if score == 0:
        return Evaluation(0.5, 0, None, "draw")
    mover = stones // 2 if score > 0 else (stones + 1) // 2  # the winner's stones so far
    mate = 22 - abs(score) - mover
    return Evaluation(1.0, 9999, mate, "win") if score > 0 else Evaluation(0.0, -9999, -mate, "loss")


Says = Callable[[Position, Limits], dict[str, Any]]


class Scripted(Player):
    """Returns a scripted result for each position, and remembers its limits."""

    name = "scripted"
    description = ""
    said: Says

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.limits: list[Limits] = []

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: Any = None) -> SearchInfo:
        self.limits.append(limits)
        best = position.legal_moves()[0]
        found = {"nodes": limits.nodes, "seconds": limits.seconds, "depth": 1, "best": best, "pv": [best]}
        result = {"score": 0.5, "mate": None, "proven_draw": False, **found, **self.said(position, limits)}
        return cast("SearchInfo", SimpleNamespace(**result))


@pytest.fixture
def no_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search costs only the scripted nodes and seconds."""
    monkeypatch.setattr("fiedler.engine.host.analysis.time", SimpleNamespace(monotonic=lambda: 0.0))


def scripted(said: Says | dict[int, Any], limits: Limits | None = None) -> tuple[Analysis, Scripted]:
    """The analysis of a position of uttt by a scripted player, and that player; the script goes by number of stones."""
    made: list[Scripted] = []

    class Made(Scripted):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.said = said if callable(said) else lambda position, _: said.get(position.ply, {})
            made.append(self)

    found = analyze_position(Made.factory(game("uttt"), {}), game("uttt").position(), limits or Limits(seconds=8.0))
    return found, made[0]


def test_the_search_of_the_position_bounds_overrated_moves() -> None:
    analysis, _ = scripted({0: {"score": 0.6}, 1: {"score": 0.1}})
    assert {one.score for one in judged(analysis).values()} == {0.6}
    assert analysis.moves[0].move == analysis.pv[0] == "a9"


def test_a_lost_position_has_no_move_that_does_not_lose() -> None:
    analysis, _ = scripted({0: {"score": 0.0, "mate": -4}, 1: {"score": 0.3}})
    assert analysis.moves[0].evaluation == analysis.evaluation == Evaluation(0.0, -9999, -4, "loss")
    assert {one.evaluation for one in analysis.moves[1:]} == {Evaluation(0.0, -9999, None, "loss")}
    assert words(analysis.moves[1].evaluation) == "loses"


def test_a_win_that_only_the_search_of_the_moves_proves_is_the_position_s() -> None:
    analysis, _ = scripted({0: {"score": 0.6}, 1: {"score": 0.0, "mate": -2}})
    assert analysis.evaluation == Evaluation(1.0, 9999, 3, "win")
    assert analysis.moves[-1].move == "a9"


def test_a_proven_draw_among_worse_moves_is_the_least_the_position_is_worth() -> None:
    analysis, _ = scripted({0: {"score": 0.4}, 1: {"proven_draw": True}})
    assert analysis.evaluation == Evaluation(0.5, 0, None, None)
    assert judged(analysis)[analysis.moves[0].move].proven == "draw"


def test_the_moves_share_the_limit() -> None:
    _, player = scripted({})
    assert [one.seconds for one in player.limits] == pytest.approx([8.0] + [8.0 / 80] * 80)
    _, player = scripted({}, limits=Limits(nodes=1000))
    assert [one.nodes for one in player.limits[1:]] == [200] * 80  # a little at least


@pytest.mark.usefixtures("no_time_passes")
def test_moves_whose_turn_does_not_come_in_time_are_not_searched() -> None:
    analysis, player = scripted({0: {"score": 0.6}, 1: {"score": 0.7}}, limits=Limits(seconds=0.03))
    searched = len(player.limits) - 1
    assert {one.seconds for one in player.limits[1:]} == {0.001}
    assert searched == 30
    assert [one.evaluation is None for one in analysis.moves] == [False] * (searched + 1) + [True] * (80 - searched)
    assert analysis_table(analysis).splitlines()[-1].endswith("  not searched")
    assert analysis_document(analysis)["moves"][-1] == {
        "move": analysis.moves[-1].move,
        **dict.fromkeys(("score", "cp", "mate", "proven")),
        "pv": (analysis.moves[-1].move,),
    }


@pytest.mark.usefixtures("no_time_passes")
def test_searches_that_take_longer_than_they_were_given_leave_less_to_the_others() -> None:
    analysis, player = scripted(lambda position, limits: {"seconds": (1 + 0.5 * position.ply) * limits.seconds})
    assert sum(1.5 * one.seconds for one in player.limits[1:]) < 8.0 + 0.2
    assert len(player.limits) == len(analysis.moves)
    assert 0 < player.limits[-1].seconds < player.limits[1].seconds


@pytest.mark.usefixtures("no_time_passes")
def test_a_lost_position_needs_no_search_of_its_moves() -> None:
    analysis, _ = scripted({0: {"score": 0.0, "mate": -4}, 1: {"score": 0.3}}, limits=Limits(seconds=0.01))
    assert {one.evaluation for one in analysis.moves[1:]} == {Evaluation(0.0, -9999, None, "loss")}


def test_centipawns_rank_moves_near_a_sure_win() -> None:
    def said(position: Position, _: Limits) -> dict[str, Any]:
        return {"score": 10.0 ** -(20 + position.cells.index(1) % 7) if position.ply else 1.0}

    analysis, _ = scripted(said)
    shown = [one.cp for one in judged(analysis).values()]
    assert len(set(shown)) > 5
    assert shown == sorted(shown, reverse=True)


@pytest.mark.parametrize("player", ["negamax", "mcts"])
def test_all_of_it_takes_about_twice_the_time_on_a_large_board(player: str) -> None:
    started, worked = time.monotonic(), time.process_time()
    analysis = analyze_position(create(game("gomoku15"), player), game("gomoku15").position(), Limits(seconds=0.2))
    assert 0.2 <= analysis.seconds <= time.monotonic() - started
    assert time.process_time() - worked < 2.0  # 225 moves of 0.02 s each were 4.5 s
    assert len(analysis.moves) == 225


def test_the_unused_limits_of_proven_moves_go_to_the_others() -> None:
    def said(position: Position, limits: Limits) -> dict[str, Any]:
        easy = position.ply and position.cells.index(1) >= 9  # not in the top row
        return {"proven_draw": True, "nodes": 1} if easy else {"proven_draw": limits.nodes > 1000}

    analysis, player = scripted(said, Limits(nodes=80 * 500))
    assert [one.nodes for one in player.limits] == [80 * 500] + [500] * 80 + [(80 * 500 - 72 - 8 * 500) // 8] * 8
    assert {one.proven for one in judged(analysis).values()} == {"draw"}
    assert analysis.evaluation.proven == "draw"


def test_a_bar_comes_late_and_only_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {}
    for terminal, patience in ((True, 0.01), (True, 60.0), (False, 0.01)):
        monkeypatch.setattr("fiedler.engine.commands.progress.PATIENCE_SECONDS", patience)
        stream = io.StringIO()
        with StepProgress("judging", Console(file=stream, force_terminal=terminal)) as progress:
            if terminal and patience < 1.0:
                wait_until(lambda: "judging" in stream.getvalue())  # noqa: B023 - it is called at once
            progress(3, 7)
        shown[terminal, patience] = stream.getvalue()
    assert "judging" in shown[True, 0.01]
    assert "3/7" in shown[True, 0.01]
    assert shown[True, 60.0] == shown[False, 0.01] == ""
