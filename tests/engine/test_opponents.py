"""The opponents of a person: a player of this process, an engine behind a port, a program on its pipes."""

from __future__ import annotations

import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fiedler.client.carrier import EngineCarrier
from fiedler.engine.check.link import program_link
from fiedler.engine.person.opponent import LocalOpponent, RemoteOpponent, Reply
from fiedler.games import game
from fiedler.native import Position
from fiedler.players import create
from fiedler.support.errors import UsageError, WorkError
from tests.engine.engine_process import ENGINE, engine, serving
from tests.engine.test_play import AFTER
from tests.patience import FLOODED, PATIENCE, pass_an_hour, wait_until


def named(position: Position, answer: Reply) -> str:
    assert answer.move is not None
    return position.move_text(answer.move)


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
    f"{GREETING}\nfor line in sys.stdin:\n    while line.startswith('go'): say('x' * 1000)": FLOODED,
}


@pytest.mark.parametrize(("code", "why"), FAILING.items())
def test_a_program_that_fails_is_one_line(code: str, why: str) -> None:
    done = engine("play", "--game", "tictactoe", "--command", program(code), said="a1\n")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert re.search(why if why is FLOODED else re.escape(why), done.stderr)


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
    link = program_link(shlex.split(program(code)))
    said = b""
    while not said.endswith(b"\n"):  # which is a write of its own where Python does not buffer
        said += link.receive(PATIENCE)
    other = Path(f"/proc/{int(said)}/stat")
    with pytest.raises(TimeoutError):
        link.receive(0.01)
    assert other.exists()
    link.close()
    wait_until(lambda: has_ended(other))
