"""Games of users: the example `examples/breakthrough.py`, and changed copies of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fiedler import games
from fiedler.games import others, registry
from tests.folders import ROOT

EXAMPLE = ROOT / "examples" / "breakthrough.py"
BREAKTHROUGH = f"{EXAMPLE}:GAME"


def written(path: Path, old: str = "", new: str = "") -> str:
    """Write the example to a file, with a text in it replaced; return its place."""
    text = EXAMPLE.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new) if old else text, "utf-8")
    return f"{path}:GAME"


def bot(name: str) -> dict[str, Any]:
    """Return a player of a schedule: `random` or `greedy`, a program beside the example."""
    return {"name": name, "command": [sys.executable, "-S", "-E", str(EXAMPLE.with_stem(f"breakthrough_{name}"))]}


@contextmanager
def forgotten() -> Iterator[None]:
    """Let the body load games of users, without those before, and forget them and their modules at its end."""
    for name, module in list(sys.modules.items()):  # a test may have imported the example; the body may change it
        if "." not in name and Path(getattr(module, "__file__", None) or "").parent == EXAMPLE.parent:
            del sys.modules[name]
    known, places, modules, path = dict(games.REGISTERED), dict(registry._PLACES), set(sys.modules), sys.path.copy()
    for name in registry._PLACES.values():
        games.REGISTERED.pop(name, None)
    registry._PLACES.clear()
    others._entries.cache_clear()
    try:
        yield
    finally:
        games.REGISTERED.clear()
        games.REGISTERED.update(known)
        registry._PLACES.clear()
        registry._PLACES.update(places)
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and not Path(file).is_relative_to(ROOT / ".venv") and "." not in name:
                del sys.modules[name]
        sys.path[:] = path
        others._entries.cache_clear()
