"""Openings: a start and the first moves; random ones, all different up to the symmetries of the game."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Iterator
from itertools import cycle, repeat
from typing import NamedTuple

from fiedler.games.game import START, AnyGame
from fiedler.games.position import Position, Symmetric, has_grid, has_symmetries
from fiedler.games.registry import GO

ENUMERATED = 5000
"""Up to this number of distinct openings, all are listed and shuffled; beyond, they are drawn at random."""
DRAWS_PER_OPENING = 200
"""The number of random draws without a new opening that ends the drawing."""


class Opening(NamedTuple):
    """The beginning of a game."""

    moves: tuple[str, ...] = ()
    start: str = START
    """The position before them, in one word."""

    def __str__(self) -> str:
        """Return the words of a line: the moves, after the start if it is not that of the game."""
        return " ".join(self.moves if self.start == START else (self.start, *self.moves))


def identity(position: Position) -> Hashable:
    """Return a value that is equal for symmetric positions; in a game without symmetries for equal ones.

    In Go it is that of the board and the side to move: the order of the moves does not matter.
    """
    if position.game in GO:
        return _canonical_board(position)
    return canonical_key(position) if has_symmetries(position) else str(position)


def canonical_key(position: Symmetric) -> int:
    """Return a 64-bit number that is equal for symmetric positions."""
    return min(position.transformed(symmetry).key for symmetry in range(position.num_symmetries))


def _canonical_board(position: Position) -> tuple[int, bytes]:
    """Return the side to move, and the least of the symmetric boards; the key of Go has the earlier boards, too."""
    assert has_symmetries(position), "a board with symmetries"
    boards = (position.transformed(symmetry) for symmetry in range(position.num_symmetries))
    return position.side_to_move, min(one.cells for one in boards if has_grid(one))


def candidates(game: AnyGame, plies: int, seed: int, start: str = START) -> Iterator[Opening]:
    """Yield openings of `plies` random moves, distinct up to the game's symmetries, none of them over.

    `start` is START, or differs from it by its rules alone.
    """
    if plies == 0:
        return iter([Opening(start=start)])
    rng = random.Random(f"openings {game.id} {plies} {seed}")
    every = _enumerate(game, plies, start)
    if every is None:
        return draw(game, plies, rng, DRAWS_PER_OPENING, repeat(start))
    rng.shuffle(every)
    return iter(every)


def from_random_starts(game: AnyGame, plies: int, seed: int) -> Iterator[Opening]:
    """Yield openings of `plies` random moves from the starts of a game in random order, distinct as in `candidates`.

    Every start has an opening before one has two.
    """
    rng = random.Random(f"starts {game.id} {plies} {seed}")
    numbers = rng.sample(range(game.num_starts), game.num_starts)
    own = str(game.position())
    starts = [START if (start := game.numbered_start(number)) == own else start for number in numbers]
    if plies == 0:
        return (Opening(start=start) for start in starts)
    return draw(game, plies, rng, DRAWS_PER_OPENING, starts=cycle(starts))


def draw(
    game: AnyGame, plies: int, rng: random.Random, patience: int, starts: Iterable[str] = repeat(START)
) -> Iterator[Opening]:
    """Yield such openings in the order of the draws, until `patience` consecutive draws give no new one."""
    seen: set[Hashable] = set()
    failures = 0
    for start in starts:
        if failures == patience:
            return
        position, opening = _random_line(game, plies, rng, start)
        key = identity(position)
        if position.result is not None or key in seen:
            failures += 1
            continue
        failures = 0
        seen.add(key)
        yield opening


def _enumerate(game: AnyGame, plies: int, start: str) -> list[Opening] | None:
    """Return every opening, one of each class, in a fixed order; None if there are more than ENUMERATED on the way."""
    level: dict[Hashable, tuple[Position, Opening]] = {0: (game.position(start), Opening(start=start))}
    for _ in range(plies):
        following: dict[Hashable, tuple[Position, Opening]] = {}
        for position, opening in level.values():
            for child, move in _children(position):
                following.setdefault(identity(child), (child, Opening((*opening.moves, move), start)))
            if len(following) > ENUMERATED:
                return None
        level = following
        if not level:
            break
    return [opening for _, opening in level.values()]


def _children(position: Position) -> Iterator[tuple[Position, str]]:
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        if child.result is None:
            yield child, position.move_text(move)


def _random_line(game: AnyGame, plies: int, rng: random.Random, start: str) -> tuple[Position, Opening]:
    position = game.position(start)
    moves: list[str] = []
    while len(moves) < plies and position.result is None:
        move = rng.choice(position.legal_moves())
        moves.append(position.move_text(move))
        position.play(move)
    return position, Opening(tuple(moves), start)
