"""The native reader of PGN files against a slow one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from native import PgnCounter
from tests.native import pgn_model

TAGS = [
    *(b'[White "a"]\n', b'[White "b"]\n', b'[Black "b"]\n', b'[Black "c"] ', b'[Result "1-0"]\n', b'[Result "0-1"]'),
    *(b'[Result "1/2-1/2"]\r\n', b'[Result "*"]\n', b'[Event "x"]\n', b'[X_1 "y"]', b'[ White\t"\\"q\\\\"]'),
    *(b'[White "\xc3\xbc"]\n', b'[White "\xfc"]\n', b"1. e4 e5\n", b"\n", b" ", b"\r\n", b"{ a\n}", b"; {\n", b"%{\n"),
    b'[Event "e"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 1-0\n\n',
]
PIECES = [
    *TAGS,
    *(b"\n", b"\r", b"{", b"}", b";", b"%", b"[", b"]", b'"', b"\\", b"\xef\xbb\xbf", b"\x00", b'[Result"1-0"]'),
    *(b"\xff", b"\xc3\xa9", b"\xa0", b"\xc2\xa0", b"\xe3\x80\x80", b"\x85", b"\x1c", b"\xed\xa0\x80", b"\xc0\x80"),
    *(b'[Black "' + b"n" * 70 + b"\n", b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80"),
]


@settings(max_examples=1000, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(TAGS)) | st.lists(st.sampled_from(PIECES), max_size=25),
    cuts=st.lists(st.integers(0, 400), max_size=4),
)
def test_the_native_reader_agrees_with_the_slow_one(pieces: list[bytes], cuts: list[int]) -> None:
    """They agree in all output, errors included, for any cuts of the input."""
    data = b"".join(pieces)
    counter = PgnCounter()
    ends = sorted(cuts)
    for start, end in zip([0, *ends], [*ends, len(data)], strict=True):
        counter.feed(data[start:end])
    counter.finish()
    try:
        expected: object = pgn_model.counted(data)
    except pgn_model.RefusedError as wrong:
        expected = wrong.args
    assert (counter.complaint or (counter.names, counter.rows, counter.skipped)) == expected
