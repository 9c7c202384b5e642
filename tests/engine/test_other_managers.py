"""Whole games of two of our engines in the exact lines of cutegames and of gogui-twogtp."""

from __future__ import annotations

import pytest

from tests.engine.engine_driver import Conversation

SIZES = {"tictactoe": 3, "connect4": 7, "uttt": 9}
LIMITS = ["go movetime 5", "go depth 2", "go nodes 50", "go p1time 500 p2time 500 p1inc 5 p2inc 5"]
MOST_PLIES = 82


def word(talk: Conversation, *lines: str) -> str:
    """The last word of the one answer to these lines, which has two."""
    (answer,) = talk.say(*lines)
    _, found = answer.split()
    return found


@pytest.mark.parametrize("game", SIZES)
def test_a_game_in_cutegames(game: str) -> None:
    engines = [Conversation(game, "negamax"), Conversation(game, "random", seed="1")]
    for one in engines:
        assert one.say("ugi")[-1] == "ugiok"
        assert one.say("isready", "isready", "uginewgame") == ["readyok", "readyok"]
    moves: list[str] = []
    for ply in range(MOST_PLIES):
        position = f"position startpos moves {' '.join(moves)}" if moves else "position startpos"
        mover = engines[0 if word(engines[0], position, "query p1turn") == "true" else 1]
        assert mover is engines[ply % 2]
        assert mover.say("isready") == ["readyok"]
        if word(mover, position, position, "query gameover") == "true":
            break
        best, move = mover.ask(LIMITS[ply % len(LIMITS)])[-1].split()
        assert best == "bestmove"
        moves.append(move)
    ends = [(word(one, position, position, "query gameover"), word(one, position, "query result")) for one in engines]
    assert ends[0] == ends[1]
    assert ends[0] in {("true", result) for result in ("p1win", "p2win", "draw")}


def response(talk: Conversation, command: str) -> str:
    """The one response to a command of GTP."""
    (answer, empty) = talk.say(command)
    assert empty == ""
    return answer


@pytest.mark.parametrize(("game", "size"), SIZES.items())
def test_a_game_in_twogtp(game: str, size: int) -> None:
    engines = [Conversation(game, "random", seed=seed) for seed in "12"]
    for one in engines:
        assert response(one, "protocol_version") == "= 2"
        assert one.say("list_commands")[0].startswith("= ")
        for command in (f"boardsize {size}", "clear_board", f"boardsize {size}", "clear_board", "komi 6.5"):
            assert response(one, command) == "="
    answers: list[str] = []
    while answers[-2:] != ["= PASS", "= PASS"]:
        color = len(answers) % 2
        answers.append(response(engines[color], f"genmove {'bw'[color]}"))
        assert response(engines[1 - color], f"play {'BW'[color]} {answers[-1].removeprefix('= ')}") == "="
        assert len(answers) < MOST_PLIES + 2
    scores = {response(one, "final_score") for one in engines}
    assert len(scores) == 1
    assert scores <= {"= B+1", "= W+1", "= 0"}
