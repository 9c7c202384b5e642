"""The native reader of PGN files against a slow one."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fiedler.native import PgnCounter
from tests.native.pgn_model import DRAWS, Model

GAME = b'[Event "e"]\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
TAGS = [
    *(b'[White "a"]\n', b'[White "b"]\n', b'[Black "b"]\n', b'[Black "c"] ', b'[Result "1-0"]\n', b'[Result "0-1"]'),
    *(b'[Result "1/2-1/2"]\r\n', b'[Result "*"]\n', b'[Event "x"]\n', b'[X_1 "y"]', b'[ White\t"\\"q\\\\"]'),
    *(b'[White "\xc3\xbc"]\n', b'[White "\xfc"]\n', b"1. e4 e5\n", b"\n", b" ", b"\r\n", b"{ a\n}", b"; {\n", b"%{\n"),
    *(b'[White ""]\n', b'[Black "?"]\n', b'[Result "?"]\n', b'[Result " 1/2 "]\n', b'[Result "2-0"]', b'[White " "]'),
    *(b"1-0", b"1/2\n", b"0-1\n\n", b" * ", b"(e4 0-1)", b'[White "a\n', b'b"]\n', b'[Event "x"y"]\n'),
    *(b"{ forgotten\n", b'[White "a"b"]', b"\xc2\xbd-\xc2\xbd ", b'[Result "\xc2\xbd"]\n', b'[White "a]\n'),
    *(b"[%clk 1]", b'[Result"1-0"]'),
    GAME,
]
PIECES = [
    *TAGS,
    *(b"\n", b"\r", b"{", b"}", b";", b"%", b"[", b"]", b'"', b"\\", b"\xef\xbb\xbf", b"\x00", b"(", b")", b"-"),
    *(b"\xff", b"\xc3\xa9", b"\xa0", b"\xc2\xa0", b"\xe3\x80\x80", b"\x85", b"\x1c", b"\xed\xa0\x80", b"\xc0\x80"),
    *(b'[Black "' + b"n" * 70 + b"\n", b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b'[Result "' + b"x" * 30 + b'"]'),
]


def read(data: bytes, *cuts: int) -> PgnCounter:
    counter = PgnCounter()
    ends = sorted(cuts)
    for start, end in zip([0, *ends], [*ends, len(data)], strict=True):
        counter.feed(data[start:end])
    counter.finish()
    return counter


@settings(max_examples=1000, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(TAGS)) | st.lists(st.sampled_from(PIECES), max_size=25),
    cuts=st.lists(st.integers(0, 400), max_size=4),
)
@example(pieces=[b'[White "a\n', *[b"x\n"] * 9, b'b"]\n[Black "b"][Result "1-0"]'], cuts=[])
@example(pieces=[b'[White "a\n', *[b"x\n"] * 8, b'b"]\n[Black "b"][Result "1-0"]'], cuts=[])
@example(pieces=[b'q ["\n' * 12], cuts=[])
@example(pieces=[b'[Result "%d-0"]\n' % number for number in range(40)], cuts=[])
def test_the_native_reader_agrees_with_the_slow_one(pieces: list[bytes], cuts: list[int]) -> None:
    """They agree in all output, for any cuts of the input."""
    data = b"".join(pieces)
    found, model = read(data, *cuts), Model(data)
    assert found.open_comment == model.open_comment
    assert found.malformed_tags == model.malformed.listed()
    assert found.left_out == model.left_out.listed()
    assert (found.names, found.rows) == (model.names, model.rows)


ADA_BO = '[White "Ada"][Black "Bo"]'


@pytest.mark.parametrize(
    "text",
    [
        f'{ADA_BO}[Result "1-0"] 1. a b 1-0',
        '1. x 1-0[White "Ada"]\n[Black "Bo"]\n[Result "1-0"]\n1. a b 1-0',
        f"{ADA_BO} 1. a b (1. c 0-1 (2. d *)) {{0-1}} $3 1-0 ; 0-1\n% 0-1\n",
        f'{ADA_BO}[Result "?"]\n\n1. a b\n1-0\n',
        f'{ADA_BO}[Result ""]\n\n1. a b\n1-0\n',
        f'[Event "two\nlines"]\n{ADA_BO}[Result "1-0"]',
        f'[Event "never closed]\n{ADA_BO}[Result "1-0"]',
        f'{ADA_BO}[Note "He said "hi""][Result "1-0"]',
        f"{ADA_BO}[Broken tag]\n\n1. a [b] c 1-0",
        '[White\n"Ada"\n]\n[Black "Bo"]\n[Result " 1-0 "]',
    ],
)
def test_a_file_is_a_list_of_tokens(text: str) -> None:
    found = read(text.encode())
    assert (found.names, found.rows) == (["Ada", "Bo"], [(0, 1, 1, 0, 0)])
    assert [reason for reason, *_ in found.left_out] == ["moves without tags"] * text.startswith("1. x")


@pytest.mark.parametrize("result", [*DRAWS, " 1/2 "])
def test_a_draw_has_many_spellings(result: str) -> None:
    assert read(f'{ADA_BO}[Result "{result}"]'.encode()).rows == [(0, 1, 0, 1, 0)]
    assert read(f"{ADA_BO} 1. a 1/2".encode()).rows == [(0, 1, 0, 1, 0)]


SOUND = f'{ADA_BO}\n[Result "1-0"]\n\n1. a b 1-0\n\n'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{ADA_BO}\n\n1. a b\n", "no result"),
        (f'{ADA_BO}\n[Result "*"]\n\n*\n', "unfinished"),
        (f'{ADA_BO}\n[Result "2-0"]\n', "unknown result '2-0'"),
        ('[White ""]\n[Black "Bo"]\n1-0\n', "the name of White is empty"),
        ('[White "Ada"]\n[Black " ? "]\n1-0\n', "the name of Black is unknown (?)"),
        ('[White "Ada"]\n1-0\n', "no tag Black"),
        ('[White "A"da"]\n[Black "Bo"]\n1-0\n', "malformed tag White"),
        (f'{ADA_BO}\n[Result "1-0]\n\n1. a 1-0\n', "malformed tag Result"),
        ("1. a b 1-0\n", "moves without tags"),
        ("1. a b\n", "text without tags or result"),
        ("(1. a 1-0)\n", "text without tags or result"),
        ("1-0\n", "result without a game"),
    ],
)
def test_a_game_that_cannot_count_is_left_out_with_its_line(text: str, reason: str) -> None:
    found = read((SOUND + text + SOUND + text).encode())
    lines = SOUND.count("\n") + 1, 2 * SOUND.count("\n") + text.count("\n") + 1
    assert found.rows == [(0, 1, 2, 0, 0)]
    assert found.left_out == [(reason, 2, [*lines])]


def test_games_within_a_comment_are_left_out() -> None:
    swallowed = f"{ADA_BO}\n\n1. a {{never closed\n{SOUND}{SOUND.replace('b', '{later}', 1)}"
    found = read(swallowed.encode() + SOUND.encode())
    assert found.left_out == [("within a comment", 2, [4, 9]), ("no result", 1, [1])]
    assert found.rows == [(0, 1, 1, 0, 0)]
    assert read(b"{ open\n" + SOUND.encode()).open_comment == 1
