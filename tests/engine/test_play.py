from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click
import pytest

from client.carrier import EngineCarrier
from engine.commands.duration import Duration
from engine.person.opponent import LocalOpponent, RemoteOpponent, Reply
from engine.person.play import Terminal
from engine.port.link import ProgramLink
from games import game
from native import Position
from players import create
from protocol import Info
from support.errors import UsageError, WorkError, printable
from tests.engine.engine_process import ENGINE, engine, serving
from tests.patience import PATIENCE, pass_an_hour, wait_until
from tournament.ratings.files import read_pgn

AFTER = "new, undo, save FILE or quit: "
"""The prompt after a game."""


class Scripted:
    """Plays given moves, or resigns by `resign`."""

    title = "script"

    def __init__(self, *moves: str) -> None:
        self._moves = iter(moves)
        self.games = 1

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Reply:
        assert game(start.game).position(str(start), moves) == position
        move = next(self._moves)
        return Reply(None if move == "resign" else position.parse_move(move), Info(nodes=5, score_cp=-30))

    def new_game(self) -> None:
        self.games += 1

    def close(self) -> None:
        pass


def named(position: Position, answer: Reply) -> str:
    assert answer.move is not None
    return position.move_text(answer.move)


def sitting(
    typed: list[str], replies: list[str] | Scripted, side: int = 0, start: Position | None = None, level: str = ""
) -> str:
    """Return the output of a game with this input and these replies."""
    opponent = replies if isinstance(replies, Scripted) else Scripted(*replies)
    shown: list[str] = []
    lines: Iterator[str] = iter(typed)

    def ask(prompt: str) -> str | None:
        shown.append(prompt)
        return next(lines, None)

    Terminal(game("tictactoe"), opponent, side, start, ask, shown.append, level=level).play()
    return "\n".join(shown)


def test_a_game_to_its_end() -> None:
    shown = sitting(["a1", "a2", "a3"], ["b1", "b2"])
    assert shown.startswith("tic-tac-toe: you are X, script is O\ntype a move such as a3; help lists the commands")
    assert "script plays b1 (54 % for you, 5 nodes)" in shown
    board = " 3 [X] .  .\n 2 [X] O  .\n 1 [X] O  .\n    a  b  c\n"
    assert shown.endswith(f"{board}you won: X wins by three in a row\n{AFTER}\n\nbye")


def test_the_other_side_begins() -> None:
    shown = sitting(["b1", "b2"], ["a1", "a2", "a3"], side=1)
    assert shown.startswith("tic-tac-toe: you are O, script is X")
    assert f"\nyou lost: X wins by three in a row\n{AFTER}" in shown


def test_a_draw_has_a_reason() -> None:
    shown = sitting(["b2", "a3", "b1", "c2", "c3"], ["a1", "c1", "b3", "a2"])
    assert f"\ndraw: no legal move is left\n{AFTER}" in shown


def test_a_hint_is_a_move_for_the_own_side_and_is_not_played() -> None:
    shown = sitting(["a1", "hint", "moves"], ["b1", "c3"])
    assert "script would play c3 (46 % for you, 5 nodes)\nX to move: \na3 b3 c3 a2 b2 c2 c1\n" in shown


def test_a_person_may_resign_and_think_better_of_it() -> None:
    shown = sitting(["a1", "resign", "b2", "hint", "undo", "a2"], ["b1", "c1"])
    assert f"you lost: you resigned\n{AFTER}\nthe game is over; new begins another one\n{AFTER}\nthe game" in shown
    assert "script plays c1" in shown
    second = sitting(["resign"], ["a1"], side=1)
    assert f"you lost: you resigned\n{AFTER}" in second


def test_an_opponent_that_resigns_has_lost() -> None:
    shown = sitting(["a1", "undo", "b2"], ["resign", "c1"])
    assert f"you won: script resigned\n{AFTER}\n 3  .  .  .\n 2  .  .  .\n 1  .  .  ." in shown
    assert "script plays c1" in shown


def test_undo_after_the_end_takes_back_the_last_move() -> None:
    won = sitting(["a1", "a2", "a3", "undo", "quit"], ["b1", "b2"])
    assert won.endswith(" 3  .  .  .\n 2  X [O] .\n 1  X  O  .\n    a  b  c\nX to move: \nbye")
    lost = sitting(["a1", "a2", "c3", "undo", "quit"], ["b1", "b2", "b3"])
    assert lost.endswith(" 3  .  .  .\n 2  X [O] .\n 1  X  O  .\n    a  b  c\nX to move: \nbye")


