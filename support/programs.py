"""Programs as child processes, each in a process group of its own."""

from __future__ import annotations

import errno
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from fiedler.support.reaper import VARIABLE

PYTHON = (sys.executable, "-P")
"""Our interpreter, for programs of ours. Python puts the present folder first for `-m` and `-c`, and one with a
`random.py` would take the place of a module of Python: with `-P` it does not. Our own modules are safe as `fiedler.…`.
"""


def start_program(
    command: Sequence[str], folder: str | Path | None, *, pipes: bool, mark: str
) -> subprocess.Popen[bytes]:
    """Start a program in `folder`, or here; its standard error is a pipe. Its descendants have the `mark`, too.

    With `pipes` its input and output are pipes, otherwise they are closed. The folder of our interpreter is at the end
    of its PATH, so that it finds `python` and `engine`.

    Raises:
        OSError: the system refuses.
        ValueError: an argument has a null byte.

    """
    stream = subprocess.PIPE if pipes else subprocess.DEVNULL
    return subprocess.Popen(
        command,
        bufsize=0,
        stdin=stream,
        stdout=stream,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=_environment(mark),
        start_new_session=True,
    )


def not_startable(program: str, folder: str | Path) -> str:
    """Return the reason for which `start_program` would find no such program; empty if there is one."""
    if "/" not in program:
        return "" if shutil.which(program, path=_search_path()) else os.strerror(errno.ENOENT).lower()
    path = Path(folder) / program
    if not path.exists():
        return os.strerror(errno.ENOENT).lower()
    return "" if path.is_file() and os.access(path, os.X_OK) else os.strerror(errno.EACCES).lower()


def typed(program: str, *words: str) -> str:
    """Return a command of a program of this project as it works where it is typed now: the path is left out on PATH."""
    beside = Path(sys.executable).parent / program
    found = shutil.which(program)
    if not beside.is_file() or (found is not None and Path(found).resolve() == beside.resolve()):
        return shlex.join([program, *words])
    shown = beside.relative_to(Path.cwd()) if beside.is_relative_to(Path.cwd()) else beside
    return shlex.join([str(shown), *words])


def _environment(mark: str) -> Mapping[str, str]:
    return {**os.environ, "PATH": _search_path(), VARIABLE: mark}


def _search_path() -> str:
    return f"{os.environ.get('PATH', os.defpath)}{os.pathsep}{Path(sys.executable).parent}"
