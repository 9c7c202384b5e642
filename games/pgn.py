"""One game as PGN: tags, moves in our own notation, and always a result. The first player is White.

A number is that of a turn, in which White moves and then Black, each of them once or several times in a row:
`1. a 1. b 1... c 1... d 2. e`. A move that readers of PGN would not take as one word has percent codes: `(a)` is
`%28a%29`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest

from fiedler.games.result import UNFINISHED, Result
from fiedler.games.sides import side_at

WIDTH = 79
_CODED = re.compile(r"[(){}\[\];%$\s]")
"""The characters of a move that have another meaning in PGN, or that write another one."""
RESULTS = (UNFINISHED, *Result)
"""The words that end a game."""


def end_tags(result: str, *, resigned: bool) -> dict[str, str]:
    """Return the tags of the end of a game that no failure can end: by the rules, by resignation, or not yet."""
    if result == UNFINISHED:
        return {"Termination": "unterminated"}
    return {"Termination": "normal", "TerminationDetail": "resignation" if resigned else "rules"}


def pgn_of(
    tags: Mapping[str, str],
    moves: Sequence[str],
    result: str,
    comments: Sequence[str] = (),
    *,
    sides: str = "",
) -> str:
    """Return the game, ended by an empty line.

    `comments` are those of the first moves; an empty one is left out. `sides` are those of the moves: `games/sides.py`.
    """
    head = "\n".join(f'[{name} "{_escaped(value)}"]' for name, value in tags.items())
    return f"{head}\n\n{_wrapped([*_numbered(moves, comments, sides), result])}\n\n"


def start_tags(start: str) -> dict[str, str]:
    """Return the tags of a game that begins at another position, in one word, than the start of the game."""
    return {"SetUp": "1", "FEN": start}


@lru_cache(maxsize=4096)
def pgn_word(move: str) -> str:
    """Return a move as PGN has it; percent-decoding, as of addresses of the web, is the inverse."""
    word = _CODED.sub(lambda found: _code(found[0]), move)
    return _code(word[0]) + word[1:] if word in RESULTS else word


def _code(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def _escaped(value: str) -> str:
    if not value.isprintable():
        value = "".join(character if character.isprintable() else " " for character in value)
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _numbered(moves: Sequence[str], comments: Sequence[str], sides: str) -> Iterator[str]:
    """Yield the moves with a number before each of White's, and before one of Black's that follows none of White's.

    Their comments follow in braces.
    """
    turn, last = 1, 1
    for ply, (move, comment) in enumerate(zip_longest(moves, comments, fillvalue="")):
        side = side_at(sides, ply)
        turn += ply > 0 and side < last
        word, number = pgn_word(move), f"{turn}..." if side else f"{turn}."
        if word.startswith("%"):  # at the beginning of a line it would be a comment
            word = f"{number} {word}"
        elif last or not side:
            yield number
        last = side
        yield word
        if comment:
            yield f"{{{comment}}}"


def _wrapped(tokens: Iterable[str]) -> str:
    """Put tokens into lines of at most WIDTH characters; textwrap would take ten times as long."""
    lines: list[str] = []
    line = ""
    for token in tokens:
        if not line:
            line = token
        elif len(line) + 1 + len(token) > WIDTH:
            lines.append(line)
            line = token
        else:
            line = f"{line} {token}"
    return "\n".join([*lines, line])