def test_new_announces_another_game_to_the_opponent() -> None:
    opponent = Scripted("b1", "c3")
    shown = sitting(["a1", "new", "b2", "quit"], opponent)
    assert opponent.games == 2
    assert shown.endswith(" 3  .  . [O]\n 2  .  X  .\n 1  .  .  .\n    a  b  c\nX to move: \nbye")


def test_the_board_is_shown_again() -> None:
    shown = sitting(["a1", "BOARD", "quit"], ["b1"])
    assert shown.endswith("X to move: \n 3  .  .  .\n 2  .  .  .\n 1  X [O] .\n    a  b  c\nX to move: \nbye")


def test_a_saved_line_resumes_the_game(tmp_path: Path) -> None:
    file = tmp_path / "Game 1.txt"
    shown = sitting(["a1", f"save {file}", f"save {file}", "save", f"save {tmp_path}/no/x", "save \0"], ["b1"])
    assert file.read_text("utf-8") == "startpos moves a1 b1\n"
    assert f"saved {file}\nX to move: \n{file} exists; name another file\n" in shown
    assert "expected save FILE, such as save game.pgn" in shown
    assert f"cannot write {tmp_path}/no/x: No such file or directory" in shown
    assert "cannot write \0: embedded null" in shown
    done = engine("play", "--game", "tictactoe", "--player", "osp", "--position", file.read_text("utf-8"))
    assert " 1  X  O  ." in done.stdout
    start = Position("tictactoe", "O;.../.X./...")
    sitting(["a1", f"save {tmp_path / 'second'}"], ["b1"], side=1, start=start)
    assert (tmp_path / "second").read_text("utf-8") == "O;.../.X./... moves a1 b1\n"


def test_a_saved_pgn_is_ranked(tmp_path: Path) -> None:
    file = tmp_path / "game.PGN"
    sitting(["b1", "b2", f"save {file}"], ["a1", "a2", "a3"], side=1)
    text = file.read_text("utf-8")
    end = '[Result "1-0"]\n[Termination "normal"]\n[TerminationDetail "rules"]\n[Game "tictactoe"]\n'
    assert f'[White "script"]\n[Black "you"]\n{end}\n1. a1 b1 2. a2 b2 3. a3 1-0\n' in text
    reading = read_pgn(file)
    assert (reading.results.names, reading.skipped) == (("script", "you"), 0)
    start = Position("tictactoe", "O;.../.X./...")
    sitting(["a1", "resign", f"save {tmp_path / 'b.pgn'}"], ["b1"], side=1, start=start)
    later = (tmp_path / "b.pgn").read_text("utf-8")
    assert '[SetUp "1"]\n[FEN "O;.../.X./..."]\n\n1... a1 2. b1 1-0\n' in later
    assert '[Termination "normal"]\n[TerminationDetail "resignation"]\n' in later


def test_a_saved_pgn_has_the_level_and_the_state_of_the_game(tmp_path: Path) -> None:
    sitting(["a1", f"save {tmp_path / 'a.pgn'}"], ["b1"], level="easy")
    assert '[Result "*"]\n[Termination "unterminated"]\n[Level "easy"]\n[Game "tictactoe"]\n' in (
        tmp_path / "a.pgn"
    ).read_text("utf-8")


def left_at(typed: list[str], replies: list[str], side: int = 0) -> list[str]:
    """Return the notes of an interrupt that comes after this input."""
    lines = iter(typed)

    def ask(_: str) -> str:
        if (line := next(lines, None)) is None:
            raise KeyboardInterrupt
        return line

    terminal = Terminal(game("tictactoe"), Scripted(*replies), side, None, ask, lambda _: None)
    with pytest.raises(KeyboardInterrupt) as leaving:
        terminal.play()
    return getattr(leaving.value, "__notes__", [])


