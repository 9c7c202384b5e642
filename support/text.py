"""Counts with their plural, durations and probabilities as text."""

from __future__ import annotations

import math
from collections.abc import Sequence


def counted(number: int, thing: str) -> str:
    """Return `1 pair`, `2 pairs`, `2 plies`."""
    if number == 1:
        return f"1 {thing}"
    return f"{number} {thing[:-1]}ies" if thing.endswith(("ly", "ry")) else f"{number} {thing}s"


def listed(names: Sequence[str]) -> str:
    """Return `A`, `A and B`, `A, B and C`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def lines_text(lines: Sequence[int], number: int) -> str:
    """Return `line 3`, `lines 3, 9`, `lines 3, 9 …`: the first ones of a number of lines."""
    more = " …" if number > len(lines) else ""
    return f"line{'s' * (number != 1)} {', '.join(map(str, lines))}{more}"


def only_left(names: Sequence[str]) -> str:
    """Return the statement that no other players are left."""
    return f"only {listed(names)} {'is' if len(names) == 1 else 'are'} left" if names else "no player is left"


def duration(seconds: float) -> str:
    """Return a time in its two largest units: `8 s`, `3 min 10 s`, `2 h 05 min`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def whole_percent(probability: float) -> int:
    """Return a probability as whole percent, halves rounded up: 0 means less than ½, 100 means 99½ and more."""
    return math.floor(100 * probability + 0.5)


def chance(probability: float) -> str:
    """Return a probability as whole percent without the sign: `<1` and `>99` at the ends, `?` if it is unknown.

    A probability from games is never certain, so neither 0 nor 100 is printed.
    """
    if math.isnan(probability):
        return "?"
    return {0: "<1", 100: ">99"}.get(percent := whole_percent(probability), str(percent))


def percent_text(probability: float) -> str:
    """Return a probability with its relation: `= 97 %`, `> 99 %`."""
    text = chance(probability)
    return f"{text[0]} {text[1:]} %" if text[0] in "<>" else f"= {text} %"


def p_text(p_value: float) -> str:
    """Return the p-value of a test with its relation: `p = 0.13`, `p = 0.044`, `p < 0.001`, `p unknown`."""
    if math.isnan(p_value):
        return "p unknown"
    if p_value < 0.001:
        return "p < 0.001"
    return f"p = {p_value:.2f}" if p_value >= 0.0995 else f"p = {p_value:.2g}"
