"""`engine play`: its options, its input from pipes or a terminal, its end."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from contextlib import suppress

import pytest

from tests.engine.engine_process import ENGINE, engine, serving
from tests.engine.test_play import AFTER
from tests.patience import PATIENCE


def test_an_interrupt_is_code_130_and_no_error() -> None:
    words = (ENGINE, "play", "--game", "tictactoe", "--player", "hsp")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
        assert command.stdin is not None
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdin.write(b"b2\n")
        command.stdin.flush()
        shown = b""
        while shown.count(b"X to move: ") < 2:
            shown += os.read(command.stdout.fileno(), 2**16) or pytest.fail(f"it ended: {shown!r}")
        command.send_signal(signal.SIGINT)
        assert command.wait(PATIENCE) == 130
        said = command.stderr.read().decode()
    assert re.fullmatch(
        r"\ninterrupted; 2 moves were not saved \(save FILE saves a game\); "
        r"--position 'startpos moves b2 \w\d' resumes the game\n",
        said,
    )


def test_an_interrupt_at_the_question_for_a_game_is_no_error() -> None:
    code, text = typed_at_a_terminal("play", said=b"", number=signal.SIGINT)
    assert (code, text) == (130, text.partition("interrupted")[0] + "interrupted\r\n")
    assert "error" not in text


def test_through_pipes() -> None:
    done = engine("play", "--game", "tictactoe", "--player", "hsp", "--set", "seed=1", said="b2\nb2\nundo\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "tic-tac-toe: you are X, hsp is O" in done.stdout
    assert "b2 is taken; moves lists the legal moves" in done.stdout
    assert "X to move: \n 3  " in done.stdout
    assert done.stdout.endswith("X to move: \nbye\n")


def test_a_position_and_moves_from_the_command_line() -> None:
    words = ("play", "--game", "renju15", "--player", "hsp", "--set", "seed=1", "--position")
    done = engine(*words, "startpos moves g8 j5 f8 k6 h9 d12 h10 e4", said="h8\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert " 8  .  .  .  .  .  X  X  !  .  .  .  .  .  .  .\n" in done.stdout
    assert "h8 is forbidden for Black (X): double three; moves lists the legal moves" in done.stdout
    done = engine("play", "--game", "tictactoe", "--player", "osp", "--position", "O;XX./OO./X..")
    assert "\nosp plays c2\n" in done.stdout
    assert done.stdout.endswith(f"you lost: O wins by three in a row\n{AFTER}\nbye\n")


def test_a_level_is_an_opponent() -> None:
    done = engine("play", "--game", "ttt", "--level", "easy", said="resign\nquit\n")
    assert "tic-tac-toe: you are X, hsp is O at level easy\n" in done.stdout
    assert "you lost against level easy: you resigned\n" in done.stdout
    done = engine("play", "--game", "ttt", said="resign\nquit\n")
    assert "you lost against level strongest: you resigned\n" in done.stdout
    done = engine("play", "--game", "ttt", "--player", "hsp", said="resign\nquit\n")
    assert "you lost: you resigned\n" in done.stdout
    done = engine("play", "--game", "ttt", "--level", "eazy")
    assert done.returncode == 2
    assert "expected one of beginner, easy, medium, hard, strongest, got 'eazy'; did you mean 'easy'?" in done.stderr
    done = engine("play", "--game", "ttt", "--level", "easy", "--player", "osp")
    assert done.returncode == 2
    assert done.stderr == "error: --level: it names the opponent; leave out the other options that do\n"


def test_without_a_game_a_terminal_asks_and_others_are_refused() -> None:
    done = engine("play")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --game: expected one of tictactoe, connect4, ")
    code, text = typed_at_a_terminal("play", "--level", "easy", said=b"chess\n1\nquit\n")
    assert code == 0
    assert "  2  connect4       Connect 4" in text
    assert "unknown game 'chess'" in text
    assert "tic-tac-toe: you are X, hsp is O" in text


def test_the_end_of_the_input_leaves_the_question_for_a_game() -> None:
    code, text = typed_at_a_terminal("play", said=b"chess\n\x04")
    assert (code, "error" in text) == (0, False)
    assert text.endswith("Which game: \r\n")


def typed_at_a_terminal(*words: str, said: bytes, number: signal.Signals | None = None) -> tuple[int, str]:
    """Return the exit code of a command in whose terminal `said` is typed once it asks, and its output.

    With a `number` it gets this signal instead.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen([ENGINE, *words], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # Linux: the other end is closed
        while chunk := os.read(ours, 2**16):
            shown += chunk
            if b"Which game: " in shown and number is not None:
                process.send_signal(number)
                number = None
            elif b"Which game: " in shown and said:
                os.write(ours, said)
                said = b""
    os.close(ours)
    return process.wait(PATIENCE), shown.decode()


def test_through_pipes_against_a_port() -> None:
    with serving("--game", "uttt", "--player", "mcts", "--set", "simulations=50") as server:
        words = ("play", "--game", "uttt", "--address", server.address, "--side", "second", "--movetime", "100ms")
        done = engine(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Fiedler mcts plays " in done.stdout
    assert done.stdout.endswith("O to move: \nbye\n")


def test_bytes_that_are_not_text_are_not_a_move() -> None:
    done = subprocess.run(
        [ENGINE, "play", "--game", "tictactoe", "--player", "osp"],
        input=b"\xff\xfe\nquit\n",
        capture_output=True,
        check=True,
    )
    assert b"expected a1 to c3" in done.stdout
    assert done.stdout.endswith(b"bye\n")
