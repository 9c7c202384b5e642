"""The docstrings below the keys of a struct, which Python drops: they are read from the source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct


def key_docs(struct: type[Struct]) -> dict[str, str]:
    """Return the docstrings below the keys of a struct, those of its bases included, each as one line."""
    docs: dict[str, str] = {}
    for base in reversed(struct.__mro__):
        if issubclass(base, Struct) and base is not Struct:
            docs |= dict(_docs_below(textwrap.dedent(inspect.getsource(base))))
    return docs


def table_doc(struct: type[Struct]) -> str:
    """Return the docstring of a struct as one line."""
    return one_line(inspect.getdoc(struct) or "")


def one_line(text: str) -> str:
    """Return a docstring as one line, which an editor wraps."""
    return " ".join(text.split())


def _docs_below(source: str) -> Iterator[tuple[str, str]]:
    (table,) = ast.parse(source).body
    assert isinstance(table, ast.ClassDef)
    for key, below in pairwise(table.body):
        if not (isinstance(key, ast.AnnAssign) and isinstance(key.target, ast.Name) and isinstance(below, ast.Expr)):
            continue
        if isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            yield key.target.id, one_line(below.value.value)
