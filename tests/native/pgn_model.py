"""A slow reader of PGN files, line by line with a regular expression, to test the native one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

OUTCOMES = ("1-0", "1/2-1/2", "0-1")
TAG = re.compile(r'\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')

Game = tuple[str, str, str]


class RefusedError(Exception):
    """An error: the line, the expectation, the input."""


def counted(data: bytes) -> tuple[list[str], list[tuple[int, ...]], int]:
    """Players, rows (first, second, wins, draws, losses) and the number of games without a known result."""
    games = list(pgn_games(data))
    known = [game for game in games if game[2] in OUTCOMES]
    names = list(dict.fromkeys(name for game in known for name in game[:2]))
    rows: dict[tuple[str, str], list[int]] = {}
    for white, black, result in known:
        rows.setdefault((white, black), [0, 0, 0])[OUTCOMES.index(result)] += 1
    numbered = [(names.index(white), names.index(black), *counts) for (white, black), counts in rows.items()]
    return names, numbered, len(games) - len(known)


def pgn_games(data: bytes) -> Iterator[Game]:
    game = _PgnGame()
    text = _MoveText()
    for number, line in _lines(data):
        if text.comment_line or not line.startswith("["):
            game.moves_seen |= text.swallow(number, line) and bool(game.tags)
            continue
        for name, value in _tags(number, line):
            if game.tags and (game.moves_seen or name in game.tags):
                yield game.finished()
                game = _PgnGame()
            game.line = game.line or number
            game.tags[name] = value
    if text.comment_line:
        raise RefusedError(text.comment_line, "expected a } that closes the comment begun here", None)
    if game.tags:
        yield game.finished()


@dataclass
class _PgnGame:
    tags: dict[str, str] = field(default_factory=dict)
    line: int = 0
    moves_seen: bool = False

    def finished(self) -> Game:
        result = self.tags.get("Result", "*")
        for name in ("White", "Black"):
            if result in OUTCOMES and not self.tags.get(name):
                raise RefusedError(self.line, f'expected a tag [{name} "name"] in the game that begins here', None)
        return self.tags.get("White", ""), self.tags.get("Black", ""), result


@dataclass
class _MoveText:
    comment_line: int = 0

    def swallow(self, number: int, line: str) -> bool:
        if line.startswith("%") and not self.comment_line:
            return False
        text = line
        while text:
            if self.comment_line:
                _, closed, text = text.partition("}")
                self.comment_line = 0 if closed else self.comment_line
            else:
                before, opened, text = text.partition("{")
                if ";" in before:
                    break
                self.comment_line = number if opened else 0
        return bool(line.strip())


def _tags(number: int, line: str) -> Iterator[tuple[str, str]]:
    rest = line
    while rest:
        tag = TAG.match(rest)
        if tag is None:
            raise RefusedError(number, 'expected a tag [Name "value"]', rest[:60])
        yield tag[1], re.sub(r"\\(.)", r"\1", tag[2])
        rest = rest[tag.end() :]


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = line.decode("latin-1")
        yield number, text.rstrip("\r\n")
