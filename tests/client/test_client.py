from __future__ import annotations

import asyncio
import errno
import re
import shlex
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fiedler import client
from fiedler.client import (
    EngineError,
    EngineGoneError,
    EngineRefusedError,
    EngineRulesError,
    PlayResult,
    child,
)
from fiedler.client.carrier import EngineCarrier
from fiedler.games import any_game, game
from fiedler.native import Position
from fiedler.protocol import Limit
from fiedler.protocol.gomocup import GomocupClient
from fiedler.support.errors import UsageError
from tests.engine.engine_process import ENGINE, serving
from tests.folders import ROOT
from tests.patience import FLOODED, PATIENCE, pass_an_hour, wait_until
from tests.tournament.schedules import listening

TICTACTOE = "tictactoe"
open_engine = partial(client.open_engine, start_seconds=PATIENCE)
open_engine_async = partial(client.open_engine_async, start_seconds=PATIENCE)


def serve(*words: str, player: str = "negamax", game: str = TICTACTOE) -> list[str]:
    """Return the command of an engine on its pipes."""
    return [ENGINE, "serve", "--game", game, "--player", player, "--stdio", *words]


def program(code: str) -> list[str]:
    """Return the command of a program in Python."""
    return [sys.executable, "-c", f"import sys, time\nsay = lambda text: print(text, flush=True)\n{code}"]


def answering(code: str) -> list[str]:
    """Return a program that greets, and runs `code` for each further line."""
    loop = "say('id name script\\nugiok')\nfor line in sys.stdin:\n"
    return program(f"{loop}    if line == 'isready\\n': say('readyok')\n    {code}")


def test_a_search_over_pipes() -> None:
    with open_engine(serve(), TICTACTOE) as engine:
        assert engine.name == "Fiedler negamax"
        assert engine.author
        assert engine.options["depth"].type == "spin"
        result = engine.play("startpos moves a1 b1 a2 b2", Limit(depth=3))
        assert result.move == "a3"
        assert result.info.mate == 1
        assert result.info.pv == ("a3",)
        engine.ping()
        engine.new_game()
    assert not engine.is_open


def test_an_analysis_has_the_reports_in_their_order() -> None:
    with open_engine(serve(game="connect4"), "connect4") as engine:
        found = engine.analyse("startpos moves d d", Limit(depth=6))
    assert [one.depth for one in found] == sorted(one.depth or 0 for one in found)
    assert found[-1].depth == 6
    assert found[-1].nodes
    assert found[-1].pv
    assert found[-1].score_cp is not None


def test_options_and_another_game_with_a_search() -> None:
    """With the seed set again, and the tree forgotten, a search is the same."""
    with open_engine(serve(player="mcts", game="uttt"), "uttt") as engine:
        found = [engine.play("startpos", Limit(nodes=200), options={"seed": 3}, new_game=True) for _ in range(2)]
        with pytest.raises(UsageError, match="does not offer the option 'sed'"):
            engine.play("startpos", 0.1, options={"sed": 3})
    assert found[0].move == found[1].move
    assert found[0].info.score_cp == found[1].info.score_cp


class OfMoves:
    """A game that knows its moves."""

    start = Position(TICTACTOE)
    moves = ("a1", "b1", "a2", "b2")


@pytest.mark.parametrize(
    "given", [OfMoves(), game(TICTACTOE).position(moves=OfMoves.moves), "startpos moves a1 b1 a2 b2"]
)
def test_a_position_has_three_forms(given: Any) -> None:
    with open_engine(serve(), TICTACTOE) as engine:
        assert engine.play(given, 0.1).move == "a3"


class OfWrongMoves:
    start = game(TICTACTOE).position()
    moves = ("a1", "a1")


