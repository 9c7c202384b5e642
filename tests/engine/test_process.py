"""The command `engine` as processes: serving, bridging, exit codes, start-up."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.engine_driver import TRANSCRIPTS, read_transcript, timeless
from tests.engine.engine_process import ENGINE, Client, engine, serving
from tests.patience import PATIENCE

NO_THREAD = "info string error: the machine has no thread left for this; try again later"


STACK = 512 << 20
WITH_LARGE_STACKS = ("sh", "-c", f'ulimit -S -s {STACK >> 10} && exec "$@"', "sh", ENGINE, "serve")


def test_serves_a_port_and_ends_by_a_signal() -> None:
    with serving("--game", "uttt", "--player", "random") as server:
        assert server.said == [f"listening on 127.0.0.1:{server.port}"]
        with Client(server.port) as client:
            client.say("ugi")
            assert client.line() == "id name Fiedler random"
            assert server.end() == 0
            assert client.rest()[-1] == "ugiok"


def test_an_interrupt_is_code_130_and_stops_searches() -> None:
    with serving("--game", "uttt", "--player", "mcts") as server, Client(server.port) as client:
        client.hello().say("go infinite", "isready")
        client.until("readyok")
        assert server.end(signal.SIGINT) == 130


def test_a_port_in_use_is_code_2() -> None:
    with serving("--game", "uttt", "--player", "random") as server:
        second = engine("serve", "--game", "uttt", "--player", "random", "--port", str(server.port))
    assert second.returncode == 2
    assert second.stderr == f"error: cannot listen on 127.0.0.1:{server.port}: address already in use\n"


def test_a_port_can_be_had_again_at_once() -> None:
    with serving("--game", "uttt", "--player", "random") as first:
        with Client(first.port) as client:
            client.hello()
            assert first.end() == 0
        with serving("--game", "uttt", "--player", "random", "--port", str(first.port)) as second:
            assert second.port == first.port


@pytest.mark.parametrize("player", ["mcts", "negamax"])
def test_a_search_without_further_threads_reports_it(player: str) -> None:
    words = ("--game", "uttt", "--player", player, "--set", "threads=200")
    with serving(*words, command=WITH_LARGE_STACKS) as server, Client(server.port) as client:
        client.hello().say("isready")
        client.until("readyok")
        no_more_threads(server.process.pid)
        few = f"info string error: player {player}: the machine has no thread left for its search; set fewer `threads`"
        said = [NO_THREAD]
        while said[0] == NO_THREAD:  # the one thread may not be idle yet
            client.say("go movetime 100")
            said = client.until("bestmove")
        assert said == [few, "bestmove none"]
        client.say("setoption name threads value 1")
        while said[-1] == "bestmove none":
            client.say("go nodes 100")
            said = client.until("bestmove")
        assert server.end() == 0
        assert server.rest() == ""


def test_a_machine_without_further_threads_is_a_sentence_for_the_client() -> None:
    with serving("--game", "uttt", "--player", "mcts", command=WITH_LARGE_STACKS) as server:
        with Client(server.port) as first, Client(server.port) as second:
            first.hello().say("go infinite", "isready")
            first.until("readyok")
            no_more_threads(server.process.pid)
            second.hello().say("go movetime 600000", "isready")
            assert second.until("readyok") == [NO_THREAD, "bestmove none", NO_THREAD, "readyok"]
            first.say("stop")
            assert first.until("bestmove")[-1] != "bestmove none"
        assert server.end() == 0
        assert server.rest() == ""


def test_a_server_that_may_open_no_more_files_lets_clients_in_later() -> None:
    with serving("--game", "uttt", "--player", "random") as server, Client(server.port) as first:
        first.hello()
        process = server.process.pid
        before = resource.prlimit(process, resource.RLIMIT_NOFILE)
        most = max(int(one.name) for one in Path(f"/proc/{process}/fd").iterdir()) + 1
        resource.prlimit(process, resource.RLIMIT_NOFILE, (most, before[1]))
        with Client(server.port) as second:
            second.say("ugi")
            assert server.line() == "cannot accept a client:  too many open files"
            first.hello()
            resource.prlimit(process, resource.RLIMIT_NOFILE, before)
            second.until("ugiok")


def no_more_threads(process: int) -> None:
    """Leave a process, started WITH_LARGE_STACKS, less memory than one stack of a thread."""
    _, hard = resource.prlimit(process, resource.RLIMIT_AS)
    pages = int(Path(f"/proc/{process}/statm").read_text("utf-8").split()[0])
    resource.prlimit(process, resource.RLIMIT_AS, (pages * resource.getpagesize() + STACK // 2, hard))


def test_other_addresses_are_served_to_clients_with_a_token(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text("s3cret\n", encoding="utf-8")
    tokens.chmod(0o600)
    words = ("--game", "uttt", "--player", "random", "--host", "0.0.0.0", "--token-file", str(tokens))
    with serving(*words) as server:
        assert server.said[0].startswith("warning: 0.0.0.0:")
        assert "is not encrypted" in server.said[0]
        with Client(server.port) as client, Client(server.port) as stranger:
            client.say("token s3cret")
            assert client.line() == "welcome"
            client.hello()
            stranger.say("ugi")
            assert stranger.line() == "refused: expected token TOKEN as the first line"
            assert stranger.line() == ""


def test_ipv6_is_written_in_brackets() -> None:
    try:
        with serving("--game", "uttt", "--player", "random", "--host", "::1") as server:
            assert server.host == "[::1]"
            with Client(server.port, "::1") as client:
                client.hello()
    except AssertionError:
        if Path("/proc/net/if_inet6").exists() and Path("/proc/net/if_inet6").read_text(encoding="utf-8"):
            raise


@pytest.mark.parametrize("how", ["killed", "closed"])
def test_a_killed_client_costs_no_processor_and_no_other_session_anything(how: str) -> None:
    with serving("--game", "uttt", "--player", "mcts") as server, Client(server.port) as other:
        other.hello()
        if how == "killed":
            doomed = subprocess.Popen(
                [ENGINE, "connect", server.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            assert doomed.stdin is not None
            assert doomed.stdout is not None
            doomed.stdin.write(b"ugi\ngo movetime 600000\nisready\n")
            doomed.stdin.flush()
            while doomed.stdout.readline() != b"readyok\n":
                pass
            doomed.kill()
            doomed.communicate()
        else:
            with Client(server.port) as client:
                client.hello().say("go movetime 600000", "isready")
                client.until("readyok")
        assert _gets_idle(server.cpu_seconds)
        other.say("go nodes 100")
        assert other.until("bestmove")


def _gets_idle(cpu_seconds: Callable[[], float]) -> bool:
    """Return whether a process stops computing."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        before = cpu_seconds()
        time.sleep(0.25)
        if cpu_seconds() - before < 0.05:
            return True
    return False


