"""`engine play`: its options, its input from pipes or a terminal, its end."""

from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.engine.engine_process import ENGINE, engine, serving
from tests.engine.test_play import AFTER
from tests.own_games import BREAKTHROUGH, EXAMPLE, written
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


def test_the_rules_of_go_from_the_command_line() -> None:
    words = ("play", "--game", "go9", "--player", "random", "--position", "e5 pass", "--rules")
    done = engine(*words, "komi=81,suicide=true", said="pass\nquit\n")
    assert "\ndraw: equal points\n" in done.stdout
    for rules, why in {
        "komi=7.3": "komi: expected a multiple of 0.5 from -361 to 361, got 7.3",
        "kmoi=7": "kmoi: unknown key; did you mean 'komi'?",
    }.items():
        done = engine(*words, rules)
        assert (done.returncode, done.stderr) == (2, f"error: --rules: {why}\n")
    done = engine("play", "--game", "chess", "--rules", "komi=7")
    assert done.stderr == "error: --rules: komi: unknown key; the game has no rules to choose\n"


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
    code, text = typed_at_a_terminal("play", "--level", "easy", said=b"checkers\n1\nquit\n")
    assert code == 0
    assert "  2  connect4       Connect 4" in text
    assert "unknown game 'checkers'" in text
    assert "tic-tac-toe: you are X, hsp is O" in text


def test_the_end_of_the_input_leaves_the_question_for_a_game() -> None:
    code, text = typed_at_a_terminal("play", said=b"checkers\n\x04")
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


GREEDY = f"{sys.executable} {EXAMPLE.parent / 'breakthrough_greedy.py'}"


def test_a_game_of_ones_own_against_a_program(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    said = f"a2a3\nA3A9\nundo\nB2B3\nsave {file}\nquit\n"
    done = engine("play", "--game", BREAKTHROUGH, "--command", GREEDY, "--movetime", "1s", said=said)
    assert (done.returncode, done.stderr) == (0, "")
    assert "breakthrough on 6×6: you are White (♙), breakthrough_greedy is Black (♟)\n" in done.stdout
    assert "\n 3 [♙] .  .  .  .  .\n" in done.stdout
    assert "move: expected a legal move, got 'a3a9'; moves lists the legal moves, help the commands" in done.stdout
    assert done.stdout.count("\nbreakthrough_greedy plays ") == 2
    line = file.read_text("utf-8").strip()
    assert re.fullmatch(r"startpos moves b2b3 [a-f]\d[a-f]\d", line)
    done = engine("play", "--game", BREAKTHROUGH, "--command", GREEDY, "--position", line, said="moves\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "type a move such as " in done.stdout
    assert "b3a4" in done.stdout


def test_rules_that_fail_end_the_game_in_a_line(tmp_path: Path) -> None:
    old = '        squares[end], squares[start] = squares[start], "."\n'
    place = written(tmp_path / "rules.py", old, f"        1 // (end != 12 or squares[start] == 'o')\n{old}")
    words = ("--game", place, "--player", "random", "--set", "seed=1", "--position", "startpos moves a2a3 f5f4")
    done = engine("play", *words, said="c2c3\na3a4\n")
    assert done.returncode == 1
    assert re.fullmatch(
        r"error: the rules of breakthrough \(rules.py:GAME\) failed: ZeroDivisionError: .* \(rules.py, line \d+\); "
        r"2 moves were not saved \(save FILE saves a game\); "
        r"--position 'X;\S+ moves c2c3 [a-f]\d[a-f]\d' resumes the game\n",
        done.stderr,
    )


@pytest.mark.parametrize(("side", "said", "lost"), [(1, "c2c3\n", "1 move was"), (0, "c2c3\nhint\n", "2 moves were")])
def test_rules_that_fail_in_a_search_are_no_failure_of_the_opponent(
    side: int, said: str, lost: str, tmp_path: Path
) -> None:
    old = "        own, other = "
    place = written(
        tmp_path / "rules.py", old, f"        1 // (self.side_to_move != {side} or self.squares[20] != 'x')\n{old}"
    )
    done = engine("play", "--game", place, "--player", "random", said=f"{said}quit\n")
    assert done.returncode == 1
    assert re.fullmatch(
        r"error: the rules of breakthrough \(rules.py:GAME\) failed: ZeroDivisionError: .* \(rules.py, line \d+\); "
        rf"{lost} not saved \(save FILE saves a game\); "
        r"--position 'startpos moves c2c3( [a-f]\d[a-f]\d)?' resumes the game\n",
        done.stderr,
    )


@pytest.mark.parametrize(
    "opponent", [(), ("--player", "mcts"), ("--command", "{engine} serve --game {game} --player random --stdio")]
)
def test_a_game_of_openspiel(opponent: tuple[str, ...], tmp_path: Path) -> None:
    game, file = "openspiel:breakthrough(rows=6,columns=6)", tmp_path / "game.pgn"
    words = [shlex.join(word.split()).format(engine=ENGINE, game=game) if " " in word else word for word in opponent]
    said = f"a5a4\nmoves\nhint\nsave {file}\nresign\nquit\n"
    done = engine("play", "--game", game, *words, "--movetime", "0.1", said=said)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.match(r"Breakthrough: you are First, (mcts|Fiedler random) is Second\n", done.stdout)
    assert "First to move: \n6bbbbbb\n5.bbbbb\n4b.....\n" in done.stdout
    assert re.search(r"\n(mcts|Fiedler random) plays [a-f]\d[a-f]\d", done.stdout)
    assert re.search(r" would play [a-f]\d[a-f]\d", done.stdout)
    assert done.stdout.endswith("you lost: you resigned\nnew, undo, save FILE or quit: \nbye\n")
    assert f'[Game "{game}"]\n\n1. a5a4 ' in file.read_text("utf-8")


def test_rules_are_not_for_the_browser() -> None:
    done = engine("play", "--game", "go9", "--web", "--rules", "komi=6.5")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --rules: expected none with --web")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--web",), "--web: expected one of our games, got 'openspiel:hex'"),
        (("--level", "easy"), "--level: expected one of our games, got 'openspiel:hex'"),
        (("--player", "hsp"), "unknown player 'hsp' of openspiel:hex (known: random, mcts)"),
        (("--position", "0,0"), "--position: action 2: expected a legal one, got 0"),
        (("--position", "a1 z"), "--position: move 2: expected a legal move such as b1, got 'z'"),
    ],
)
def test_wrong_words_about_a_game_of_openspiel(words: tuple[str, ...], why: str) -> None:
    done = engine("play", "--game", "openspiel:hex", *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {why}\n")
