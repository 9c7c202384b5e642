"""The boards of pages: the modules of static/, and all of them as one script for a page without a server."""

from __future__ import annotations

import re
from pathlib import Path

BOARDS = Path(__file__).parent / "static"
MODULES = (
    *("elements.js", "paths.js", "sides.js", "views.js", "steps.js", "refusal.js"),
    *("stones.js", "area.js", "step_choice.js", "board.js", "text_board.js", "scores.js", "replay.js"),
)
"""In the order of their imports."""
STYLE = "board.css"
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([\w.]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:class|function|const) (\w+))", re.MULTILINE)


_COMMENT = re.compile(r"^ *(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)


def plain(text: str) -> str:
    """Return a script without the comments that have lines of their own, for a page that contains it."""
    return _COMMENT.sub("", text)


def script() -> str:
    """Return a script, no module, whose constant `boards` has what every module exports: `boards["board.js"].Board`."""
    return "\n".join(["const boards = {};", *(_module(name) for name in MODULES)])


def style() -> str:
    """Return the style of boards."""
    return (BOARDS / STYLE).read_text("utf-8")


def _module(name: str) -> str:
    text = plain((BOARDS / name).read_text("utf-8"))
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(r'const \1 = boards["\2"];', text))
    return f'boards["{name}"] = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();'