WRONG: list[tuple[Any, Any, str]] = [
    (OfWrongMoves(), 0.1, "position: move a1: not legal"),
    ("startpos moves a1 z9", 0.1, "position: move 2: expected a1 to c3, got 'z9'"),
    ("startpos a1", 0.1, "position: expected 'moves' after the position, got 'a1'"),
    (Position("connect4"), 0.1, "position: expected one of tictactoe, got one of connect4"),
    ("startpos moves a1 b1 a2 b2 a3", 0.1, "position: the game is over"),
    ("startpos", 0.0, "limit: expected seconds above 0 and of at most 2147483, got 0.0"),
    ("startpos", float("nan"), "limit: expected seconds above 0 and of at most 2147483, got nan"),
    ("startpos", Limit(infinite=True), "limit: expected one that ends, got infinite"),
]


def test_a_game_without_a_core() -> None:
    name = "openspiel:breakthrough(rows=6,columns=6)"
    game = any_game(name)
    later = game.position("88,306")
    with open_engine(serve(player="random", game=name), name) as engine:
        for position in ("startpos moves a5a4", "88,306 moves a6b5", later, game.position()):
            move = engine.play(position, Limit(nodes=1)).move or ""
            reached = game.parse_position(position) if isinstance(position, str) else position
            assert move in map(reached.move_text, reached.legal_moves())
        with pytest.raises(UsageError, match="move 1: expected a legal move such as a5a4, got 'z'"):
            engine.play("startpos moves z", Limit(nodes=1))
        with pytest.raises(UsageError, match=f"expected one of {re.escape(name)}, got one of tictactoe"):
            engine.play(Position(TICTACTOE), Limit(nodes=1))
    with open_engine(
        serve("--protocol", "gtp", player="random", game="openspiel:othello"), "openspiel:othello", protocol="gtp"
    ) as engine:
        assert engine.play("startpos moves d3", 1.0).move in {"c3", "e3", "c5"}
    with pytest.raises(UsageError, match="expected a game whose rules are known here, got 'generic'"):
        open_engine(serve(), "generic")


def test_wrong_arguments_leave_the_engine_open() -> None:
    with open_engine(serve(), TICTACTOE) as engine:
        for position, limit, message in WRONG:
            with pytest.raises(UsageError, match=re.escape(message)):
                engine.play(position, limit)
        with pytest.raises(UsageError, match=r"does not offer the option 'dept'; did you mean 'depth'\?"):
            engine.configure({"dept": 3})
        with pytest.raises(UsageError, match="option 'depth': expected a whole number"):
            engine.configure({"depth": "deep"})
        with pytest.raises(UsageError, match="option 'depth': expected one value, got it as 'Depth' and as 'depth'"):
            engine.configure({"Depth": 2, "depth": 3})
        engine.configure({"depth": 2})
        assert engine.analyse("startpos", 10.0)[-1].depth == 2


def test_what_cannot_be_opened_is_one_line() -> None:
    with serving("--game", TICTACTOE, "--player", "random") as server:
        address = server.address
        with pytest.raises(UsageError, match=f"{address} plays another game than connect4: X;"):
            open_engine(address, "connect4")
    for engine, arguments, error, message in (
        (address, {}, EngineGoneError, f"cannot connect to {address}: connection refused"),
        (["/no/such"], {}, UsageError, "cannot start '/no/such': no such file or directory"),
        ([], {}, UsageError, "engine: expected a command or HOST:PORT, got nothing"),
        (
            "./bot 1",
            {},
            UsageError,
            "engine: expected HOST:PORT with a port from 1 to 65535, got './bot 1'; a command is",
        ),
        (["engine"], {"folder": "/no/such"}, UsageError, "folder: expected a directory, got '/no/such'"),
        (serve(), {"protocol": "ugii"}, UsageError, "protocol: expected one of ugi, "),
        (serve(), {"protocol": "makemove"}, UsageError, "engine: expected {port} in the command"),
        (serve(), {"options": {"x": 1}}, UsageError, "does not offer the option 'x'"),
        (serve("--set", "x=1"), {}, EngineGoneError, "exited with status 2, saying: error: "),
    ):
        with pytest.raises(error, match=re.escape(message)):
            open_engine(engine, TICTACTOE, **arguments)


def test_a_dialect_without_names_for_the_moves_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^protocol: gtp has no names for the moves of chess$"):
        open_engine(["true"], "chess", protocol="gtp")


