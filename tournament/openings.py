"""How games begin: random openings distinct up to symmetry, or the lines of a file."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import games
import native
from games import UsageError
from tournament.schedule import Schedule

Opening = tuple[str, ...]

ENUMERATED = 5000
"""up to so many distinct openings all of them are listed and shuffled; beyond, they are drawn at random"""
DRAWS_PER_OPENING = 200
"""random draws without a new opening after which we stop drawing"""


class OpeningList:
    """The openings of a run, in the order in which every pair plays them; found as they are needed."""

    def __init__(self, schedule: Schedule) -> None:
        """Read the file, or find the first opening. Raises UsageError where there is none."""
        self._schedule = schedule
        self._game = games.game(schedule.tournament.game)
        self._file = schedule.openings.file
        self.found: list[Opening] = []
        self._complete = False
        self.extend(1)

    def __call__(self, turn: int) -> Opening:
        """Return the opening number `turn`, from 0; openings that are too few are used again in order."""
        self.extend(turn + 1)
        return self.found[turn % len(self.found)]

    def short_of(self, needed: int) -> bool:
        """Return whether distinct openings, which were asked for, are fewer than that."""
        self.extend(needed)
        return bool(self._file or self._schedule.openings.plies) and len(self.found) < needed

    def extend(self, count: int) -> None:
        """Find up to `count` openings."""
        if count <= len(self.found) or self._complete:
            return
        if self._file is not None:
            self.found, self._complete = read_openings(self._game, Path(self._schedule.folder) / self._file), True
            return
        plies, wanted = self._schedule.openings.plies, max(count, 2 * len(self.found))
        self.found = openings(self._game, plies, wanted, self._schedule.tournament.seed)
        self._complete = len(self.found) < wanted
        if not self.found:
            wrong = f"every game of {self._game.id} is over after {plies} plies"
            raise self._schedule.error("openings.plies", wrong)


def openings(game: games.Game, plies: int, count: int, seed: int) -> list[Opening]:
    """Return up to `count` openings of `plies` random moves, distinct up to the game's symmetries, none of them over.

    The list for a smaller count is a prefix of the list for a larger one. Fewer than `count` only if there are no more.
    """
    if plies == 0:
        return [()]
    rng = random.Random(f"openings {game.id} {plies} {seed}")
    every = _enumerate(game, plies)
    if every is None:
        return list(_draw(game, plies, count, rng))
    rng.shuffle(every)
    return every[:count]


def read_openings(game: games.Game, path: Path) -> list[Opening]:
    """Read an opening file: one a line, moves separated by blanks, `#` comments.

    Raises:
        UsageError: `file:line: ...` for an illegal move or an opening that ends the game; also for a file that is
            empty or cannot be read.

    """
    found = []
    for number, line in enumerate(_read(path).splitlines(), start=1):
        moves = tuple(line.partition("#")[0].split())
        if moves:
            _check(game, moves, f"{path}:{number}")
            found.append(moves)
    if not found:
        raise UsageError(f"{path}: expected at least one opening, got none")
    return found


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected UTF-8 text, got byte {error.object[error.start]:#04x}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from error


def _check(game: games.Game, moves: Opening, where: str) -> None:
    try:
        position = game.position("startpos", moves)
    except native.IllegalMoveError as error:
        raise UsageError(f"{where}: {error}") from error
    if position.result is not None:
        raise UsageError(f"{where}: expected an opening, got a finished game")


def canonical_key(position: native.Position) -> int:
    """Return a 64-bit number that is the same for positions that are symmetric to each other."""
    return min(position.transformed(symmetry).key for symmetry in range(position.num_symmetries))


def _enumerate(game: games.Game, plies: int) -> list[Opening] | None:
    """Return every opening, one of each class, in a fixed order; None if there are more than ENUMERATED on the way."""
    level: dict[int, tuple[native.Position, Opening]] = {0: (game.position(), ())}
    for _ in range(plies):
        following: dict[int, tuple[native.Position, Opening]] = {}
        for position, moves in level.values():
            for child, move in _children(position):
                following.setdefault(canonical_key(child), (child, (*moves, move)))
            if len(following) > ENUMERATED:
                return None
        level = following
        if not level:
            break
    return [moves for _, moves in level.values()]


def _children(position: native.Position) -> Iterator[tuple[native.Position, str]]:
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        if child.result is None:
            yield child, position.move_text(move)


def _draw(game: games.Game, plies: int, count: int, rng: random.Random) -> Iterator[Opening]:
    seen: set[int] = set()
    failures = 0
    while len(seen) < count and failures < DRAWS_PER_OPENING:
        position, moves = _random_line(game, plies, rng)
        key = canonical_key(position)
        if position.result is not None or key in seen:
            failures += 1
            continue
        failures = 0
        seen.add(key)
        yield moves


def _random_line(game: games.Game, plies: int, rng: random.Random) -> tuple[native.Position, Opening]:
    position = game.position()
    moves: list[str] = []
    while len(moves) < plies and position.result is None:
        move = rng.choice(position.legal_moves())
        moves.append(position.move_text(move))
        position.play(move)
    return position, tuple(moves)
