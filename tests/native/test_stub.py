"""The committed stub is the one that the build generates."""

from __future__ import annotations

import ast
from pathlib import Path

from fiedler import native
from fiedler.native import _core, _cpu


def test_the_stub_is_current() -> None:
    built = Path(_core.__file__).with_name("_core.pyi")
    committed = Path(native.__file__).with_name("_core.pyi")
    assert committed.read_text("utf-8") == built.read_text("utf-8"), f"copy {built} to native/_core.pyi"


def test_the_stub_of_the_levels_is_current() -> None:
    """It is written by hand: one function."""
    stub = ast.parse(Path(native.__file__).with_name("_cpu.pyi").read_text("utf-8"))
    level = next(node for node in stub.body if isinstance(node, ast.FunctionDef))
    assert ast.get_docstring(stub) == _cpu.__doc__
    assert (ast.get_docstring(level) or "nothing") in (_cpu.level.__doc__ or "")
