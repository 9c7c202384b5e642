"""The values of sealed rows that no manager writes: its readers would fail with them, or show what never happened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from fiedler.support.errors import quoted_value
from fiedler.tournament.termination import Termination

KINDS = {"INTEGER": "an integer", "TEXT": "a text", "REAL": "a number"}
"""Type of a column -> its values in words."""
OTHERS = {"INTEGER": "{0} >= '' OR typeof({0}) = 'real'", "TEXT": "{} >= x''", "REAL": "{} >= ''"}
"""Type of a column -> the condition of other values in it: SQLite orders numbers before texts, and texts before bytes.

`typeof` alone takes twice the time.
"""
MOST_SECONDS = 1e9
"""More than a game takes: thirty years."""
_MOMENT = "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]"


class Rule(NamedTuple):
    """A rule for the values of a column."""

    column: str
    broken: str
    """A condition of SQL that is true for a row that breaks it."""
    expected: str


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"'{word}'" for word in words)


def _player(column: str) -> Rule:
    return Rule(column, f"{column} NOT IN (SELECT name FROM players)", "a player of the run")  # noqa: S608


def _moment(column: str) -> Rule:
    """Return the rule that a finished game has this moment as `fiedler.tournament.game.now` writes it, or with a Z."""
    form = f"{column} NOT GLOB '{_MOMENT}*' OR substr({column}, 24) NOT IN ('Z', '+00:00')"
    day = f"substr({column}, 9, 2) > '28' AND date(substr({column}, 1, 10), '+0 days') IS NOT substr({column}, 1, 10)"
    return Rule(column, f"result IS NOT NULL AND ({column} IS NULL OR {form} OR {day})", "a time in UTC")


def _seconds(column: str) -> Rule:
    wrong = f"{column} IS NULL OR {column} NOT BETWEEN 0 AND {MOST_SECONDS}"
    return Rule(column, f"result IS NOT NULL AND ({wrong})", f"0 to {MOST_SECONDS:.0f} seconds")


_PLIES = "iif(moves = '', 0, length(moves) - length(replace(moves, ' ', '')) + 1)"
RULES_OF = {
    "players": (Rule("name", "name = ''", "a name"),),
    "steps": (Rule("number", "number NOT BETWEEN 1 AND (SELECT count(*) FROM steps)", "1 to the number of steps"),),
    "pairs": (
        _player("a"),
        _player("b"),
        Rule("b", "b = a", "another player than the first"),
        Rule("b", "a < b AND EXISTS (SELECT 1 FROM pairs AS o WHERE o.a = pairs.b AND o.b = pairs.a)", "a pair once"),
        Rule("target", "target < 0", "a number of games"),
    ),
    "games": (
        Rule("number", "number NOT BETWEEN 1 AND (SELECT count(*) FROM games)", "1 to the number of games"),
        _player("first"),
        _player("second"),
        Rule("second", "second = first", "another player than the first"),
        Rule("opening", "opening NOT IN (SELECT moves FROM openings)", "an opening of the run"),
        Rule(
            "start_position",
            "(start_position, opening) NOT IN (SELECT start_position, moves FROM openings)",
            "the start of an opening of the run",
        ),
        Rule("step", "step NOT IN (SELECT number FROM steps)", "a step of the plan"),
        Rule("turn", "turn NOT BETWEEN 0 AND (SELECT count(*) FROM games)", "0 to the number of games"),
        Rule("given_up", "given_up NOT BETWEEN 0 AND iif(result IS NULL, 4, 0)", "0, or 1 to 4 without a result"),
        Rule("start", "start < 0", "the number of a start"),
        Rule("voids", "voids NOT BETWEEN 0 AND attempts - (result IS NOT NULL)", "0 to the attempts without a result"),
        Rule(
            "moves",
            "result IS NOT NULL AND opening != '' AND substr(moves || ' ', 1, length(opening) + 1) != opening || ' '",
            "the moves of the opening first",
        ),
        Rule(
            "termination",
            f"result IS NOT NULL AND coalesce(termination, '') NOT IN ({_listed(Termination)})",
            f"one of {', '.join(Termination)}",
        ),
        Rule(
            "result",
            f"result = '1/2-1/2' AND termination NOT IN ({_listed((Termination.RULES, Termination.ADJUDICATION))})",
            "a winner where a player fails or resigns",
        ),
        Rule(
            "sides",
            f"sides != '' AND (sides GLOB '*[^01]*' OR length(sides) IS NOT {_PLIES})",
            "0 or 1 for each move, or nothing",
        ),
        *(Rule(column, f"result IS NOT NULL AND {column} IS NULL", "a text") for column in ("detail", "evaluations")),
        _moment("started"),
        _moment("finished"),
        _seconds("seconds_first"),
        _seconds("seconds_second"),
    ),
    "void_attempts": (
        Rule("game", "game NOT IN (SELECT id FROM games)", "the id of a game"),
        Rule("attempt", "attempt NOT BETWEEN 1 AND (SELECT voids FROM games WHERE id = game)", "a void attempt"),
        Rule("start", "start < 0", "the number of a start"),
    ),
}
"""Table -> the rules of its rows, beyond the types of their values."""


def wrong_row(database: sqlite3.Connection, tables: tuple[str, ...]) -> str:
    """Return a row of these tables that no manager writes, and its fault; empty if there is none."""
    return next(filter(None, (_wrong_row(database, table) for table in tables)), "")


def _wrong_row(database: sqlite3.Connection, table: str) -> str:
    columns = database.execute(f"PRAGMA table_info({table})").fetchall()
    rules = [_type(name, kind) for _, name, kind, *_ in columns]
    known = {rule.column for rule in rules}  # an older version has fewer
    rules += [rule for rule in RULES_OF.get(table, ()) if rule.column in known]
    broken, values = (", ".join(one[place] for one in rules) for place in (1, 0))
    where = " OR ".join(f"({rule.broken})" for rule in rules)
    sql = f"SELECT {columns[0][1]}, {broken}, {values} FROM {table} WHERE {where} LIMIT 1"  # noqa: S608
    row = database.execute(sql).fetchone()
    if row is None:
        return ""
    rule, value = next((rule, row[len(rules) + place]) for place, rule in enumerate(rules, start=1) if row[place])
    return f"{row_name(table, row[0])}: {rule.column}: expected {rule.expected}, got {_shown(value)}"


def row_name(table: str, key: object) -> str:
    """Return a row of a table in words, from its first column."""
    return f"row {_shown(key)} of the table {table}"


def _type(column: str, kind: str) -> Rule:
    return Rule(column, OTHERS[kind].format(column), KINDS[kind])


def _shown(value: object) -> str:
    """Return a value for a message: short, and printable."""
    return "nothing" if value is None else quoted_value(value)
