"""Lists of openings: one a line, in our notation, as Gomocup points, or as offsets from the centre.

A line may begin with another start than that of the game: a position, in most games in one word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fiedler.games.game import MOVES, START, AnyGame
from fiedler.games.openings import Opening
from fiedler.games.rule_keys import NO_RULES, GivenRules
from fiedler.support.errors import UsageError
from fiedler.support.text_file import read_text
from fiedler.tournament.schedule.opening_file.points import (
    CENTRE,
    GOMOCUP,
    OWN,
    POINT,
    board_size,
    from_centre,
    has_points,
    is_inside,
    move_at,
)
from fiedler.tournament.schedule.opening_file.soundness import FINISHED, SoundOpenings, UnsoundError

NUMBERS = re.compile(r"\s*[+-]?\d+\s*,\s*[+-]?\d+([\s,]+[+-]?\d+)*[\s,]*", re.ASCII)
"""A line of points or offsets, the numbers separated by commas or blanks."""
WORDS = re.compile(r"\s*([^\s#]\S*)((?:\s+[^\s#]\S*)*)")
"""The first word of a line, and the others up to a comment, which does not begin within a word: a start may have a `#`.
"""
COMMA_BEHIND_A_POINT = re.compile(r"\d\s*,\s*[+-]?\d+\s*,", re.ASCII)
"""Moves that are separated by commas, as in Gomocup's opening files."""
RUN = re.compile(r"(?:[a-z]\d{1,2}){2,}", re.ASCII)
"""Moves that run together: `d3e5f6d7`."""


@dataclass(frozen=True)
class LineList:
    """The openings of a list."""

    openings: list[Opening]
    coordinates: str
    doubts: tuple[str, ...]
    """Doubts about the form, where the file decides it and no number is negative."""


def read_list(game: AnyGame, path: Path, coordinates: str | None = None, rules: GivenRules = NO_RULES) -> LineList:
    """Read a list: one opening per line, moves separated by blanks, `#` comments.

    A position may stand first: the moves, if there are any, begin there, with or without `moves`. Moves are in the
    notation of the game, or as `AnyGame.read_move` takes them, and may run together (`d3e5`) where it has points; or
    points `x,y` counted from 0 at the top left (`gomocup`), or offsets from the centre (`centre`), right and down, as
    in the opening files of Gomocup. There commas may separate the moves, too. By default the file decides.

    Raises:
        UsageError: A start is wrong, a move is illegal, an opening ends the game (`file:line: ...`), or the file cannot
            be read.
    """
    lines = list(_lines(game, path))
    form = coordinates or _form(game, lines)
    sound = SoundOpenings(game, rules)
    openings = [_opening(sound, line, form) for line in lines]
    return LineList(openings, form, () if coordinates else tuple(_doubts(game, lines, form)))


def first_start(game: AnyGame, path: Path) -> str:
    """Return `FILE:LINE` of the first opening of a list that has stones at its start; empty if there is none.

    Raises:
        UsageError: The file cannot be read.
    """
    lines = enumerate(read_text(path).split("\n"), start=1)
    starts = ((number, _start_and_rest(game, text)[0]) for number, text in lines)
    return next((f"{path}:{number}" for number, start in starts if not game.is_bare(start)), "")


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


def _lines(game: AnyGame, path: Path) -> Iterator[_Line]:
    runs = has_points(game)
    for number, text in enumerate(read_text(path).split("\n"), start=1):
        start, line = _start_and_rest(game, text)
        words = tuple(_words(game.without_numbers(line), runs=runs))
        if words or start != START:
            yield _Line(f"{path}:{number}", start, words, COMMA_BEHIND_A_POINT.search(line) is not None)


def _start_and_rest(game: AnyGame, text: str) -> tuple[str, str]:
    """Return the start of a line and the moves, without a comment. A first move is a start if `moves` follows."""
    found = WORDS.match(text)
    word, rest = ("", "") if found is None else found.groups()
    following = rest.split(maxsplit=1)
    if following[:1] == [MOVES] and (word == START or game.is_notation(word)):
        return word, " ".join(following[1:])
    if not game.is_notation(word) or game.is_first_move(word.partition("#")[0]):
        return START, text.partition("#")[0]
    start, behind = game.leading_start([word, *rest.split()])
    return start, " ".join(behind[1:] if behind[:1] == [MOVES] else behind)


def _words(line: str, *, runs: bool) -> Iterator[str]:
    """Yield the moves of a line, points as `x,y`."""
    if NUMBERS.fullmatch(line):
        numbers = re.findall(r"[+-]?\d+", line)
        yield from (",".join(numbers[at : at + 2]) for at in range(0, len(numbers), 2))
        return
    for word in line.split():
        yield from re.findall(r"[a-z]\d+", word) if runs and RUN.fullmatch(word) else [word]


def _form(game: AnyGame, lines: Sequence[_Line]) -> str:
    """Return the coordinates that a file has: Gomocup's own files have offsets, some negative, between commas."""
    first = next((line.words[0] for line in lines if line.words), "")
    if not has_points(game) or not POINT.fullmatch(first):
        return OWN
    points = [point for line in lines for point in line.points]
    if any(number < 0 for point in points for number in point):
        return CENTRE
    offsets = any(line.commas for line in lines) and all(is_inside(game, from_centre(game, *point)) for point in points)
    return CENTRE if offsets else GOMOCUP


def _doubts(game: AnyGame, lines: Sequence[_Line], form: str) -> Iterator[str]:
    points = [point for line in lines for point in line.points]
    if form == OWN or any(number < 0 for point in points for number in point):
        return
    centre = board_size(game) // 2
    if form == CENTRE:
        yield f'no offset is negative; if these are points from the top left, set coordinates = "{GOMOCUP}"'
    elif len(points) > 1 and all(max(point) < centre for point in points):
        yield f'every point is in the top left quarter; if these are offsets, set coordinates = "{CENTRE}"'


def _opening(sound: SoundOpenings, line: _Line, form: str) -> Opening:
    moves = line.words
    if form != OWN:
        moves = tuple(move_at(sound.game, word, form, line.where) for word in line.words)
    try:
        return sound.opening(line.start, moves)
    except UnsoundError as error:
        offsets = form == OWN and line.points and str(error) != FINISHED
        hint = f'; offsets from the centre are coordinates = "{CENTRE}"' if offsets else ""
        raise UsageError(f"{line.where}: {error}{hint}") from error
