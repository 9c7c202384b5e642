"""The facts about a node that decide whether its games count like those of others."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import subprocess
from statistics import median

from msgspec import Struct

from fiedler.native import LEVEL
from fiedler.support.cores import available
from fiedler.support.errors import WorkError, reason
from fiedler.support.provenance import ROOT, commit, release
from fiedler.tournament.play.server_process import engine_program

NODES = 50_000
"""The nodes of the fixed search."""
PATIENCE_S = 60
"""The time limit of the fixed search, in seconds."""
WRONG = 2
"""The exit code of a command line that does not fit, as for a game that the player does not know."""
UNEQUAL = 0.1
"""The largest part by which the speed of a node may differ from the median."""


class Facts(Struct, frozen=True):
    """A machine and its Fiedler."""

    version: str
    commit: str
    """Empty if unknown."""
    sources: str
    """A hash of the sources of the native core; empty in an installed wheel."""
    python: str
    """The version of Python, as `3.11`."""
    host: str
    cores: int
    memory_mb: int
    level: str
    """The level of the processor for which the core was compiled."""
    signature: int | None
    """That of a fixed search of the game; None: no search knows the game."""
    nps: float
    """Nodes a second of that search; 0: unknown."""


def facts_here(game: str) -> Facts:
    """Return the facts about this machine; the search of a game takes some tenths of a second.

    Raises:
        WorkError: the search failed.

    """
    signature, nps = _search(game)
    return Facts(
        version=release(),
        commit=commit() or "",
        sources=_sources(),
        python=".".join(platform.python_version_tuple()[:2]),
        host=platform.node(),
        cores=len(available()),
        memory_mb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
        level=LEVEL,
        signature=signature,
        nps=nps,
    )


def difference(ours: Facts, theirs: Facts) -> str:
    """Return the fact that bars a node from our games, with both values; empty if there is none."""
    names = {
        "version": "Fiedler",
        "commit": "commit",
        "sources": "sources of the core",
        "python": "Python",
        "signature": "signature of a fixed search",
    }
    for field, name in names.items():
        here, there = getattr(ours, field), getattr(theirs, field)
        if here != there:
            short = [_shown(value) for value in (there, here)]
            if short[0] == short[1]:
                short = [str(there), str(here)]
            return f"{name}: {short[0]} there, {short[1]} here"
    return ""


def slower_or_faster(facts: dict[str, Facts]) -> dict[str, str]:
    """Return the nodes whose speed differs from the median of all by more than UNEQUAL, with the sentences."""
    speeds = {name: each.nps for name, each in facts.items() if each.nps}
    if len(speeds) < 2:
        return {}
    middle = median(speeds.values())
    return {
        name: f"its fixed search makes {nps / middle:.2f} of the median speed of the nodes"
        for name, nps in speeds.items()
        if abs(nps / middle - 1) > UNEQUAL
    }


def _shown(value: object) -> str:
    text = str(value)
    return "none" if text in ("", "None") else text[:12]


@functools.cache
def _sources() -> str:
    """Return a hash of the sources of the native core."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "native" / "src").rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(ROOT)}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest() if (ROOT / "native" / "src").is_dir() else ""


def _search(game: str) -> tuple[int | None, float]:
    """Return the signature and the speed of a fixed search, by a program of its own; None for a game without one.

    Raises:
        WorkError: the program failed.

    """
    command = [engine_program(), "bench", "--game", game, "--player", "negamax", "--nodes", str(NODES), "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise WorkError(f"the fixed search of {game}: {reason(error)}") from error
    if done.returncode == WRONG:
        return None, 0.0
    if done.returncode:
        raise WorkError(f"the fixed search of {game}: {reason(done.stderr)}")
    found = json.loads(done.stdout)
    return found["signature"], found["nps"]
