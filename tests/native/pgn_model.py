"""A slow reader of PGN files, one regular expression after another over the whole text, to test the native one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

DRAWS = ("1/2-1/2", "1/2", "½-½", "½", "0.5-0.5")
LONE_RESULT = "result without a game"
OUTCOMES = {"1-0": 0, **dict.fromkeys(DRAWS, 1), "0-1": 2, "*": 3}
BLANKS = "[ \t\n\v\f\r]*"
TAG = re.compile(rf'\[{BLANKS}([A-Za-z0-9_]+){BLANKS}"((?:[^"\\]|\\.)*)"{BLANKS}\]', re.DOTALL)
NAME = re.compile(r"\[[ \t\v\f\r]*([A-Za-z0-9_]*)")
END_OF_MALFORMED = re.compile(r"\](?=[ \t\v\f\r]*(?:\[|\n|$))")
ROSTER = ("White", "Black", "Result", "Event", "Site", "Date", "Round")
PLAYERS_AND_RESULT = ROSTER[:3]
MOST_LINES, MOST_REASONS, MOST_TAG_LINES = 3, 30, 10

Reasons = list[tuple[str, int, list[int]]]


@dataclass
class LeftOut:
    reasons: dict[str, tuple[int, list[int]]] = field(default_factory=dict)

    def add(self, reason: str, line: int) -> None:
        if reason not in self.reasons and len(self.reasons) >= MOST_REASONS:
            reason = "other reasons"
        games, lines = self.reasons.get(reason, (0, []))
        self.reasons[reason] = (games + 1, [*lines, line][:MOST_LINES])

    def listed(self) -> Reasons:
        return [(reason, games, lines) for reason, (games, lines) in self.reasons.items()]


@dataclass
class Game:
    line: int
    values: dict[str, str] = field(default_factory=dict)
    malformed: set[str] = field(default_factory=set)
    moves_seen: bool = False
    swallowed: bool = False
    marker: str = ""

    def result(self) -> str:
        tag = self.values.get("Result", "").strip(" \t\n\v\f\r")
        return tag if tag not in {"", "?"} else "" if self.swallowed else self.marker

    def reason(self) -> str:
        """Why it does not count; empty if it does."""
        result = self.result()
        if "Result" in self.malformed:
            return "malformed tag Result"
        if OUTCOMES.get(result) == 3:
            return "unfinished"
        if result not in OUTCOMES:
            shown = "".join(character if _visible(character) else "?" for character in result[:20])
            return f"unknown result '{shown}{'…' if len(result) > 20 else ''}'" if result else "no result"
        return next(filter(None, map(self._about, ("White", "Black"))), "")

    def _about(self, side: str) -> str:
        if side in self.malformed:
            return f"malformed tag {side}"
        if side not in self.values:
            return f"no tag {side}"
        name = self.values[side]
        if not name or name.isspace():
            return f"the name of {side} is empty"
        return f"the name of {side} is unknown (?)" if name.strip(" \t\n\v\f\r") == "?" else ""


class Model:
    """The findings of a whole file."""

    def __init__(self, data: bytes) -> None:
        self.games: list[tuple[str, str, int]] = []
        self.left_out, self.malformed = LeftOut(), LeftOut()
        self.open_comment = 0
        text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
        self._text = "\n".join(line.rstrip("\r") for line in text.split("\n"))
        self._game: Game | None = None
        self._stray = self._depth = 0
        at = 0
        while at < len(self._text):
            at = self._take(at)
        self._end()
        self._end_stray()

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(name for game in self.games for name in game[:2]))

    @property
    def rows(self) -> list[tuple[int, ...]]:
        rows: dict[tuple[str, str], list[int]] = {}
        for white, black, outcome in self.games:
            rows.setdefault((white, black), [0, 0, 0])[outcome] += 1
        names = self.names
        return [(names.index(white), names.index(black), *counts) for (white, black), counts in rows.items()]

    def _take(self, at: int) -> int:
        """Take the token at a place, and return the place after it."""
        text = self._text
        begins_line = at == 0 or text[at - 1] == "\n"
        if text[at] == ";" or (text[at] == "%" and begins_line):
            return (text + "\n").index("\n", at)
        if text[at] == "{":
            return self._comment(at)
        if text[at] == "[":
            return self._bracket(at, begins_line)
        if text[at] in "()":
            self._depth = max(0, self._depth + (1 if text[at] == "(" else -1))
            return at + 1
        if text[at] in " \t\n\v\f\r":
            return at + 1
        end = re.compile(r"[^ \t\n\v\f\r{;()\[]+").match(text, at)
        assert end
        self._word(end[0], at)
        return end.end()

    def _line(self, at: int) -> int:
        return self._text.count("\n", 0, at) + 1

    def _comment(self, at: int) -> int:
        end = self._text.find("}", at)
        for tag in re.compile(r'\n\[White[ "]').finditer(self._text, at, len(self._text) if end < 0 else end):
            self.left_out.add("within a comment", self._line(tag.start() + 1))
            if self._game:
                self._game.swallowed = True
        if end < 0:
            self.open_comment = self._line(at)
            return len(self._text)
        return end + 1

    def _word(self, word: str, at: int) -> None:
        marker = _decoded(word)
        if self._game:
            self._game.moves_seen = True
            if marker in OUTCOMES and set(marker) & set("-*/") and not self._depth:
                self._game.marker = marker
                self._end()
        elif marker not in OUTCOMES or self._depth:
            self._stray = self._stray or self._line(at)
        else:
            self.left_out.add(*(("moves without tags", self._stray) if self._stray else (LONE_RESULT, self._line(at))))
            self._stray = 0

    def _end_stray(self) -> None:
        if self._stray:
            self.left_out.add("text without tags or result", self._stray)
        self._stray = 0

    def _bracket(self, at: int, begins_line: bool) -> int:
        tag = TAG.match(self._text, at)
        if tag and self._may_span(tag):
            game = self._begin(tag[1], self._line(at))
            if tag[1] in ROSTER:
                game.values[tag[1]] = re.sub(r"(?s)\\(.)", r"\1", _decoded(tag[2])).replace("\n", " ")
            return tag.end()
        found = NAME.match(self._text, at)
        assert found
        if found[1] not in PLAYERS_AND_RESULT and not begins_line and self._game and self._game.moves_seen:
            return at + 1
        if found[1] in PLAYERS_AND_RESULT:
            self._begin(found[1], self._line(at)).malformed.add(found[1])
        else:
            self.malformed.add("malformed", self._line(at))
        end_of_line = (self._text + "\n").index("\n", at)
        close = END_OF_MALFORMED.search(self._text, at, end_of_line)
        return close.end() if close else end_of_line

    def _may_span(self, tag: re.Match[str]) -> bool:
        """Whether no line after the first is empty or begins with a bracket, and they are few."""
        end_of_line = (self._text + "\n").index("\n", tag.end() - 1)
        _, *further = self._text[tag.start() : end_of_line].split("\n")
        return len(further) < MOST_TAG_LINES and all(line.strip() and not line.startswith("[") for line in further)

    def _begin(self, name: str, line: int) -> Game:
        game = self._game
        if game and (game.moves_seen or (name in ROSTER and name in {*game.values, *game.malformed})):
            self._end()
        if not self._game:
            self._end_stray()
            self._game, self._depth = Game(line), 0
        return self._game

    def _end(self) -> None:
        self._depth = 0
        game, self._game = self._game, None
        if game is None:
            return
        reason = game.reason()
        if reason:
            self.left_out.add(reason, game.line)
        else:
            self.games.append((game.values["White"], game.values["Black"], OUTCOMES[game.result()]))


def _decoded(text: str) -> str:
    try:
        return text.encode("latin-1").decode()
    except UnicodeDecodeError:
        return text


def _visible(character: str) -> bool:
    code = ord(character)
    hidden = [(0x7F, 0xA0), (0x200B, 0x2010), (0x2028, 0x202F), (0x2060, 0x2070), (0xFEFF, 0xFF00)]
    return code >= 0x20 and not any(low <= code < high for low, high in hidden)