def test_an_interrupt_tells_the_moves_that_were_not_saved(tmp_path: Path) -> None:
    file = f"save {tmp_path / 'game'}"
    how = "(save FILE saves a game)"
    again = f"{how}; --position 'startpos moves a1 b1 a2 b2' resumes the game"
    assert left_at([], []) == left_at(["a1", file], ["b1"]) == left_at(["a1", "undo"], ["b1"]) == []
    assert left_at(["a1", "a2"], ["b1", "b2"]) == [f"4 moves were not saved {again}"]
    assert left_at(["a1", f"{file}2", "a2"], ["b1", "b2"]) == [f"2 moves were not saved {again}"]
    assert left_at(["a1", file, "a2"], ["b1", "b2"]) == [f"4 moves were not saved {again}"], "the file was there"
    assert left_at(["a1", f"{file}3", "undo", "a1", "a2"], ["b1", "c1", "b2"])[0].startswith("3 moves were not saved")
    assert left_at(["a1", f"{file}4", "new", "a1"], ["b1", "b1"])[0].startswith("2 moves were not saved")
    assert left_at([], ["a1"], 1) == [f"1 move was not saved {how}; --position 'startpos moves a1' resumes the game"]
    assert left_at(["a1", "a2", "a3"], ["b1", "b2"]) == [f"5 moves were not saved {how}"], "the game is over"


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


@pytest.mark.parametrize("typed", ["z9", "A1 b2", "b1", "💥", "9" * 1000])
def test_bad_moves_are_answered_and_asked_again(typed: str) -> None:
    shown = sitting(["a1", typed, "quit"], ["b1"])
    assert "moves lists the legal moves, help the commands\nX to move: \nbye" in shown
    assert shown.endswith("bye")


def test_capitals_and_blanks_are_accepted() -> None:
    assert "script plays b1" in sitting(["A1"], ["b1"])


def test_undo_takes_back_the_own_move_and_the_answer() -> None:
    shown = sitting(["a1", "a2", "undo", "undo", "undo", "c3"], ["b1", "b2", "c1"])
    assert shown.count("nothing to take back") == 1
    boards = shown.split("X to move: \n")
    assert " 3  .  . [X]\n 2  .  .  .\n 1  .  .  ." in boards[-2]


def test_undo_on_the_second_side_keeps_the_others_first_move() -> None:
    shown = sitting(["undo", "b1", "undo", "quit"], ["a1", "a2"], side=1)
    assert shown.count("nothing to take back") == 1
    assert shown.endswith("\n 1 [X] .  .\n    a  b  c\nO to move: \nbye")


def test_a_game_from_a_position() -> None:
    """The side to move begins; earlier moves cannot be taken back."""
    start = Position("tictactoe", "O;.../.X./...")
    shown = sitting(["undo", "a3", "undo", "quit"], ["a1", "b1"], side=0, start=start)
    assert " 2  .  X  .\n 1  .  .  ." in shown.split("script plays a1")[0]
    assert shown.count("nothing to take back") == 1
    assert "type a move such as a3;" in shown
    assert sitting(["undo", "a1", "undo", "quit"], ["b1"], side=1, start=start).count("nothing to take back") == 1


def test_moves_and_help_are_printed() -> None:
    shown = sitting(["a1", "moves", "help", ""], ["b1"])
    assert "a3 b3 c3 a2 b2 c2 c1" in shown
    assert shown.count("type a move such as") == 3


@pytest.mark.parametrize("word", ["quit", "exit", "q", "QUIT"])
def test_a_person_may_leave(word: str) -> None:
    assert sitting([word], []).endswith("bye")


def test_the_end_of_the_input_is_a_goodbye() -> None:
    assert sitting([], []).endswith("\nbye")


def test_a_player_of_this_process() -> None:
    opponent = LocalOpponent(create(game("tictactoe"), "negamax").player(), 1.0)
    position = game("tictactoe").position("startpos", ["a1", "b1", "a2", "b2"])
    answer = opponent.answer(position, position, [])
    opponent.close()
    assert named(position, answer) == "a3"
    assert answer.info.mate == 1


def test_an_engine_behind_a_port() -> None:
    with serving("--game", "tictactoe", "--player", "negamax") as server:
        opponent = RemoteOpponent(server.address, "tictactoe", 1.0)
        assert opponent.title == "Fiedler negamax"
        start, moves = game("tictactoe").position(), ["a1", "b1", "a2", "b2"]
        answer = opponent.answer(game("tictactoe").position("startpos", moves), start, moves)
        below = Position("tictactoe", "X;XO./.../...")
        later = opponent.answer(game("tictactoe").position(str(below), moves[2:]), below, moves[2:])
        opponent.close()
    assert named(start, answer) == "a3"
    assert answer.info.mate == 1
    assert named(start, later) == "a1"


def test_an_engine_of_another_game_is_refused() -> None:
    with (
        serving("--game", "connect4", "--player", "random") as server,
        pytest.raises(UsageError, match="plays another game than tictactoe: X;"),
    ):
        RemoteOpponent(server.address, "tictactoe", 1.0)


