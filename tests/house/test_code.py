"""The size of the functions, and the names of the classes, in the packages."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.folders import ROOT
from tests.house.test_house import PACKAGES

MOST_LINES = 50
"""Most lines of a function from `def` to its end, without its docstring, which may be a page of documentation."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
HOMONYMS = {
    "Board": "a game that draws itself in a notebook, and that of a running game in `live.sock`",
    "Coordinates": "the class of a game is the `Coordinates` of the protocol",
    "GameState": "the engine's class is the `GameState` of the protocol",
    "Host": "the engine's class is the `Host` of the protocol",
    "Session": "one connection at the engine's port, and the state of one that the commands of GTP use",
    "Server": "the engine's class listens, the protocol's is one conversation of it",
    "Option": "an option of a player, and its form in the protocol",
    "Run": "training and tournament each have runs, and do not import each other",
}
"""Public class names in two modules, with the reason."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield str(path.relative_to(ROOT)), ast.parse(path.read_text("utf-8"))


def length(function: Function) -> int:
    assert function.end_lineno is not None
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    first = function.body[0]
    assert first.end_lineno is not None
    return lines - (first.end_lineno - first.lineno + 1)


def too_long(tree: ast.AST) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, Function) and length(node) > MOST_LINES:
            yield node


def test_functions_are_short() -> None:
    assert [f"{name}: {one.name}: {length(one)} lines" for name, tree in modules() for one in too_long(tree)] == []


@pytest.mark.parametrize(("lines", "found"), [(MOST_LINES - 2, 0), (MOST_LINES - 1, 1)])
def test_the_docstring_of_a_function_does_not_count(lines: int, found: int) -> None:
    body = "\n".join(["    x = 1"] * lines)
    tree = ast.parse(f'def one() -> None:\n    """Documentation\n    in two lines."""\n    y = 1\n{body}\n')
    assert len(list(too_long(tree))) == found


def raising(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.TryStar):
            parts = (part for handler in node.handlers for part in ast.walk(handler))
            yield from (part.lineno for part in parts if isinstance(part, ast.Raise))


def test_nothing_is_raised_inside_a_handler_of_groups() -> None:
    """Python 3.11.2, that of Debian 12, wraps it in a group; the caller's `except` does not see it."""
    assert [f"{name}:{line}" for name, tree in modules() for line in raising(tree)] == []
    assert list(raising(ast.parse("try:\n    x()\nexcept* E as group:\n    raise group.exceptions[0]\n"))) == [4]


def test_a_class_name_has_one_module_or_a_reason() -> None:
    places = defaultdict(list)
    for name, tree in modules():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    assert {name: found for name, found in places.items() if len(found) > 1 and name not in HOMONYMS} == {}
    assert [name for name in HOMONYMS if len(places[name]) < 2] == [], "no reason outlives its homonym"
