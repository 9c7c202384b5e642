"""The provenance of results and models: the commit of this checkout, and the machine."""

from __future__ import annotations

import functools
import os
import platform
import subprocess
from pathlib import Path

from fiedler.support.cores import available

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 10
"""The time limit of git, in seconds."""
CPUINFO = Path("/proc/cpuinfo")
BUILT_FROM = Path(__file__).with_name("commit.txt")
"""The commit that an installed wheel was built from."""


@functools.cache
def release() -> str:
    """Return the version alone, such as `0.1.0`."""
    import importlib.metadata  # a third of the start of a command

    return importlib.metadata.version("fiedler")


def version() -> str:
    """Return the version and the commit, as `--version` prints them: `0.1.0 (commit 0123abc…)`."""
    known = commit()
    return release() + (f" (commit {known})" if known else "")


@functools.cache
def commit() -> str | None:
    """Return the commit of the checkout of this program, `-dirty` if changed.

    An installed wheel returns the commit of its build; None if unknown.
    """
    command = ("git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    if not (ROOT / ".git").exists():
        return BUILT_FROM.read_text("utf-8").strip() or None if BUILT_FROM.is_file() else None
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def machine() -> dict[str, str | int]:
    """Return `cpu` (its model), `cores` (that this process may use), `system` and `python`."""
    return {
        "cpu": _cpu(),
        "cores": len(available()),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _cpu() -> str:
    """Return the name of the processor; the architecture if it has none."""
    try:
        lines = CPUINFO.read_text("utf-8", "replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine()
