"""A dialect of one file: registered, spoken by a server and by the manager, and games through it.

It is as far from UGI as it can be. Stones are put one by one, moves are named `x,y` by the cell that they fill, a
search plays its move on the engine's board, and there are no words for options, `ping` or `stop`:

    > stones                < here NAME
    > clear                 < clear
    > put 3,5               (nothing, or `no WHY`)
    > turn 100              < at 4,5       100 nodes; `at pass` once the game is over
    > bye
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from fiedler.engine.port.bounds import Bounds
from fiedler.engine.port.server import Server
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.games import game
from fiedler.players import create
from fiedler.protocol import (
    DIALECTS,
    START,
    ClientEvent,
    Coordinates,
    Dialect,
    Eof,
    FinalScore,
    Host,
    HostError,
    Identity,
    Info,
    Limit,
    LineAssembler,
    LocalProtocolError,
    Malformed,
    Move,
    Ready,
    Refusal,
    Start,
)
from fiedler.protocol.mistake import Mistake, Question
from fiedler.support.errors import UsageError
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, Tables

HELLO = Question("stones", "here NAME")
TURN = Question("turn", "at X,Y")


class StonesServer:
    """The engine's side."""

    def __init__(self, host: Host, coordinates: Coordinates) -> None:
        self.listening = True
        self._host = host
        self._coordinates = coordinates
        self._lines = LineAssembler()
        self._ended = False
        self._out: list[str] = []

    @property
    def waiting(self) -> bool:
        return bool(self._lines.lines) or (self._ended and self.listening)

    def receive_data(self, data: bytes) -> None:
        self._lines.feed(data)

    @property
    def full(self) -> bool:
        return False

    def receive_eof(self) -> None:
        self._ended = True

    def handle_line(self) -> None:
        line = self._lines.lines.popleft() if self._lines.lines else "bye"
        try:
            self._do(line)
        except (HostError, ValueError) as error:
            self._out.append(f"no {error}")

    def _do(self, line: str | Malformed) -> None:
        match line.split() if isinstance(line, str) else []:
            case ["stones"]:
                self._out.append(f"here {self._host.name}")
            case ["clear"]:
                self._host.new_game(lambda why: self._out.append("clear" if not why else f"no {why}"))
            case ["put", name]:
                self._host.play(self._coordinates.read(name, self._host.state.moves))
            case ["turn", nodes] if nodes.isdigit():
                self._host.search(Limit(nodes=int(nodes)), self)
            case ["bye"]:
                self.listening = False
                self._host.stop()
            case _:
                raise ValueError("expected stones, clear, put X,Y, turn N or bye")

    def found(self, info: Info) -> None:
        """The dialect has no words for it."""

    def failed(self, why: str) -> None:
        self._out.append(f"no {why}")

    def remarked(self, why: str) -> None:
        """The dialect has no words for it."""

    def moved(self, move: str | None) -> None:
        if move is None:
            self._out.append("at pass")
        else:
            self._out.append(f"at {self._coordinates.write(move, self._host.state.moves)}")
            self._host.play(move)

    def heartbeat(self) -> None:
        """The dialect has no words for it."""

    def data_to_send(self) -> bytes:
        out, self._out = self._out, []
        return "".join(f"{line}\n" for line in out).encode()


class StonesClient:
    """The manager's side."""

    pause_s = grace_s = 0.0
    takes_any_option = False

    def __init__(self, coordinates: Coordinates) -> None:
        self.reads_info = False
        self.mistake = Mistake()
        self.family = ""
        self.owes_move = False
        self.last_info: Info | None = None
        self._coordinates = coordinates
        self._lines = LineAssembler()
        self._events: deque[ClientEvent] = deque()
        self._out: list[str] = []
        self._board: list[str] = []
        """what the engine knows of the game"""

    @property
    def takes_another_game(self) -> bool:
        return True

    def keep_info(self) -> Callable[[], Info | None]:
        return lambda: None

    @property
    def unfinished(self) -> str:
        return self._lines.unfinished

    def greet(self) -> None:
        self._out.append("stones")
        self.mistake.ask(HELLO)

    def configure(self, name: str, value: str | None = None) -> None:
        raise LocalProtocolError(f"stones has no words for options, got {name}={value}")

    def ping(self) -> None:
        self._events.append(Ready())

    def ask_start(self) -> None:
        self._events.append(Start(None))

    def ask_score(self, moves: Sequence[str]) -> None:
        self._events.append(FinalScore(None))

    def new_game(self) -> None:
        self._out.append("clear")
        self._board = []

    def search(self, moves: Sequence[str], limit: Limit, start: str = START) -> None:
        if limit.nodes is None or start != START or [*moves[: len(self._board)]] != self._board:
            raise LocalProtocolError("stones can say nodes, and games that grow from their start")
        for at in range(len(self._board), len(moves)):
            self._out.append(f"put {self._coordinates.write(moves[at], moves[:at])}")
        self._board = [*moves]
        self._out.append(f"turn {limit.nodes}")
        self.owes_move = True
        self.mistake.ask(TURN)

    def place(self, moves: Sequence[str], start: str = "startpos") -> None:
        raise LocalProtocolError(f"no words for a position: {start} {moves}")

    def query(self, what: str) -> None:
        raise LocalProtocolError(f"no words for a question: {what}")

    def stop(self) -> None:
        """The dialect has no words for it."""

    def quit(self) -> None:
        self._out.append("bye")

    def assume_answer(self) -> None:
        """Every program answers."""

    def receive_data(self, data: bytes) -> None:
        self._lines.feed(data)
        while self._lines.lines:
            self._events.append(self._read(self._lines.lines.popleft()))

    def receive_eof(self) -> None:
        self._events.append(Eof())

    def next_event(self) -> ClientEvent | None:
        return self._events.popleft() if self._events else None

    def receive_answer(self, data: bytes) -> str | None:
        return None

    def data_to_send(self) -> bytes:
        out, self._out = self._out, []
        return "".join(f"{line}\n" for line in out).encode()

    def _read(self, line: str | Malformed) -> ClientEvent:
        match line.split(maxsplit=1) if isinstance(line, str) else []:
            case ["here", name]:
                self._events.append(Identity("name", name))
                return Ready()
            case ["clear"]:
                return Ready()
            case ["no", why]:
                self.mistake.keep(f"no {why}")
                return Refusal(why)
            case ["at", name] if self.owes_move:
                return self._move(name)
        self.mistake.keep(str(line))
        return line if isinstance(line, Malformed) else Malformed(line, "expected here, clear, at or no")

    def _move(self, name: str) -> Move:
        self.owes_move = False
        try:
            move = self._coordinates.read(name, self._board)
        except ValueError:
            self.mistake.keep(f"at {name}")
            return Move(None)
        self._board.append(move)  # its engine has played it too
        return Move(move)