def test_an_engine_that_goes_away_is_one_line() -> None:
    start = game("tictactoe").position()
    with serving("--game", "tictactoe", "--player", "random") as server:
        opponent = RemoteOpponent(server.address, "tictactoe", 1.0)
        server.end()
        with pytest.raises(WorkError, match=server.address):
            opponent.answer(start, start, [])
        opponent.close()


def test_the_output_of_a_remote_engine_does_not_control_the_terminal() -> None:
    start = game("tictactoe").position()

    def serve(server: socket.socket) -> None:
        with server, server.accept()[0] as link:
            link.recv(100)
            link.sendall(b"id name \x1b[2Jnice\x07 engine\nugiok\n")
            link.recv(100)
            link.sendall("info string error: \x1b]0;x\x9b \u202ebad\n".encode())
            link.recv(100)

    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    thread = threading.Thread(target=serve, args=(server,))
    thread.start()
    opponent = RemoteOpponent(f"127.0.0.1:{port}", "tictactoe", 1.0)
    assert opponent.title == r"\x1b[2Jnice\x07 engine"
    with pytest.raises(WorkError) as refused:
        opponent.answer(start, start, [])
    assert str(refused.value).endswith(r"refused: \x1b]0;x\x9b \u202ebad")
    opponent.close()
    thread.join()


def test_printable_text_is_shown_unchanged() -> None:
    assert printable("Fiedler 'mcts' \\ é 💥") == "Fiedler 'mcts' \\ é 💥"


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


def test_a_draw_names_the_level() -> None:
    shown: list[str] = []
    lines = iter(["b2", "c1", "a2", "b3", "c3"])
    opponent = Scripted("a1", "a3", "c2", "b1")
    Terminal(game("tictactoe"), opponent, 0, None, lambda _: next(lines, None), shown.append, level="easy").play()
    assert "draw against level easy: no legal move is left" in shown


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


GREETING = r"say('id name pipes\nugiok')"


def program(code: str) -> str:
    """Return the command line of a program in Python."""
    return shlex.join([sys.executable, "-c", f"import sys, time\nsay = lambda text: print(text, flush=True)\n{code}"])


