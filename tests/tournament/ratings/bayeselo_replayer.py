"""Replays the original program: the same dialogue over pipes, with recorded answers.

    python bayeselo_replayer.py CASE.json [OUTCOME]

It accepts a PGN file only if its games are those of the case, with any names of the players, and prints the recorded
tables with these names. An answer is recorded for a state: the earlier commands that change it. Any other command ends
the program. A likelihood of superiority that was not recorded is answered as if the program had none.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

BANNER = "version 0057, recorded\n\n\n\n\n\nResultSet>"
QUERIES = {"scale", "advantage", "drawelo", "likelihood", "ratings", "details"}
INTERVALS = {"covariance", "exactdist"}  # they change the columns + and - only
GAME = re.compile(r'\[White "(.*)"\]\n\[Black "(.*)"\]\n\[Result "(.*)"\]\n\n(.*)\n\n')
Key = tuple[tuple[str, ...], str]
OUTCOMES = ("1-0", "1/2-1/2", "0-1")


class Replayer:
    def __init__(self, case: Any) -> None:
        self.case = case
        self.names: list[str] = []
        self.state: tuple[str, ...] = ()
        self.answers = recorded_answers(case)

    def answer(self, line: str) -> str:
        command, _, argument = line.partition(" ")
        if command == "echo":
            return argument + "\n"
        if line == "prompt off":
            return "off\n"
        if command == "readpgn":
            return self.load(Path(argument))
        if line == "elo":
            return ""
        if line == "offset 0":  # it is 0 in the recorded version anyway
            return "0\n"
        if line not in QUERIES and command != "los":
            self.state = (*self.state, line)
        return self.renamed(line, self.look_up(line))

    def load(self, path: Path) -> str:
        """Read the games, report on standard error, and check that they are the case's, players numbered in order."""
        games = [match.groups() for match in GAME.finditer(path.read_text(encoding="ascii"))]
        self.names = list(dict.fromkeys(itertools.chain.from_iterable(game[:2] for game in games)))
        found = Counter((self.names.index(white), self.names.index(black), result) for white, black, result, _ in games)
        expected = Counter(
            {
                (first, second, outcome): count
                for first, second, *counts in self.case["results"]
                for outcome, count in zip(OUTCOMES, counts, strict=True)
                if count
            }
        )
        if found != expected:
            sys.exit("these are not the recorded games")
        sys.stderr.write(f"{len(games)} game(s) loaded, 0 game(s) with unknown result ignored.\r\n")
        sys.stderr.flush()
        return ""

    def look_up(self, line: str) -> bytes:
        key = key_of(self.state, line)
        if key not in self.answers and line.startswith("los"):
            return self.no_los()
        if key not in self.answers and line not in INTERVALS:
            sys.exit(f"not recorded: {line} after {self.state}")
        return self.answers.get(key, b"")

    def no_los(self) -> bytes:
        """What the program prints where it has no LOS: the names of the case, and the number that stands for nan."""
        names = [name.encode()[:63] for name in self.case["players"]]
        width = max(map(len, names))
        cells = b"-2147483648" * (len(names) - 1)
        return b"header\n" + b"".join(name.ljust(width) + b" " + cells + b"\n" for name in names)

    def renamed(self, line: str, text: bytes) -> str:
        """Put the loaded names where the recorded tables have those of the case."""
        if line != "ratings" and not line.startswith("los"):
            return text.decode()
        old = [name.encode()[:63] for name in self.case["players"]]
        width = max(map(len, old))
        header, *rows = text.removesuffix(b"\n").split(b"\n")
        at = 5 if line == "ratings" else 0
        number = {name.ljust(width): place for place, name in enumerate(old)}
        order = [number[row[at : at + width]] for row in rows]
        names = [self.names[place].ljust(max(map(len, self.names))) for place in order]
        lines = [row[:at].decode() + name + row[at + width :].decode() for row, name in zip(rows, names, strict=True)]
        if at:
            top = header[:at].decode() + "Name".ljust(len(names[0])) + header[at + max(4, width) :].decode()
        else:
            top = " " * (len(names[0]) + 1) + "".join(name.strip()[:7].rjust(8) for name in names)
        return "\n".join([top, *lines]) + "\n"


def recorded_answers(case: Any) -> dict[Key, bytes]:
    answers: dict[Key, bytes] = {}
    for run in case["runs"]:
        if run["binary"] != "0057" or run["setup"] != ["readpgn games.pgn", "elo"]:
            continue
        state: tuple[str, ...] = ()
        for step in run["steps"]:
            command = step["cmd"]
            if command not in QUERIES and not command.startswith("los"):
                state = (*state, command)
            text = step["out"].encode() if "out" in step else step["out_latin1"].encode("latin-1")
            answers.setdefault(key_of(state, command), text)
    return answers


def key_of(state: tuple[str, ...], command: str) -> Key:
    """What an answer depends on: the table on all, the numbers and LOS neither on intervals nor on a scale set."""
    if command == "ratings":
        return state, command
    return tuple(word for word in state if word not in INTERVALS and not word.startswith("scale ")), command


def main() -> None:
    replayer = Replayer(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    sys.stdout.write(BANNER)
    for line in sys.stdin:
        sys.stdout.write(replayer.answer(line.rstrip("\n")))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
