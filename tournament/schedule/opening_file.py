"""Opening files: one opening per line, in our notation, as Gomocup points, or as offsets from the centre.

A line may begin with another start than that of the game: a position in one word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import games
from games.errors import IllegalMoveError, PositionError
from games.game import MOVES, START
from games.openings import Opening
from games.position import fills_cells, has_grid
from games.rule_keys import NO_RULES, GivenRules
from support.errors import UsageError, nearest
from support.text_file import read_text

POINT = re.compile(r"([+-]?\d{1,3}),([+-]?\d{1,3})", re.ASCII)
"""A point or an offset."""
NUMBERS = re.compile(r"\s*[+-]?\d+\s*,\s*[+-]?\d+([\s,]+[+-]?\d+)*[\s,]*", re.ASCII)
"""A line of points or offsets, the numbers separated by commas or blanks."""
WORDS = re.compile(r"\s*([^\s#]\S*)((?:\s+[^\s#]\S*)*)")
"""The first word of a line, and the others up to a comment, which does not begin within a word: a start may have a `#`.
"""
COMMA_BEHIND_A_POINT = re.compile(r"\d\s*,\s*[+-]?\d+\s*,", re.ASCII)
"""Moves that are separated by commas, as in Gomocup's opening files."""
RUN = re.compile(r"(?:[a-z]\d{1,2}){2,}", re.ASCII)
"""Moves that run together: `d3e5f6d7`."""
OWN, GOMOCUP, CENTRE = "own", "gomocup", "centre"
COORDINATES = (OWN, GOMOCUP, CENTRE)
"""Values of `[openings] coordinates`."""
ALIASES = {"center": CENTRE}
"""Other spellings of them."""
SHIPPED = Path(__file__).parents[2] / "configs" / "openings"
"""Folder of the lists in the project, also in an installed wheel."""


@dataclass(frozen=True)
class OpeningFile:
    """The openings of a file."""

    openings: list[Opening]
    coordinates: str
    warnings: tuple[str, ...]
    """Doubts about the form, where the file decides it and no number is negative."""

    @classmethod
    def read(
        cls, game: games.AnyGame, path: Path, coordinates: str | None = None, rules: GivenRules = NO_RULES
    ) -> Self:
        """Read an opening file: one opening per line, moves separated by blanks, `#` comments.

        A position in one word may stand first: the moves, if there are any, begin there, with or without `moves`.
        Moves are in the notation of the game, and may run together (`d3e5`) where it has points; or points `x,y`
        counted from 0 at the top left (`gomocup`), or offsets from the centre (`centre`), right and down, as in the
        opening files of Gomocup. There commas may separate the moves, too. By default the file decides. A start that
        names no rules has `rules`.

        Raises:
            UsageError: a start is wrong or has other rules, a move is illegal, an opening ends the game
                (`file:line: ...`), or the file is empty or cannot be read.

        """
        lines = list(_lines(game, path))
        if not lines:
            raise UsageError(f"{path}: expected at least one opening, got none")
        form = ALIASES.get(coordinates or "", coordinates) or _form(game, lines)
        openings = [_opening(game, line, form, rules) for line in lines]
        doubts = () if coordinates else tuple(f"{path}: {doubt}" for doubt in _doubts(game, lines, form))
        return cls(openings, form, doubts)


def opening_path(folder: Path, file: str) -> Path:
    """Return the path of an opening file: relative to `folder`, or a shipped list by its name without an extension.

    Raises:
        UsageError: there is no such file.

    """
    path = folder / file
    if path.is_file():
        return path
    lists = {path.stem: path for path in SHIPPED.glob("*.txt")}
    if file in lists:
        return lists[file]
    raise UsageError(f"no such file: {path}{nearest(file, lists)}")


@dataclass(frozen=True)
class _Line:
    where: str
    start: str
    """The position in one word before the moves."""
    words: tuple[str, ...]
    commas: bool
    """Whether commas separate the moves."""

    @property
    def points(self) -> list[tuple[int, int]]:
        """The words that are two numbers."""
        return [(int(found[1]), int(found[2])) for found in map(POINT.fullmatch, self.words) if found]


def _lines(game: games.AnyGame, path: Path) -> Iterator[_Line]:
    runs = has_points(game)
    for number, text in enumerate(read_text(path).split("\n"), start=1):
        start, line = _start_and_rest(game, text)
        words = tuple(_words(line, runs=runs))
        if words or start != START:
            yield _Line(f"{path}:{number}", start, words, COMMA_BEHIND_A_POINT.search(line) is not None)


def _start_and_rest(game: games.AnyGame, text: str) -> tuple[str, str]:
    """Return the start of a line and the moves, without a comment. A first move is a start if `moves` follows."""
    found = WORDS.match(text)
    word, rest = ("", "") if found is None else found.groups()
    following = rest.split(maxsplit=1)
    if following[:1] == [MOVES] and (word == START or game.is_notation(word)):
        return word, " ".join(following[1:])
    if not game.is_notation(word) or game.is_first_move(word.partition("#")[0]):
        return START, text.partition("#")[0]
    return word, rest


