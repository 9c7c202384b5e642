"""The committed stub is the one that the build generates."""

from __future__ import annotations

from pathlib import Path

import native
from native import _core


def test_the_stub_is_current() -> None:
    built = Path(_core.__file__).with_name("_core.pyi")
    committed = Path(native.__file__).with_name("_core.pyi")
    assert committed.read_text("utf-8") == built.read_text("utf-8"), f"copy {built} to native/_core.pyi"