def test_a_machine_without_files_is_not_a_fault_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(child, "start_program", exhausted)
    with pytest.raises(EngineGoneError, match="this machine cannot start 'bot' now: too many open files"):
        open_engine(["bot"], TICTACTOE)


@pytest.mark.parametrize("protocol", ["ugi", "uci", "gtp", "rowcol", "rowcol-list"])
def test_a_game_in_every_dialect(protocol: str) -> None:
    moves: list[str] = []
    with open_engine(serve("--protocol", protocol, player="osp", game="uttt"), "uttt", protocol=protocol) as engine:
        for _ in range(3):
            result = engine.play(" ".join(["startpos", "moves", *moves] if moves else ["startpos"]), 5.0)
            assert result.move is not None
            moves.append(result.move)
            reply = game("uttt").position(moves=moves)
            moves.append(reply.move_text(reply.legal_moves()[0]))
        engine.new_game()
        assert engine.play("startpos", 5.0).move
        assert len(engine.analyse("startpos moves e5", 5.0)) == 1


def test_a_game_of_gomocup() -> None:
    """The dialect takes any option; a program that does not answer START gets its questions later."""
    command = serve("--protocol", "gomocup", game="gomoku15")
    with open_engine(command, "gomoku15", protocol="gomocup", options={"max_memory": 10**7}) as engine:
        first = engine.play("startpos", 0.1)
        second = engine.play(f"startpos moves {first.move} a1", 0.1)
        other = engine.play("startpos moves h8", 0.1, new_game=True)
        assert all(result.move for result in (first, second, other))
        assert engine.analyse("startpos moves h8 i9", 0.1)[-1].pv
        with pytest.raises(UsageError, match="protocol gomocup: expected a value of one line for INFO note"):
            engine.configure({"note": "two\nlines"})
        engine.ping()


def test_an_answer_that_never_comes_is_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GomocupClient, "grace_s", 0.2)
    silent = "for line in sys.stdin:\n    if line.startswith('BEGIN'): say('7,7')"
    with open_engine(program(silent), "gomoku15", protocol="gomocup") as engine:
        assert engine.play("startpos", 0.1).move == "h8"


def test_a_program_that_connects_to_us() -> None:
    command = [ENGINE, "serve", "--game", "uttt", "--player", "osp", "--protocol", "makemove", "--dial"]
    with open_engine([*command, "127.0.0.1:{port}"], "uttt", protocol="makemove") as engine:
        first = engine.play("startpos moves e5", 1.0)
        second = engine.play("startpos moves a1", 1.0)
    assert first.move
    assert second.move
    with pytest.raises(EngineGoneError, match="exited with status 0; it did not connect"):
        open_engine([sys.executable, "-c", "'{port}'"], "uttt", protocol="makemove")
    with pytest.raises(EngineGoneError, match=r"did not connect within 0\.1 s"):
        open_engine(program("'{port}'; time.sleep(600)"), "uttt", protocol="makemove", start_seconds=0.1)


def test_what_a_dialect_cannot_express_is_refused() -> None:
    with open_engine(serve("--protocol", "gtp"), TICTACTOE, protocol="gtp") as engine:
        with pytest.raises(UsageError, match="limit: protocol gtp cannot express nodes"):
            engine.play("startpos", Limit(nodes=100))
        with pytest.raises(UsageError, match="protocol gtp: GTP cannot express a start other than startpos"):
            engine.play("O;.../.X./...", 1.0)
        assert engine.play("startpos", 1.0).move


FAILING = {
    "if line.startswith('go'): sys.exit('no idea')": (EngineGoneError, "exited with status 1, saying: no idea"),
    "if line.startswith('go'): say('bestmove B1')": (EngineRulesError, "not legal|did you mean 'b1'"),
    "if line.startswith('go'): say('bestmove none')": (EngineRulesError, "sent no move, but legal moves exist"),
    "if line.startswith('go'): say('info string error: too late')": (EngineRefusedError, "refused: too late"),
    "while line.startswith('go'): say('x' * 1000)": (EngineRulesError, FLOODED),
}


