"""The position line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import LocalProtocolError, RemoteProtocolError
from fiedler.protocol.ugi import MAX_MOVES
from fiedler.protocol.ugi.position import GrowingPosition, position_line, read_position


@pytest.mark.parametrize(
    ("line", "text", "moves"),
    [
        ("position startpos", "startpos", ()),
        ("position startpos moves b2 a1", "startpos", ("b2", "a1")),
        ("position fen X;@........;X.OO...../", "X;@........;X.OO...../", ()),
        ("position fen ... ... ... x moves b2", "... ... ... x", ("b2",)),
    ],
)
def test_there_and_back(line: str, text: str, moves: tuple[str, ...]) -> None:
    assert read_position(line.split()) == (text, moves)
    assert position_line(text, moves) == line


@pytest.mark.parametrize("line", ["position startpos moves", "position fen startpos", "position fen startpos moves"])
def test_other_spellings_of_startpos(line: str) -> None:
    assert read_position(line.split()) == ("startpos", ())


def test_as_many_moves_as_the_bound() -> None:
    moves = ("a1",) * MAX_MOVES
    assert read_position(position_line("startpos", moves).split()) == ("startpos", moves)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("position", "expected startpos or fen after position, got ''"),
        ("position moves a1", "expected startpos or fen after position, got 'moves'"),
        ("position startpos a1", "expected moves after startpos, got 'a1'"),
        ("position fen", "expected a position after fen, got nothing"),
        ("position fen moves a1", "expected a position after fen, got nothing"),
        ("position startpos moves" + " a1" * 4097, "expected at most 4096 moves, got 4097"),
    ],
)
def test_refusals(line: str, why: str) -> None:
    with pytest.raises(RemoteProtocolError) as refusal:
        read_position(line.split())
    assert str(refusal.value) == why


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("", ()),
        ("a  b", ()),
        ("a moves b", ()),
        ("a\nquit", ()),
        ("startpos", ("a1 b2",)),
        ("startpos", ("", "a1 b2")),
        ("startpos", ("a1\n",)),
        ("startpos", ("a1",) * 4097),
    ],
)
def test_values_that_we_may_not_send(text: str, moves: tuple[str, ...]) -> None:
    with pytest.raises(LocalProtocolError, match="expected"):
        position_line(text, moves)


@given(st.text(st.characters(codec="utf-8")), st.lists(st.text(st.characters(codec="utf-8"))))
def test_every_position_comes_back_or_is_refused(text: str, moves: list[str]) -> None:
    try:
        line = position_line(text, moves)
    except LocalProtocolError:
        return
    assert read_position(line.split()) == (text, tuple(moves))


WORDS = st.lists(st.sampled_from(["a1", "b2", "c3", "d4", "é"]), max_size=8)


@given(st.lists(st.tuples(st.sampled_from(["startpos", "X;é"]), WORDS, st.integers(0, 8))))
def test_growing_position_is_the_line(asked: list[tuple[str, list[str], int]]) -> None:
    """Games that grow, moves taken back, and then other games."""
    position, moves = GrowingPosition(), list[str]()
    for start, tail, kept in asked:
        moves = [*moves[:kept], *tail]
        assert position.line(start, moves).decode() == position_line(start, moves)


def test_growing_position_accepts_a_growing_list() -> None:
    position, moves = GrowingPosition(), ["a1"]
    position.line("startpos", moves)
    moves += ["b2", "c3"]
    assert position.line("startpos", moves) == b"position startpos moves a1 b2 c3"


@pytest.mark.parametrize("move", ["c3 d4", "", "c3\n", " c3"])
def test_growing_position_refuses_a_word_that_is_not_a_move(move: str) -> None:
    position = GrowingPosition()
    position.line("startpos", ["a1", "b2"])
    with pytest.raises(LocalProtocolError, match="expected moves of one word each"):
        position.line("startpos", ["a1", "b2", move])
    assert position.line("startpos", ["a1", "b2", "c3"]) == b"position startpos moves a1 b2 c3"


def test_growing_position_has_a_bound() -> None:
    position, moves = GrowingPosition(), ["a1"] * (MAX_MOVES - 1)
    position.line("startpos", moves)
    position.line("startpos", [*moves, "b2"])
    with pytest.raises(LocalProtocolError, match="expected at most 4096 moves, got 4097"):
        position.line("startpos", [*moves, "b2", "c3"])
