"""`engine serve --dial`: a player that connects to a referee."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.engine.engine_process import Serving, engine
from tests.patience import PATIENCE

UTTT = ("--game", "uttt", "--player", "hsp", "--set", "seed=1")


class Referee:
    """The other side, at a port that is open or not."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE)
        self.port = int(self.listener.getsockname()[1])

    def accept(self) -> None:
        self.link, _ = self.listener.accept()
        self.link.settimeout(PATIENCE)
        self.lines = self.link.makefile(encoding="utf-8")

    def ask(self, command: str) -> str:
        self.link.sendall(f"{command}\n".encode())
        return self.answer()

    def answer(self) -> str:
        return self.lines.readline().rstrip("\n")

    def leave(self) -> None:
        self.lines.close()
        self.link.close()

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
        self.listener.close()


@contextmanager
def dialling(port: int) -> Iterator[Serving]:
    player = Serving(*UTTT, "--protocol", "makemove", "--dial", f"127.0.0.1:{port}")
    try:
        yield player
    finally:
        player.process.kill()
        player.process.wait()
        if player.process.stderr is not None:
            player.process.stderr.close()


def test_a_game_and_exit() -> None:
    with Referee() as referee, dialling(referee.port) as player:
        referee.accept()
        assert referee.answer() == "OK"
        assert [referee.ask(one) for one in ("GAME_RESET", "APPLY_MOVE:68", "MAKE_MOVE")] == ["OK", "OK", "MOVE:64"]
        assert referee.ask("EXIT") == "OK"
        assert referee.answer() == ""
        assert player.process.wait(PATIENCE) == 0
        assert player.rest() == f"connected to 127.0.0.1:{referee.port}\n"


def test_a_lost_referee_is_called_again() -> None:
    with Referee() as referee, dialling(referee.port) as player:
        referee.accept()
        assert referee.answer() == "OK"
        assert referee.ask("APPLY_MOVE:68") == "OK"
        referee.leave()
        referee.accept()
        assert referee.answer() == "OK"
        assert referee.ask("APPLY_MOVE:68") == "OK"  # another session, another game
        assert referee.ask("EXIT") == "OK"
        assert player.process.wait(PATIENCE) == 0


def test_a_referee_that_is_not_there_is_waited_for_until_a_signal() -> None:
    referee = Referee()
    referee.listener.close()
    with dialling(referee.port) as player:
        refused = f"cannot connect to 127.0.0.1:{referee.port}: connection refused; trying again"
        assert player.line() == refused
        assert player.end(signal.SIGTERM) == 0
        assert player.rest() == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--protocol", "makemove"), "--protocol makemove: expected --dial HOST:PORT, since its players open the "),
        (("--protocol", "makemove", "--stdio"), "--protocol makemove: expected --dial HOST:PORT, since its players "),
        (("--dial", "127.0.0.1:1"), "--dial: expected --protocol makemove, got none"),
        (("--dial", "127.0.0.1:1", "--protocol", "ugi"), "--dial: expected --protocol makemove, got ugi"),
        (("--dial", "127.0.0.1:1", "--protocol", "makemove", "--stdio"), "--dial: not with --stdio"),
        (
            ("--dial", "nowhere", "--protocol", "makemove"),
            "expected HOST:PORT with a port from 1 to 65535, got 'nowhere'",
        ),
    ],
)
def test_a_wrong_direction_is_refused(words: tuple[str, ...], message: str) -> None:
    done = engine("serve", *UTTT, *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")
    assert done.stderr.count("\n") == 1


def test_another_game_is_refused() -> None:
    done = engine("serve", "--game", "cube", "--protocol", "makemove", "--dial", "127.0.0.1:1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: --protocol: expected one of ugi, ")
    assert done.stderr.endswith(" for cube, got makemove\n")


def test_a_pinned_port_speaks_nothing_else() -> None:
    said = "-1 -1\n81\n" + "".join(f"{row} {column}\n" for row in range(9) for column in range(9))
    done = engine("serve", *UTTT, "--protocol", "rowcol-list", "--stdio", said=said)
    assert done.stdout == "4 4\n"
    assert engine("serve", *UTTT, "--protocol", "rowcol", "--stdio", said="ugi\n").stdout.startswith("error: ")
    assert engine("serve", *UTTT, "--protocol", "ugi", "--stdio", said="4 4\n").stdout.startswith("info string error: ")