STONES = Dialect(
    client=StonesClient,
    server=StonesServer,
    opens=lambda line: line.split() == ["stones"],
    refusal=lambda why: f"no {why}\n".encode(),
    coordinates="x,y",
)


@contextmanager
def serving(game_id: str, player: str, bounds: Bounds | None = None) -> Iterator[int]:
    """A server in a thread of this process, where the dialect is registered; its port."""
    loop = asyncio.new_event_loop()
    port = loop.create_future()
    ended = asyncio.Event()

    async def serve() -> None:
        server = Server(EngineOffer(game(game_id), create(game(game_id), player, {})), bounds)
        port.set_result((await server.start("127.0.0.1", 0)).port)
        await ended.wait()
        await server.close()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        yield asyncio.run_coroutine_threadsafe(_result(port), loop).result(PATIENCE)
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(PATIENCE)
        loop.close()


async def _result(future: asyncio.Future[int]) -> int:
    return await future


def talk(port: int, text: str) -> list[str]:
    """Send this text and nothing else; return the lines of the answer."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as link:
        link.sendall(text.encode())
        link.shutdown(socket.SHUT_WR)
        return link.makefile(encoding="utf-8").read().splitlines()


@pytest.fixture
def stones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers the dialect."""
    monkeypatch.setitem(DIALECTS, "stones", STONES)


def speaker(name: str, port: int, dialect: str) -> Tables:
    return {"name": name, "address": f"127.0.0.1:{port}", "protocol": dialect}


@pytest.mark.programs
@pytest.mark.usefixtures("stones")
@pytest.mark.parametrize("game_id", ["connect4", "cube"])
def test_games_are_the_same_in_every_dialect(bench: Bench, game_id: str) -> None:
    changes: dict[str, Tables] = {
        "tournament": {"game": game_id, "games_per_pair": 4},
        "limit": {"nodes": 300, "startup_s": PATIENCE},
        "openings": {"plies": 3},
    }
    played = []
    with serving(game_id, "negamax") as port:
        for name, dialect in (("first", "ugi"), ("second", "stones")):
            changes["tournament"]["name"] = "test"
            bench.results = bench.folder / name
            games = bench.play([speaker("a", port, dialect), speaker("b", port, "ugi")], **changes)
            assert {one.termination for one in games} == {"rules"}
            played.append([(one.id, one.first, one.moves, one.result) for one in games])
    assert played[0] == played[1]
    assert len(played[0]) == 4


@pytest.mark.usefixtures("stones")
def test_a_port_answers_each_client_in_its_dialect() -> None:
    with serving("connect4", "negamax") as port:
        assert talk(port, "\nstones\nput 3,5\nput 3,5\nput\nturn 9\nbye\n") == [
            "here Fiedler negamax",
            "no expected a legal move as in 0,5, got '3,5'",
            "no expected stones, clear, put X,Y, turn N or bye",
            *talk(port, "stones\nput 3,5\nturn 9\n")[1:],
        ]
        assert talk(port, "ugi\n")[-1] == "ugiok"
        assert talk(port, "hello\n")[0].startswith("info string error: expected one of ugi, ")


@pytest.mark.usefixtures("stones")
def test_a_refusal_has_the_dialect_of_the_client() -> None:
    with serving("connect4", "random", Bounds(sessions=0)) as port:
        why = "expected at most 0 concurrent sessions; try again later"
        assert talk(port, "stones\nclear\n") == [f"no {why}"]
        assert talk(port, "ugi\n") == talk(port, "") == [f"info string error: {why}"]


@pytest.mark.programs
@pytest.mark.usefixtures("stones")
def test_an_option_that_the_dialect_lacks_is_refused(bench: Bench) -> None:
    with serving("tictactoe", "random") as port, pytest.raises(UsageError, match="unknown option 'seed'"):
        bench.play([{**speaker("a", port, "stones"), "options": {"seed": 1}}, speaker("b", port, "ugi")])


def test_an_unknown_dialect_is_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"protocol: expected one of ugi, got 'stones'|unknown"):
        bench.play([speaker("a", 1, "stones"), speaker("b", 2, "ugi")])