@pytest.mark.parametrize(("code", "failure"), FAILING.items())
def test_a_failure_closes_the_engine(code: str, failure: tuple[type[EngineError], str]) -> None:
    with open_engine(answering(code), TICTACTOE) as engine:
        with pytest.raises(failure[0], match=failure[1]) as caught:
            engine.play("startpos", 0.1)
        assert "\n" not in str(caught.value)
        assert str(caught.value).startswith(shlex.join(answering(code))[:20])
        assert not engine.is_open
        with pytest.raises(EngineGoneError, match="was closed"):
            engine.ping()


@pytest.mark.parametrize("reads", [(), ("reads",)])
def test_a_server_that_refuses_with_a_text_is_quoted(reads: tuple[str, ...]) -> None:
    command = [sys.executable, "-S", "-E", str(ROOT / "tests/players/refuse.py"), "ERROR: server full", *reads]
    with listening(command) as address, pytest.raises(EngineGoneError, match="; it sent 'ERROR: server full', expect"):
        open_engine(address, TICTACTOE)


async def test_standard_error_explains_a_late_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is over as soon as the program has complained."""
    receive = EngineCarrier.receive

    async def hurried(carrier: EngineCarrier) -> bytes:
        answer = asyncio.ensure_future(receive(carrier))
        while not answer.done() and not carrier.complaint:  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.005)
        if not answer.done():
            pass_an_hour(monkeypatch)
        return await answer

    monkeypatch.setattr(EngineCarrier, "receive", hurried)
    code = "line.startswith('go') and print('KeyError: a1', file=sys.stderr, flush=True)"
    async with await open_engine_async(answering(code), TICTACTOE) as engine:
        why = "had not answered after 60.1 s; no bestmove after go yet: too slow, or its output is not flushed"
        with pytest.raises(EngineGoneError, match=f"{why}; on standard error: KeyError: a1$") as late:
            await engine.play("startpos", 0.1)
    assert late.value.stderr == "KeyError: a1"


async def test_a_line_that_the_kernel_gives_up_is_not_a_late_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def lost(_: EngineCarrier) -> bytes:
        raise TimeoutError(errno.ETIMEDOUT, "Connection timed out")

    async with await open_engine_async(answering(""), TICTACTOE, answer_seconds=None) as engine:
        monkeypatch.setattr(EngineCarrier, "receive", lost)
        with pytest.raises(EngineGoneError, match=r": connection timed out$"):
            await engine.ping()


def test_talking_does_not_extend_the_time_for_an_answer() -> None:
    code = "while line.startswith('go'): say('info depth 1'); time.sleep(0.01)"
    late = pytest.raises(EngineGoneError, match=r"had not answered after 5\.1 s; no bestmove after go yet")
    with open_engine(answering(code), TICTACTOE, answer_seconds=5.0) as engine, late:
        engine.play("startpos", 0.1)


def test_the_descendants_of_a_program_end_with_it(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    sleeper = "[sys.executable, '-c', 'import time; time.sleep(600)']"
    code = f"import pathlib, subprocess\npathlib.Path({str(file)!r}).write_text(str(subprocess.Popen({sleeper}).pid))"
    with open_engine(program(f"{code}\nsay('ugiok')\nsys.stdin.read()"), TICTACTOE):
        status = Path(f"/proc/{file.read_text('utf-8')}/stat")
        assert status.exists()
    wait_until(lambda: not status.exists() or status.read_text("utf-8").rpartition(")")[2].split()[0] == "Z")


def test_an_engine_may_resign() -> None:
    with open_engine(answering("if line.startswith('go'): say('bestmove resign')"), TICTACTOE) as engine:
        assert engine.play("startpos", 0.1) == PlayResult(None, engine.analyse("startpos", 0.1)[0])


def test_a_refused_value_leaves_the_engine_open() -> None:
    code = "if line.startswith('setoption'): say('info string error: not today')"
    greeting = "say('option name level type spin default 1 min 1 max 9')\n"
    command = answering(code)
    command[2] = command[2].replace("say('id", f"{greeting}say('id")
    with open_engine(command, TICTACTOE) as engine:
        with pytest.raises(EngineRefusedError, match="refused: not today"):
            engine.configure({"level": 3})
        engine.ping()


def test_close_ends_a_request_of_another_thread() -> None:
    engine = open_engine(serve(game="uttt"), "uttt")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(engine.play, "startpos", Limit(depth=100))
        wait_until(waiting.running)
        engine.close()
        with pytest.raises(EngineGoneError, match="was closed"):
            waiting.result(PATIENCE)
    engine.close()


def test_an_interrupt_stops_a_search() -> None:
    """Ctrl-C during a search raises KeyboardInterrupt, and the engine answers the next request."""
    code = f"""