def first_start(game: games.AnyGame, path: Path) -> str:
    """Return `FILE:LINE` of the first opening of a file that has stones at its start; empty if there is none.

    Raises:
        UsageError: The file cannot be read.
    """
    lines = enumerate(read_text(path).split("\n"), start=1)
    starts = ((number, _start_and_rest(game, text)[0]) for number, text in lines)
    return next((f"{path}:{number}" for number, start in starts if not game.is_bare(start)), "")


def _words(line: str, *, runs: bool) -> Iterator[str]:
    """Yield the moves of a line, points as `x,y`."""
    if NUMBERS.fullmatch(line):
        numbers = re.findall(r"[+-]?\d+", line)
        yield from (",".join(numbers[at : at + 2]) for at in range(0, len(numbers), 2))
        return
    for word in line.split():
        yield from re.findall(r"[a-z]\d+", word) if runs and RUN.fullmatch(word) else [word]


def _form(game: games.AnyGame, lines: Sequence[_Line]) -> str:
    """Return the coordinates that a file has: Gomocup's own files have offsets, some negative, between commas."""
    first = next((line.words[0] for line in lines if line.words), "")
    if not has_points(game) or not POINT.fullmatch(first):
        return OWN
    points = [point for line in lines for point in line.points]
    if any(number < 0 for point in points for number in point):
        return CENTRE
    offsets = any(line.commas for line in lines) and all(_inside(game, _from_centre(game, *point)) for point in points)
    return CENTRE if offsets else GOMOCUP


def _doubts(game: games.AnyGame, lines: Sequence[_Line], form: str) -> Iterator[str]:
    points = [point for line in lines for point in line.points]
    if form == OWN or any(number < 0 for point in points for number in point):
        return
    centre = _size(game) // 2
    if form == CENTRE:
        yield f'no offset is negative; if these are points from the top left, set coordinates = "{GOMOCUP}"'
    elif len(points) > 1 and all(max(point) < centre for point in points):
        yield f'every point is in the top left quarter; if these are offsets, set coordinates = "{CENTRE}"'


def _opening(game: games.AnyGame, line: _Line, form: str, rules: GivenRules) -> Opening:
    moves = line.words if form == OWN else tuple(_move_at(game, word, form, line.where) for word in line.words)
    hint = f'; offsets from the centre are coordinates = "{CENTRE}"' if form == OWN and line.points else ""
    try:
        start = game.with_rules(line.start, rules)
    except UsageError as error:
        raise UsageError(f"{line.where}: {error}") from None
    return Opening(moves, _checked_start(game, start, moves, line.where, hint))


def has_points(game: games.AnyGame) -> bool:
    """Return whether a move of the game is a point of a square board, for Gomocup coordinates."""
    position = game.position()
    if not fills_cells(position):
        return False
    _, rows, columns = position.planes_shape
    return len(position.cells) == rows * columns == position.num_actions and rows == columns


def _size(game: games.AnyGame) -> int:
    start = game.position()
    assert has_grid(start), "a game with points"
    return start.planes_shape[2]


def _from_centre(game: games.AnyGame, x: int, y: int) -> tuple[int, int]:
    """Return the point of an offset; the centre of 15×15 is 7,7, that of 20×20 is 10,10."""
    centre = _size(game) // 2
    return x + centre, y + centre


def _inside(game: games.AnyGame, point: tuple[int, int]) -> bool:
    return all(0 <= number < _size(game) for number in point)


def _move_at(game: games.AnyGame, word: str, form: str, where: str) -> str:
    """Return the point or the offset `x,y` in our notation."""
    found = POINT.fullmatch(word)
    if not found:
        wanted = "a point x,y from the top left" if form == GOMOCUP else "an offset x,y from the centre"
        raise UsageError(f"{where}: expected {wanted}, got {word!r}")
    given = int(found[1]), int(found[2])
    x, y = point = _from_centre(game, *given) if form == CENTRE else given
    if not _inside(game, point):
        raise UsageError(f"{where}: {_range(game, form)}, got {word!r}{_hint(form, min(given))}")
    return f"{chr(ord('a') + x)}{_size(game) - y}"


def _range(game: games.AnyGame, form: str) -> str:
    size, least = _size(game), -(_size(game) // 2) if form == CENTRE else 0
    what = "an offset" if form == CENTRE else "a point"
    return f"expected {what} from {least},{least} to {least + size - 1},{least + size - 1}"


def _hint(form: str, least: int) -> str:
    return f'; offsets from the centre are coordinates = "{CENTRE}"' if form == GOMOCUP and least < 0 else ""


def _checked_start(game: games.AnyGame, start: str, moves: Sequence[str], where: str, hint: str) -> str:
    """Return the start of a sound opening as the game writes it."""
    try:
        begin, position = game.position(start), game.position(start, moves)
    except (PositionError, IllegalMoveError) as error:
        raise UsageError(f"{where}: {error}{hint}") from error
    if position.result is not None:
        raise UsageError(f"{where}: expected an opening, got a finished game")
    return START if start == START or str(begin) == str(game.position()) else str(begin)
