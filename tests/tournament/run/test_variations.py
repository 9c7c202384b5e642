"""Principal variations of programs: an illegal move is one warning, and the best line of several counts."""

from __future__ import annotations

import sys

import pytest

from fiedler import games
from fiedler.tournament.evaluation import from_text
from fiedler.tournament.run.events import Warned
from fiedler.tournament.run.variations import illegal
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, Tables

ENGINE = r"""
import sys
for line in sys.stdin:
    words = line.split()
    if words[0] in ("uci", "isready"):
        print({"uci": "uciok", "isready": "readyok"}[words[0]], flush=True)
    elif words[0] == "position":
        move, next = ("a7a6", "a6a4") if "moves" in words else ("e2e4", "e7e5 e1e3")
    elif words[0] == "go":
        for one in (
            "info depth 1 currmove a2a3 currmovenumber 1 hashfull 3 tbhits 0",
            "info refutation d1h5 g6h5",
            "info currline 1 e2e4 e7e5",
            "info depth 2 score cp 50 lowerbound wdl 300 500 200 nodes 9",
            f"info depth 3 seldepth 9 multipv 1 score cp 31 upperbound nodes 90 pv {move} {next}",
            "info depth 3 multipv 2 score mate -2 nodes 90 pv h2h3",
            "info depth 3 multipv 3 score cp -900 pv g2g4 e7e5",
        ):
            print(one)
        print("bestmove", move, flush=True)
"""


@pytest.mark.programs
def test_a_player_is_warned_of_once_and_its_game_counts(bench: Bench) -> None:
    players: list[Tables] = [
        {"name": "wrong", "command": [sys.executable, "-S", "-E", "-c", ENGINE], "protocol": "uci"},
        {"name": "ours", "player": "random"},
    ]
    played = bench.play(
        players,
        tournament={"game": "chess", "concurrency": 1},
        limit={"movetime_ms": 20_000, "startup_s": PATIENCE},
        adjudication={"max_plies": 2},
    )
    assert [one.termination for one in played] == ["adjudication"] * 2
    for one in played:
        first, second = from_text(one.evaluations)
        reported = first if one.first == "wrong" else second
        assert (reported.score_cp, reported.mate, reported.depth) == (31, None, 3)
    (text,) = [event.text for event in bench.events if isinstance(event, Warned) and "variation" in event.text]
    assert text.startswith(f"wrong, game {played[0].number}, ply ")
    assert "its principal variation has the illegal move " in text
    assert text.endswith("; later ones are not reported")


@pytest.mark.parametrize(
    ("position", "line", "why"),
    [
        ("startpos", "e2e4 e7e5 g1f3", ""),
        ("startpos", "e2e4 e7e5 e1e3 g8f6", "the illegal move 3 in 'e2e4 e7e5 e1e3': move e1e3: not legal in "),
        ("startpos", "f2f3 e7e5 g2g4 d8h4 e1e2", ""),  # mate, after which nobody looks
        ("startpos", "0000", "the illegal move 1 in '0000': "),
    ],
)
def test_a_variation_is_legal_up_to_the_end_of_the_game(position: str, line: str, why: str) -> None:
    board = games.any_game("chess").position(position)
    before = str(board)
    wrong = illegal(board, line.split())
    assert bool(wrong) == bool(why)
    assert wrong.removeprefix("its principal variation has ").startswith(why)
    assert str(board) == before
