"""ISAAC-64, a generator of random numbers that Bob Jenkins gave to the public domain (1996).

Its numbers from a seed of zeros are those by which PolyGlot's books name positions.
"""

from __future__ import annotations

from collections.abc import Iterator

_SIZE = 256
_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C13
"""The golden ratio, from which the state begins."""
_MIXES = ((9, False), (9, True), (23, False), (15, True), (14, False), (20, True), (17, False), (14, True))
"""The shifts of the eight steps of a mix, and whether they are to the left."""


def isaac64() -> Iterator[int]:
    """Yield the numbers of 64 bits from a seed of zeros; those of each round from the last to the first."""
    memory = _seeded()
    a = b = count = 0
    while True:
        count += 1
        b, results = (b + count) & _WORD, list[int]()
        for place in range(_SIZE):
            old = memory[place]
            a = (_stirred(a, place % 4) + memory[(place + _SIZE // 2) % _SIZE]) & _WORD
            new = memory[place] = (memory[(old >> 3) % _SIZE] + a + b) & _WORD
            b = (memory[(new >> 11) % _SIZE] + old) & _WORD
            results.append(b)
        yield from reversed(results)


def _stirred(a: int, step: int) -> int:
    if step == 0:
        return ~(a ^ (a << 21)) & _WORD
    if step == 1:
        return a ^ (a >> 5)
    return (a ^ (a << 12)) & _WORD if step == 2 else a ^ (a >> 33)


def _seeded() -> list[int]:
    """Return the memory after two passes over a seed of zeros."""
    words = [_GOLDEN] * 8
    for _ in range(4):
        _mix(words)
    memory = [0] * _SIZE
    for _ in range(2):
        for start in range(0, _SIZE, 8):
            words = [(word + memory[start + place]) & _WORD for place, word in enumerate(words)]
            _mix(words)
            memory[start : start + 8] = words
    return memory


def _mix(words: list[int]) -> None:
    for place, (shift, left) in enumerate(_MIXES):
        last, mixed = (place + 7) % 8, (place + 5) % 8
        words[place] = (words[place] - words[(place + 4) % 8]) & _WORD
        words[mixed] ^= (words[last] << shift) & _WORD if left else words[last] >> shift
        words[last] = (words[last] + words[place]) & _WORD
