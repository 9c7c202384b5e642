"""Bad input of every kind, in every dialect: one error in the form of the dialect, and nothing has changed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiedler.protocol import DIALECTS
from tests.engine.engine_driver import Conversation
from tests.protocol.fuzz.languages import LANGUAGES


@dataclass(frozen=True)
class Input:
    """The lines of a dialect in a game of ultimate tic-tac-toe or gomoku."""

    begin: tuple[str, ...]
    """The beginning of a game."""
    good: str
    """The next request of a correct client, which is answered at once."""
    coordinates: str
    """A request with a column, row or point, `{}`, that no board has."""
    side: str
    """A move for the wrong side, or where the dialect names no side, over a stone."""
    game: str = "uttt"


INPUTS = {
    "ugi": Input(
        ("ugi", "position startpos moves e5", "go"),
        "query legalmoves",
        "position startpos moves e{}",
        "position startpos moves e5 e5",
    ),
    "uci": Input(
        ("uci", "position startpos moves e5", "go"),
        "query legalmoves",
        "position startpos moves e{}",
        "position startpos moves e5 e5",
    ),
    "gtp": Input(("boardsize 9", "genmove b"), "genmove w", "play w A{}", "play b A1"),
    "gomocup": Input(("START 15", "PLAY 7,7"), "TURN 14,14", "TURN 3,{}", "TURN 7,7", game="gomoku15"),
    "rowcol": Input(("-1 -1",), "3 4", "3 {}", "-1 -1"),
    "rowcol-list": Input(
        ("-1 -1", "81", *(f"{row} {column}" for row in range(9) for column in range(9))), "3 4", "3 {}", "-1 -1\n0"
    ),
    "makemove": Input(("GAME_RESET", "MAKE_MOVE"), "APPLY_MOVE:67", "APPLY_MOVE:{}", "APPLY_MOVE:68"),
}
few = settings(max_examples=30)
numbers = st.integers(min_value=256, max_value=10**6).map(str)
words = st.text("abcxyzABCXYZ _:,.+-!?/\"'\\", max_size=40).map(lambda text: f"xyzzy{text}")
binary = st.binary(max_size=40).map(lambda data: b"\xff" + data.replace(b"\n", b"").replace(b"\r", b""))


def playing(name: str) -> Conversation:
    """A session in a game."""
    talk = Conversation(INPUTS[name].game, "random", pinned=name, seed="1")
    assert talk.say(*INPUTS[name].begin)
    while talk.session.searching:
        assert talk.pump()
    talk.received()
    return talk


@cache
def standing(name: str) -> Conversation:
    """The one session for every bad line: none of them changes it."""
    return playing(name)


def state(name: str, talk: Conversation) -> object:
    host = talk.session._host
    return host.state.moves, host.state.notation, LANGUAGES[name].state(talk.session._server)


def check(name: str, data: bytes) -> None:
    """Send one bad line: it has one error as its answer, and the session continues."""
    language, talk = LANGUAGES[name], standing(name)
    before = state(name, talk)
    talk.bring(data + b"\n")
    answer = talk.session.data_to_send().decode()
    assert answer.count(language.separator) == 1
    assert language.refusal.fullmatch(answer.removesuffix(language.separator)), answer
    assert state(name, talk) == before
    assert talk.session.listening


def test_every_dialect_has_its_input() -> None:
    assert {*INPUTS} == {*DIALECTS}


@pytest.mark.parametrize("name", INPUTS)
@few
@given(words)
def test_an_unknown_command(name: str, line: str) -> None:
    check(name, line.encode())


@pytest.mark.parametrize("name", INPUTS)
@few
@given(numbers)
def test_wrong_coordinates(name: str, number: str) -> None:
    check(name, INPUTS[name].coordinates.format(number).encode())


@pytest.mark.parametrize("name", INPUTS)
@few
@given(binary)
def test_binary_data(name: str, data: bytes) -> None:
    check(name, data)


@pytest.mark.parametrize("name", INPUTS)
def test_a_move_for_the_wrong_side(name: str) -> None:
    check(name, INPUTS[name].side.encode())


@pytest.mark.parametrize("name", INPUTS)
@few
@given(st.data())
def test_half_a_line_at_the_end(name: str, data: st.DataObject) -> None:
    good = INPUTS[name].good
    talk = playing(name)
    before = state(name, talk)
    talk.bring(good[: data.draw(st.integers(1, len(good)))].encode())
    talk.end()
    answer = talk.session.data_to_send().decode()
    assert LANGUAGES[name].refusal.fullmatch(answer.removesuffix(LANGUAGES[name].separator)), answer
    assert "expected a newline, got the end of the stream" in answer
    assert state(name, talk) == before
    assert talk.session.over