def test_two_clients_play_at_once() -> None:
    with serving("--game", "connect4", "--player", "negamax", "--set", "depth=4") as server:
        results: dict[int, list[str]] = {}

        def play(number: int) -> None:
            moves: list[str] = []
            with Client(server.port) as client:
                client.hello()
                for _ in range(10):
                    client.say(f"position startpos moves {' '.join(moves)}", "go movetime 10000")
                    moves.append(client.until("bestmove")[-1].split()[1])
            results[number] = moves

        threads = [threading.Thread(target=play, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        assert results[0] == results[1]
        assert len(results[0]) == 10


def test_start_up_is_fast_because_little_is_loaded() -> None:
    code = (
        "import sys; sys.argv[1:] = ['serve', '--game', 'uttt', '--player', 'random', '--stdio']\n"
        "from fiedler.engine.cli import main\n"
        "try: main()\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "onnxruntime", "torch", "rich", "msgspec", "asyncio", "ssl", "importlib.metadata"}
    assert (heavy | {"fiedler.players.checkpoint", "fiedler.players.mcts"}) & set(done.stderr.split()) == set()


# --- standard input and output ----------------------------------------------------------------------------------------


def test_golden_transcript_on_standard_input_and_output() -> None:
    path = next(path for path in TRANSCRIPTS if path.stem == "random")
    (game_id, player, *_), exchanges = read_transcript(path)
    said = "".join(f"{line}\n" for line, _ in exchanges)
    done = engine("serve", "--game", game_id, "--player", player, "--stdio", said=said)
    assert timeless(done.stdout.splitlines()) == [line for _, answers in exchanges for line in answers]
    assert (done.returncode, done.stderr) == (0, "")


def test_the_end_of_the_input_ends_stdio_after_the_answers() -> None:
    done = engine("serve", "--game", "uttt", "--player", "mcts", "--stdio", said="ugi\ngo nodes 20000\n")
    assert "nodes 20000 " in done.stdout.splitlines()[-2]
    assert done.stdout.splitlines()[-1].startswith("bestmove ")
    assert done.returncode == 0


def test_quit_in_mid_search_ends_stdio() -> None:
    done = engine("serve", "--game", "uttt", "--player", "mcts", "--stdio", said="ugi\ngo infinite\nquit\n")
    assert done.stdout.splitlines()[-1].startswith("bestmove ")
    assert done.returncode == 0


def test_no_input_at_all_ends_stdio() -> None:
    assert engine("serve", "--game", "uttt", "--player", "random", "--stdio").returncode == 0


def test_input_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "said").write_text("ugi\nquery p1turn\n", encoding="utf-8")
    with (tmp_path / "said").open() as said:
        words = [ENGINE, "serve", "--game", "uttt", "--player", "random", "--stdio"]
        done = subprocess.run(words, stdin=said, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.splitlines()[-1] == "response true"


def test_an_interrupt_in_mid_search_ends_stdio() -> None:
    words = [ENGINE, "serve", "--game", "uttt", "--player", "mcts", "--stdio"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"ugi\ngo infinite\nisready\n")
        process.stdin.flush()
        while process.stdout.readline() != b"readyok\n":
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        assert process.stderr.read().strip() == b"error: interrupted"


def test_quit_behind_a_search_ends_stdio_while_the_input_is_open() -> None:
    words = [ENGINE, "serve", "--game", "uttt", "--player", "mcts", "--set", "simulations=500", "--stdio"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("genmove b\ngenmove w\nquit\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert [line[:2] for line in process.stdout.read().split("\n\n")] == ["= ", "= ", "=", ""]


def test_commands_behind_a_search_are_answered_after_the_end_of_the_input() -> None:
    done = engine(
        *("serve", "--game", "uttt", "--player", "mcts", "--set", "simulations=500", "--stdio"),
        said="genmove b\ngenmove w\nname\n",
    )
    assert [line[:2] for line in done.stdout.split("\n\n")] == ["= ", "= ", "= ", ""]


def test_a_closed_output_ends_stdio() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = [ENGINE, "serve", "--game", "uttt", "--player", "mcts", "--stdio"]
    try:
        done = subprocess.run(
            words,
            input="ugi\ngo movetime 600000\n",
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_quit_behind_isready_ends_stdio_though_the_input_stays_open() -> None:
    words = [ENGINE, "serve", "--game", "uttt", "--player", "negamax", "--stdio"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"ugi\nuginewgame\nisready\nquit\n")
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert process.stdout.read().endswith(b"ugiok\nreadyok\n")


# --- the bridge -------------------------------------------------------------------------------------------------------


def test_connect_copies_both_ways_and_half_closes() -> None:
    with serving("--game", "uttt", "--player", "mcts") as server:
        done = engine("connect", server.address, said="ugi\nposition startpos\ngo nodes 20000\n")
    lines = done.stdout.splitlines()
    assert lines[0] == "id name Fiedler mcts"
    assert "nodes 20000 " in lines[-2]
    assert lines[-1].startswith("bestmove ")
    assert (done.returncode, done.stderr) == (0, "")


def test_connect_ends_when_the_server_does() -> None:
    with serving("--game", "uttt", "--player", "random") as server:
        process = subprocess.Popen([ENGINE, "connect", server.address], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(b"ugi\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith(b"id name")
            server.end()
            assert process.wait(PATIENCE) == 0


def test_connect_without_a_server_fails() -> None:
    with serving("--game", "uttt", "--player", "random") as server:
        server.end()
        done = engine("connect", server.address)
    assert done.returncode == 1
    assert done.stderr == f"error: cannot connect to {server.address}: connection refused\n"


# --- errors are one line ----------------------------------------------------------------------------------------------

SERVE = ("serve", "--stdio", "--game", "uttt")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("serve", "--game", "utt"), "unknown game 'utt'; did you mean 'uttt'? (known: "),
        (("serve",), "Missing option '--game'"),
        ((*SERVE, "--player", "mtcs"), "unknown player 'mtcs'; did you mean 'mcts'?"),
        ((*SERVE, "--player", "mcts", "--set", "sims=3"), "unknown option 'sims' of player mcts"),
        ((*SERVE, "--player", "mcts", "--set", "c=x"), "option 'c': expected a number from 0.0 to 100.0, got 'x'"),
        ((*SERVE, "--player", "mcts", "--set", "c"), "--set: expected KEY=VALUE, got 'c'"),
        ((*SERVE, "--player", "mcts", "--device", "cpu"), "unknown option 'device' of player mcts"),
        ((*SERVE, "--model", "x.onnx", "--player", "mcts"), "player mcts takes no model, got 'x.onnx'"),
        (
            ("analyze", "--game", "uttt-majority", "--player", "checkpoint"),
            "player checkpoint: expected a network file as option",
        ),
        ((*SERVE, "--model", "nosuch.onnx"), "model nosuch.onnx: "),
        ((*SERVE, "--model", __file__), f"model {__file__}: "),
        (("serve", "--game", "uttt", "--port", "70000"), "Invalid value for '--port'"),
        (
            ("serve", "--game", "uttt", "--player", "random", "--host", "192.0.2.1"),
            "--host 192.0.2.1: expected --token-file, because other machines reach",
        ),
        (("connect", "127.0.0.1"), "expected HOST:PORT with a port from 1 to 65535, got '127.0.0.1'"),
        (("connect", "127.0.0.1:0"), "expected HOST:PORT"),
        (("connect", "::1:4081"), "expected HOST:PORT"),
        (("perft", "--game", "uttt", "--depth", "0"), "Invalid value for '--depth'"),
        (("perft", "--game", "uttt", "--depth", "1", "--position", "X;"), "--position: expected 9 signs"),
        (
            ("perft", "--game", "uttt", "--depth", "1", "--position", "fen X;. moves b2"),
            "--position: leave out 'fen': a",
        ),
        (("perft", "--game", "uttt", "--depth", "1", "--position", "startpos a1"), "--position: expected 'moves'"),
        (("perft", "--game", "uttt", "--depth", "1", "--position", "startpos moves z1"), "--position: move 1: "),
        (("bench", "--game", "uttt", "--player", "osp", "--position", "X;"), "--position: expected 9 signs"),
        (("play", "--game", "uttt", "--position", "X;"), "--position: expected 9 signs"),
        (
            ("play", "--game", "tictactoe", "--position", "O;XXX/OO./..."),
            "--position: expected a running game, got one",
        ),
        (("bench", "--game", "uttt", "--player", "rollouts", "--set", "c=1"), "unknown option 'c' of player rollouts"),
        (("bench", "--game", "uttt", "--player", "rollouts", "--model", "x"), "--player rollouts: takes no --model"),
        (("bench", "--game", "uttt", "--player", "mcts", "--threads", "0"), "Invalid value for '--threads'"),
        (("play", "--game", "uttt", "--address", "here"), "expected HOST:PORT"),
        (("play", "--game", "uttt", "--address", "a:1", "--player", "osp"), "--address: that engine chooses"),
        (
            ("play", "--game", "uttt", "--command", "x", "--player", "osp"),
            "--command: that engine chooses its own player",
        ),
        (("play", "--game", "uttt", "--command", "x", "--address", "a:1"), "--command: expected one engine"),
        (("play", "--game", "uttt", "--command", " "), "--command: expected a program, got nothing"),
        (("play", "--game", "uttt", "--command", "no 'end"), "--command: no closing quotation in "),
        (("play", "--game", "uttt", "--command", "/no/such"), "--command: cannot start '/no/such': no such file or"),
        (("play", "--game", "uttt", "--movetime", "0"), "Invalid value for '--movetime': expected a time above 0 "),
        (("play", "--game", "uttt", "--movetime", "2h"), "Invalid value for '--movetime': expected a time above 0 "),
        (("play", "--game", "uttt", "--movetime", "ms"), "Invalid value for '--movetime': expected a time above 0 "),
        (("bench", "--game", "uttt", "--seconds", "-1ms"), "Invalid value for '--seconds': expected a time above 0 "),
        (("analyze", "--game", "uttt", "--movetime", "inf"), "Invalid value for '--movetime': expected a time above "),
        (("analyze", "--game", "tictactoe", "--position", "X;XXX/OO./..."), "--position: 3 X and 2 O stones"),
        (
            ("analyze", "--game", "tictactoe", "--position", "startpos moves a1 b1 a2 b2 a3"),
            "--position: expected a running game, got one that is over (X wins by three in a row)",
        ),
        (("sevre",), "No such command 'sevre'"),
        ((), "Missing command"),
    ],
)
def test_bad_input_is_code_2_and_one_line(words: tuple[str, ...], expected: str) -> None:
    done = engine(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"error: {expected}")


def test_lists_are_json() -> None:
    games = json.loads(engine("games", "--json").stdout)["games"]
    assert {"tictactoe", "connect4", "uttt"} <= {game["id"] for game in games}
    players = {player["name"]: player for player in json.loads(engine("players", "--json").stdout)["players"]}
    assert {"random", "osp", "hsp", "negamax", "mcts", "checkpoint"} <= set(players)
    assert {option["name"] for option in players["mcts"]["options"]} == {
        "seed",
        "simulations",
        "c",
        "rollout",
        "hash_mb",
        "threads",
        "fpu",
        "leaf_rollouts",
        "solver",
    }
    assert "uttt" in engine("games").stdout
    assert "hash_mb" in engine("players").stdout


def test_a_perft_prints_each_depth_at_once_and_an_interrupt_ends_it() -> None:
    words = ("perft", "--game", "uttt", "--depth", "30")
    counting = subprocess.Popen([ENGINE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert counting.stdout is not None
    shown = [counting.stdout.readline().split() for _ in range(3)]
    counting.send_signal(signal.SIGINT)
    _, said = counting.communicate(timeout=PATIENCE)
    assert shown == [["1", "81"], ["2", "720"], ["3", "6336"]]
    assert (counting.returncode, said.strip()) == (130, "error: interrupted")


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", "--game", "uttt", "--movetime", "nan"),
        ("bench", "--game", "uttt", "--player", "mcts", "--seconds", "nan"),
        ("perft", "--game", "uttt", "--depth", "1", "--position", "\udcff"),
    ],
)
def test_odd_arguments_are_one_line_and_code_2(words: tuple[str, ...]) -> None:
    done = engine(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only some systems have it")
@pytest.mark.parametrize(
    "words",
    [
        ("games",),
        ("players", "--json"),
        ("--help",),
        ("play", "--game", "tictactoe", "--player", "osp"),
        ("serve", "--game", "tictactoe", "--player", "osp", "--stdio"),
        ("serve", "--game", "tictactoe", "--player", "mcts", "--stdio"),
    ],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_an_output_that_is_full_is_one_line_and_code_1(words: tuple[str, ...], unbuffered: str) -> None:
    done = _written_to(os.open("/dev/full", os.O_WRONLY), words, unbuffered)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.endswith(": no space left on device\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [("games",), ("players", "--json"), ("play", "--game", "uttt", "--player", "osp")])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_output_gives_no_message_and_code_1(words: tuple[str, ...], unbuffered: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = _written_to(writing, words, unbuffered)
    assert (done.returncode, done.stderr) == (1, "")


def _written_to(output: int, words: tuple[str, ...], unbuffered: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [ENGINE, *words],
            input="ugi\nisready\nquit\n",
            stdout=output,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(output)
