"""The docstrings below the keys of a class, which Python drops: they are read from the source."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from itertools import pairwise


def key_docs(kind: type) -> dict[str, str]:
    """Return the docstrings below the keys of a class, those of its bases in this project included, each as one line.

    The class is a struct, a dataclass, or a TypedDict, which does not know its bases: they are read, too.
    """
    (table,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(table, ast.ClassDef)
    docs: dict[str, str] = {}
    for base in table.bases:
        known = getattr(sys.modules[kind.__module__], base.id, None) if isinstance(base, ast.Name) else None
        if isinstance(known, type) and known.__module__.startswith("fiedler."):
            docs |= key_docs(known)
    return docs | dict(_docs_below(table))


def table_doc(kind: type) -> str:
    """Return the docstring of a class as one line."""
    return one_line(inspect.getdoc(kind) or "")


def one_line(text: str) -> str:
    """Return a docstring as one line, which an editor wraps."""
    return " ".join(text.split())


def _docs_below(table: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for key, below in pairwise(table.body):
        if not (isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name) and isinstance(below, ast.Expr)):
            continue
        if isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            yield key.target.id, one_line(below.value.value)
