"""Openings from a book of PolyGlot: lines whose moves are drawn by their weights."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from pathlib import Path

from fiedler.games.chess import ChessGame
from fiedler.games.openings import Opening, identity
from fiedler.games.polyglot import PolyglotBook
from fiedler.native import Position

DRAWS_IN_VAIN = 1000
"""Consecutive draws without a new position that end the drawing."""


def book_lines(game: ChessGame, path: Path, plies: int, seed: int) -> Iterator[Opening]:
    """Yield lines of `plies` moves of a book, shorter where it ends; no two have the same last position.

    Raises:
        UsageError: The file is not a book for the start of the game.
    """
    book = PolyglotBook(game, path)
    generator = random.Random(f"book {game.id} {plies} {seed}")
    seen: set[Hashable] = set()
    in_vain = 0
    while in_vain < DRAWS_IN_VAIN:
        position, opening = _drawn(game, book, plies, generator)
        in_vain += 1
        if position.result is None and (key := identity(position)) not in seen:
            seen.add(key)
            in_vain = 0
            yield opening


def _drawn(game: ChessGame, book: PolyglotBook, plies: int, generator: random.Random) -> tuple[Position, Opening]:
    position, last, names = game.position(), None, list[str]()
    while len(names) < plies and (moves := book.moves(position, last)):
        last = generator.choices([*moves], [*moves.values()])[0]
        names.append(position.move_text(last))
        position.play(last)
    return position, Opening(tuple(names))
