"""From the lines of a correct dialogue to a stream of bytes that is nearly right."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.protocol.fuzz.tape import Tape

TOO_LONG = b"y" * 70_000
"""More than a line may have."""
ODD = [
    b"", b" ", b"\t", b"\x00", b"\xff", b"\xc3", b"\r", b"\n", b"\xe2\x80\xae", b"\xf0\x9f\x8e\xb2", b"\x1b[31m", b"-1",
    b"0", b"1e9", b"99999999999999999999", b"2147483648", b"0x10", "٣".encode(), b"1.5", b"nan", b"a" * 130, b"1 " * 90,
    b"#", b"=", b"?", b"%s", b"'", b'"', b"../x", b"none", b"null", b"startpos",
]  # fmt: skip
"""Pieces that a careless reader takes wrong."""


def _drop(tape: Tape, lines: list[bytes], _: Sequence[bytes]) -> None:
    del lines[tape.below(len(lines))]


def _repeat(tape: Tape, lines: list[bytes], _: Sequence[bytes]) -> None:
    lines.insert(tape.below(len(lines) + 1), tape.choice(lines))


def _swap(tape: Tape, lines: list[bytes], _: Sequence[bytes]) -> None:
    one, other = tape.below(len(lines)), tape.below(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def _cut(tape: Tape, lines: list[bytes], _: Sequence[bytes]) -> None:
    at = tape.below(len(lines))
    lines[at] = lines[at][: tape.below(len(lines[at]) + 1)]


def _join(tape: Tape, lines: list[bytes], _: Sequence[bytes]) -> None:
    at = tape.below(len(lines))
    lines[at : at + 2] = [tape.choice((b"", b" ", b"\r")).join(lines[at : at + 2])]


def _change_word(tape: Tape, lines: list[bytes], words: Sequence[bytes]) -> None:
    at = tape.below(len(lines))
    parts = lines[at].split(b" ")
    parts[tape.below(len(parts))] = tape.choice(tape.choice((words, ODD)))
    lines[at] = b" ".join(parts)


def _add_word(tape: Tape, lines: list[bytes], words: Sequence[bytes]) -> None:
    at = tape.below(len(lines))
    parts = lines[at].split(b" ")
    parts.insert(tape.below(len(parts) + 1), tape.choice(tape.choice((words, ODD))))
    lines[at] = b" ".join(parts)


def _add_line(tape: Tape, lines: list[bytes], words: Sequence[bytes]) -> None:
    line = b" ".join(tape.choice(words) for _ in range(tape.below(6)))
    lines.insert(tape.below(len(lines) + 1), line)


def _binary(tape: Tape, lines: list[bytes], _: Sequence[bytes]) -> None:
    lines.insert(tape.below(len(lines) + 1), tape.take(tape.below(20)))


def _change_byte(tape: Tape, lines: list[bytes], _: Sequence[bytes]) -> None:
    at = tape.below(len(lines))
    place = tape.below(len(lines[at]) + 1)
    lines[at] = lines[at][:place] + tape.take(1) + lines[at][place + tape.below(2) :]


def _case(tape: Tape, lines: list[bytes], _: Sequence[bytes]) -> None:
    at = tape.below(len(lines))
    lines[at] = lines[at].swapcase()


def _lengthen(tape: Tape, lines: list[bytes], _: Sequence[bytes]) -> None:
    if tape.chance(16):  # they cost much time
        lines.insert(tape.below(len(lines) + 1), tape.choice((TOO_LONG, lines[0] + b" " * 66_000, b"7 " * 33_000)))


Mutation = Callable[[Tape, list[bytes], Sequence[bytes]], None]
MUTATIONS: Sequence[Mutation] = (
    _drop, _repeat, _swap, _cut, _join, _change_word, _add_word, _change_word, _add_line, _binary, _change_byte, _case,
    _lengthen,
)  # fmt: skip
MOST_MUTATIONS = (0, 1, 1, 2, 2, 3, 5, 9)


def mutated(tape: Tape, lines: Sequence[str], words: Sequence[bytes]) -> bytes:
    """Return the lines as bytes, after some mutations."""
    found = [line.encode() for line in lines]
    for _ in range(tape.choice(MOST_MUTATIONS)):
        tape.choice(MUTATIONS)(tape, found, words) if found else found.append(tape.choice(words))
    end = tape.choice((b"\n", b"\n", b"\n", b"\r\n"))
    return end.join(found) + (b"" if tape.chance(6) else end)


def portions(tape: Tape, stream: bytes) -> list[bytes]:
    """Cut a stream at up to eight places."""
    places = sorted(tape.below(min(len(stream), 65_535) + 1) for _ in range(tape.below(9)))
    return [stream[start:end] for start, end in zip([0, *places], [*places, len(stream)], strict=True)]
