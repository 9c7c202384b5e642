"""LineAssembler: bytes in any portions, lines out, bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import LineAssembler, Malformed


def lines(assembler: LineAssembler, data: bytes = b"") -> list[str | Malformed]:
    """The lines after these bytes."""
    assembler.feed(data)
    found = [*assembler.lines]
    assembler.lines.clear()
    return found


def last(assembler: LineAssembler) -> list[str | Malformed]:
    """The lines at the end of the stream."""
    assembler.finish()
    return lines(assembler)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"ugi", []),
        (b"ugi\n", ["ugi"]),
        (b"ugi\r\nisready\r\n", ["ugi", "isready"]),
        (b"\n\nugi\nis", ["", "", "ugi"]),
        (b"a\r\r\nb\rc\n", ["a\r", "b\rc"]),
        ("id author Jürgen 五子棋\n".encode(), ["id author Jürgen 五子棋"]),
    ],
)
def test_whole_portions(data: bytes, expected: list[str]) -> None:
    assert lines(LineAssembler(), data) == expected


def test_a_line_in_single_bytes() -> None:
    assembler = LineAssembler()
    assert [line for byte in "naïve\r\n".encode() for line in lines(assembler, bytes([byte]))] == ["naïve"]


def test_the_limit_is_the_longest_line_that_passes() -> None:
    assembler = LineAssembler(limit=8)
    assert lines(assembler, b"12345678\n") == ["12345678"]
    why = "expected at most 8 bytes on a line, got more"
    assert lines(assembler, b"123456789\nugi\n") == [Malformed("12345678", why), "ugi"]


def test_a_line_without_end_is_refused_once_and_not_kept() -> None:
    assembler = LineAssembler(limit=8)
    found = [line for _ in range(1000) for line in lines(assembler, b"x" * 7)]
    assert [line.line for line in found if isinstance(line, Malformed)] == ["xxxxxxxx"]
    assert lines(assembler, b"end\nugi\n") == ["ugi"]
    assert last(assembler) == []


def test_bytes_that_are_not_text() -> None:
    refused = Malformed("ab\\xff", "expected UTF-8, got byte 0xff at offset 2")
    assert lines(LineAssembler(), b"ugi\nab\xff\nquit\n") == ["ugi", refused, "quit"]


def test_long_lines_are_quoted_by_their_beginning() -> None:
    (refused,) = lines(LineAssembler(), b"\xfe" + b"y" * 1000 + b"\n")
    assert isinstance(refused, Malformed)
    assert refused.line == "\\xfe" + "y" * 115 + "…"


@pytest.mark.parametrize(("rest", "reported"), [(b"bestmove a1", True), (b" \r", False), (b"", False)])
def test_a_last_line_without_newline_may_have_been_cut(rest: bytes, reported: bool) -> None:
    assembler = LineAssembler()
    lines(assembler, b"ugi\n" + rest)
    why = "expected a newline, got the end of the stream"
    assert last(assembler) == ([Malformed(rest.decode(), why)] if reported else [])


PIECES = st.lists(
    st.sampled_from([b"\n", b"\r\n", b"\r", b"ugi", b" ", b"\xff", "é".encode(), b"x" * 20]) | st.binary()
)


@given(PIECES, st.integers(1, 40), st.data())
def test_portions_make_no_difference(pieces: list[bytes], limit: int, data: st.DataObject) -> None:
    stream = b"".join(pieces)
    whole, cut = LineAssembler(limit), LineAssembler(limit)
    at = 0
    found: list[str | Malformed] = []
    while at < len(stream):
        size = data.draw(st.integers(1, len(stream) - at))
        found += lines(cut, stream[at : at + size])
        at += size
    assert found == lines(whole, stream)
    assert last(cut) == last(whole)
    assert len(found) >= stream.count(b"\n")
