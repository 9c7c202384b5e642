"""A program that cannot start: the reason, and the command that was probably meant."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

from fiedler.support.errors import system_reason

INTERPRETERS = {
    ".exe": "wine",
    ".jar": "java -jar",
    ".js": "node",
    ".lua": "lua",
    ".mjs": "node",
    ".php": "php",
    ".pl": "perl",
    ".py": "python3",
    ".rb": "ruby",
    ".sh": "sh",
}
"""By the suffix of a file the program that runs it."""
SOURCES = {".c", ".cc", ".cpp", ".cs", ".cxx", ".go", ".hs", ".java", ".kt", ".rs", ".swift", ".zig"}
"""The suffixes of files that a compiler makes a program of."""

FIRST_BYTES = 100
"""The bytes of a first line that are read."""


def start_failure(program: str, error: OSError, folder: str | Path | None = None) -> str:
    """Return `cannot start PROGRAM: REASON`, with a cure if it is known; the program was to start in `folder`."""
    return f"cannot start {program!r}: {system_reason(error)}{_cure(program, Path(folder or '.') / program)}"


def _cure(program: str, file: Path) -> str:
    """Return the cure, for the end of a message; empty if it is unknown."""
    if os.path.isdir(file):  # noqa: PTH112 - Path.is_dir fails below a folder that may not be entered
        return "; it is a folder"
    if not os.path.isfile(file):  # noqa: PTH113
        return _words_apart(program)
    if file.suffix.lower() in SOURCES:
        return _compiled(program, file)
    if interpreter := INTERPRETERS.get(file.suffix.lower()):
        return f"; try {interpreter} {shlex.quote(program)}"
    if not os.access(file, os.X_OK):
        return f"; chmod +x {shlex.quote(program)} makes it a program"
    return _by_first_bytes(file) if "/" in program else f"; try {shlex.quote(_here(program))}"


def _words_apart(program: str) -> str:
    """Return the cure of a program and its arguments in one word."""
    first, *rest = program.split() or [""]
    return f"; it is one word: try {program} without the quotes" if rest and shutil.which(first) else ""


def _compiled(program: str, file: Path) -> str:
    """Return the cure of a source file in place of the program made of it."""
    made = file.with_suffix("")
    if not made.is_file() or not os.access(made, os.X_OK):
        return "; it is source code: compile it, and name the program"
    return f"; it is source code: try {shlex.quote(_here(program.removesuffix(file.suffix)))}"


def _here(program: str) -> str:
    return program if "/" in program else f"./{program}"


def _by_first_bytes(file: Path) -> str:
    """Return the cure of a file that may be executed, but is not a program of this machine."""
    try:
        with file.open("rb") as opened:
            line = opened.readline(FIRST_BYTES).rstrip(b"\n")
    except OSError:  # it may be executed, but not read
        return ""
    if line.startswith(b"#!"):
        return f"; its first line names {line[2:].decode(errors='replace').lstrip()!r}, which does not start"
    if line.startswith((b"\x7fELF", b"MZ")):
        return "; it is a program for another machine"
    return "; its first line names no interpreter, such as #!/usr/bin/env python3"
