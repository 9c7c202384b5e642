"""A number before a noun goes through `counted`: no page says "1 games"."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.folders import ROOT

FOLDERS = (
    *("client", "engine", "fiedler", "games", "support", "training", "web"),
    *(f"tournament/{one}" for one in ("commands", "feeds", "pairing", "ratings", "report", "run", "simulation")),
)
NOUN = re.compile(
    r" (legal |distinct |random )?(games|players|pairs|openings|steps|attempts|opponents|meetings|visitors|moves"
    r"|plies|rows|names|iterations|positions|replies)\b"
)
BEYOND_ONE = re.compile(r"(at most|at least|fewer than the|units of|Up to) $")
"""Words before a number that is a bound."""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and text of every formatted number that a plural noun follows."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.JoinedStr):
            continue
        before = ""
        for part, following in zip(node.values, [*node.values[1:], ast.Constant("")], strict=True):
            text = str(following.value) if isinstance(following, ast.Constant) else ""
            if isinstance(part, ast.FormattedValue) and _may_be_one(part, before) and NOUN.match(text):
                yield node.lineno, ast.unparse(part.value) + text
            before = str(part.value) if isinstance(part, ast.Constant) else ""


def _may_be_one(part: ast.FormattedValue, before: str) -> bool:
    """Return whether a part is a number that may be 1: neither a bound, nor a constant, nor a fraction."""
    if BEYOND_ONE.search(before):
        return False
    return part.format_spec is None and not ast.unparse(part.value).isupper()


FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_a_number_before_a_plural_is_counted(path: Path) -> None:
    assert [f"{path.name}:{line}: {text}" for line, text in texts(path)] == []


@pytest.mark.parametrize("path", sorted((ROOT / "web" / "static").glob("*.js")), ids=lambda path: path.name)
def test_a_number_before_a_plural_is_counted_in_the_browser(path: Path) -> None:
    assert (
        re.findall(r"\$\{[^}]*\} (?:games|players|pairs|moves|steps|visitors)\b(?! per)", path.read_text("utf-8")) == []
    )