import signal, threading
from fiedler.client import open_engine
from fiedler.protocol import Limit
from fiedler.protocol.gomocup import GomocupClient
signal.signal(signal.SIGINT, signal.default_int_handler)
with open_engine({serve(game="uttt")!r}, "uttt") as engine:
    try:
        print("searching", flush=True)
        engine.play("startpos", Limit(depth=100))
    except KeyboardInterrupt:
        print(engine.play("startpos", Limit(depth=2)).info.depth)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "searching\n"
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=PATIENCE)[0] == "2\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_engine_ends_with_a_program_that_is_killed(number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    search = f"import os, pathlib; pathlib.Path({str(file)!r}).write_text(f'{{os.getpid()}}.'); time.sleep(600)"
    command = answering(f"if line.startswith('go'): {search}")
    code = f"from fiedler.client import open_engine\nopen_engine({command!r}, 'tictactoe').play('startpos', 1000)"
    with subprocess.Popen([sys.executable, "-c", code]) as child:
        wait_until(lambda: file.exists() and file.read_text("utf-8").endswith("."))
        child.send_signal(number)
    status = Path(f"/proc/{file.read_text('utf-8')[:-1]}/stat")
    wait_until(lambda: not status.exists() or status.read_text("utf-8").rpartition(")")[2].split()[0] == "Z")


async def test_two_engines_side_by_side() -> None:
    async with (
        await open_engine_async(serve(game="uttt"), "uttt") as one,
        await open_engine_async(serve(game="uttt", player="mcts"), "uttt", options={"seed": 5}) as other,
    ):
        results = await asyncio.gather(one.play("startpos", 0.1), other.play("startpos", Limit(nodes=50)))
    assert all(result.move for result in results)


async def test_a_blocking_engine_in_a_running_loop() -> None:
    """As in the cell of a notebook."""
    with open_engine(serve(), TICTACTOE) as engine:
        assert engine.play("startpos moves a1 b1 a2 b2", 0.1).move == "a3"


async def test_requests_of_one_engine_wait_for_each_other() -> None:
    async with await open_engine_async(serve(), TICTACTOE) as engine:
        results = await asyncio.gather(*(engine.play("startpos moves b2", Limit(depth=2)) for _ in range(5)))
    assert len(results) == 5


async def test_a_cancelled_search_is_stopped_and_the_engine_stays_open() -> None:
    async with await open_engine_async(serve(game="uttt"), "uttt") as engine:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await engine.play("startpos", Limit(depth=100))
        assert engine.is_open
        assert (await engine.play("startpos", Limit(depth=2))).info.depth == 2


async def test_another_cancelled_request_closes_the_engine() -> None:
    silent = program("say('ugiok')\ntime.sleep(600)")
    async with await open_engine_async(silent, TICTACTOE) as engine:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await engine.ping()
        assert not engine.is_open


async def test_a_port_carries_many_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    received = EngineCarrier.receive
    portions: list[bytes] = []

    async def watched(carrier: EngineCarrier) -> bytes:
        portions.append(await received(carrier))
        return portions[-1]

    monkeypatch.setattr(EngineCarrier, "receive", watched)
    with serving("--game", TICTACTOE, "--player", "negamax") as server:
        engines = [await open_engine_async(server.address, TICTACTOE) for _ in range(5)]
        for engine in engines:
            assert (await engine.play("startpos moves a1 b1 a2 b2", 0.1)).move == "a3"
            await engine.close()
    assert any(b"bestmove a3" in portion for portion in portions)