def test_a_program_on_its_pipes() -> None:
    command = shlex.join([sys.executable, str(Path(__file__).parents[2] / "examples" / "ugi_random.py")])
    done = engine("play", "--game", "uttt", "--command", command, "--movetime", "50ms", said="e5\nhint\nnew\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "ultimate tic-tac-toe: you are X, ugi_random is O" in done.stdout
    assert "ugi_random plays " in done.stdout
    assert "ugi_random would play " in done.stdout


def test_a_program_may_resign() -> None:
    code = f"{GREETING}\nfor line in sys.stdin:\n    if line.startswith('go'): say('bestmove resign')"
    done = engine("play", "--game", "tictactoe", "--command", program(code), said="a1\n")
    assert "you won: pipes resigned" in done.stdout


FAILING = {
    "sys.exit('ValueError: no model')": "exited with status 1, saying: ValueError: no model",
    "import os; os.kill(os.getpid(), 9)": "was killed by SIGKILL",
    "import os; os.close(1); time.sleep(60)": "closed its output",
    "say('move \\x1b d')": r"exited with status 0; it sent 'move \x1b d', expected 'ugiok' after ugi",
    f"{GREETING}\nfor line in sys.stdin:\n    if line.startswith('go'): say('bestmove z9')": "broke the rules",
    f"{GREETING}\nfor line in sys.stdin:\n    if line.startswith('go'): say('bestmove B1')": "; did you mean 'b1'?",
    f"{GREETING}\nfor line in sys.stdin:\n    if line.startswith('go'): say('bestmove')": (
        "sent no move, but legal moves exist; it sent 'bestmove', expected 'bestmove MOVE'"
    ),
    f"{GREETING}\nfor line in sys.stdin:\n    while line.startswith('go'): say('x' * 1000)": (
        "sent more than 1 MiB within a second"
    ),
}


@pytest.mark.parametrize(("code", "why"), FAILING.items())
def test_a_program_that_fails_is_one_line(code: str, why: str) -> None:
    done = engine("play", "--game", "tictactoe", "--command", program(code), said="a1\n")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert why in done.stderr


SILENT = {
    "time.sleep(600)": "no ugiok after ugi yet: too slow, or its output is not flushed",
    "say('id name x'); time.sleep(600)": "no ugiok after ugi yet, but 1 other line",
    "say('UGIOK'); time.sleep(600)": "it sent 'UGIOK', expected 'ugiok' after ugi",
    "sys.stdout.write('ugiok'); sys.stdout.flush(); time.sleep(600)": "it sent 'ugiok' without a newline",
}


@pytest.mark.parametrize(("code", "why"), SILENT.items())
def test_a_program_that_does_not_answer_is_one_line(monkeypatch: pytest.MonkeyPatch, code: str, why: str) -> None:
    """The time is over as soon as it has sent its output."""
    receive, due = EngineCarrier.receive, [one for one in ("id name x\n", "UGIOK\n", "ugiok") if one.strip() in code]

    async def hurried(carrier: EngineCarrier) -> bytes:
        if not due:
            pass_an_hour(monkeypatch)
            return await receive(carrier)
        said = b""
        while not said.endswith(due[0].encode()):
            said += await receive(carrier)
        due.clear()
        return said

    monkeypatch.setattr(EngineCarrier, "receive", hurried)
    with pytest.raises(WorkError, match=re.escape(f"had not answered after 10 s; {why}") + "$"):
        RemoteOpponent(shlex.split(program(code)), "tictactoe", 1.0)


ONE_MOVE = f"""{GREETING}
for line in sys.stdin:
    if line.startswith('position'): moves = line.split()[3:]
    if line.startswith('go') and len(moves) > 1: sys.exit('out of ideas')
    if line.startswith('go'): say('bestmove b1')
"""


def test_a_game_outlives_an_opponent_that_fails(tmp_path: Path) -> None:
    file = tmp_path / "kept.txt"
    said = f"a1\na2\nb2\nsave {file}\nundo\nnew\na1\nquit\n"
    done = engine("play", "--game", "tictactoe", "--command", program(ONE_MOVE), said=said)
    assert done.returncode == 1
    assert re.fullmatch(r"error: .* exited with status 1, saying: out of ideas\n", done.stderr)
    assert f"{AFTER}\nthe opponent has failed; undo and new start it again\n{AFTER}" in done.stdout
    assert file.read_text("utf-8") == "startpos moves a1 b1 a2\n"
    assert done.stdout.count("pipes plays b1") == 2
    assert done.stdout.endswith("X to move: \nbye\n")


def test_a_hint_that_fails_leaves_the_game_as_it_is() -> None:
    done = engine("play", "--game", "tictactoe", "--command", program(ONE_MOVE), said="a1\nhint\nundo\nc1\n")
    assert done.returncode == 1
    assert done.stdout.count("pipes plays b1") == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_program_ends_with_a_command_that_is_killed(number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    code = (
        f"import os, pathlib\nfor line in sys.stdin:\n    say('id name pipes\\nugiok')\n    if line.startswith('go'):\n"
        f"        pathlib.Path({str(file)!r}).write_text(f'{{os.getpid()}}\\n')\n        time.sleep(600)"
    )
    words = (ENGINE, "play", "--game", "tictactoe", "--side", "second", "--command", program(code))
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as command:
        wait_until(lambda: file.exists() and file.read_text("utf-8").endswith("\n"))
        other = Path(f"/proc/{int(file.read_text('utf-8'))}/stat")
        assert other.exists()
        command.send_signal(number)
        assert command.wait(PATIENCE) == -number
    wait_until(lambda: has_ended(other))


def has_ended(process: Path) -> bool:
    """Return whether a process is gone or a zombie, by its `stat`."""
    try:
        return process.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_the_descendants_of_a_program_end_with_it() -> None:
    code = (
        "import subprocess\n"
        "other = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "say(other.pid); time.sleep(600)"
    )
    link = ProgramLink(program(code))
    said = b""
    while not said.endswith(b"\n"):  # which is a write of its own where Python does not buffer
        said += link.receive(PATIENCE)
    other = Path(f"/proc/{int(said)}/stat")
    with pytest.raises(TimeoutError):
        link.receive(0.01)
    assert other.exists()
    link.close()
    wait_until(lambda: has_ended(other))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("200ms", 0.2), ("0.2s", 0.2), ("2s", 2.0), ("2", 2.0), (".5", 0.5), (" 5 s", 5.0), (0.25, 0.25)],
)
def test_times_as_people_write_them(text: str | float, seconds: float) -> None:
    assert Duration().convert(text, None, None) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "ms", "0", "0ms", "-1", "nan", "inf", "1m", "86401", "1 000"])
def test_a_wrong_time_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="expected a time above 0 and of at most a day, such as 200ms"):
        Duration().convert(text, None, None)
