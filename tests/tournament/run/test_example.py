"""The example engine: its small rules against ours, and its side of the protocol."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from types import ModuleType

import pytest

from fiedler import games
from tests.patience import PATIENCE
from tests.tournament.schedules import EXAMPLE

UTTT = games.game("uttt")


@pytest.fixture(scope="module")
def ugi_random() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ugi_random", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_has_our_rules(ugi_random: ModuleType) -> None:
    rng = random.Random(1)
    for _ in range(40):
        ours, theirs = UTTT.position(), ugi_random.Position()
        while ours.result is None:
            legal = sorted(ours.move_text(move) for move in ours.legal_moves())
            assert legal == sorted(theirs.legal_moves())
            assert legal == sorted(ugi_random.Position.parse(str(ours)).legal_moves())
            move = rng.choice(legal)
            ours.play(ours.parse_move(move))
            theirs.play(move)
        assert theirs.legal_moves() == []
        assert ugi_random.answer("result", theirs) == {1: "p1win", -1: "p2win", 0: "draw"}[ours.result]


def test_the_example_answers_the_protocol() -> None:
    fen = str(UTTT.position("startpos", ["e5"]))
    asked = f"""ugi
    isready
    setoption name seed value 3
    uginewgame
    position startpos moves e5 d4
    query p1turn
    position startpos moves e5 e5
    query gameover
    position fen {fen}
    query p1turn
    position nonsense
    query result
    go movetime 10
    quit
    never read
    """
    words = [sys.executable, str(EXAMPLE)]
    output = subprocess.run(
        words, input=asked, capture_output=True, text=True, timeout=PATIENCE, check=True
    ).stdout.splitlines()
    assert output[:4] == [
        "id name ugi_random",
        "id author Fiedler",
        "option name seed type spin default 0 min 0 max 2147483647",
        "ugiok",
    ]
    assert output[4:9] == [
        "readyok",
        "response true",
        "info string error: illegal move: e5",
        "response false",
        "response false",
    ]
    assert output[9].startswith("info string error: ")
    assert output[10] == "response none"
    assert output[11].startswith("bestmove ")
    assert len(output) == 12
