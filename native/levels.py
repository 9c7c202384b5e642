"""Builds of the core: one for every machine, others for relevant x86-64 levels, one that detects errors."""

from __future__ import annotations

from collections.abc import Collection

LEVELS = ("baseline", "v3", "v4")
"""The levels of processors, in ascending order."""
SANITIZED = "sanitized"
"""The baseline with asserts, ASan and UBSan: loaded only on request, since it needs their libraries."""


def choose(built: Collection[str], processor: str, asked: str) -> str:
    """Return the build to load: `asked`, or if that is empty the best that runs. `processor` is the level here.

    Raises:
        ImportError: No build of `built` runs here, or not the one that is asked for.
    """
    running = [level for level in LEVELS[: LEVELS.index(processor) + 1] if level in built]
    if not running:
        levels = " and ".join(level for level in LEVELS if level in built)
        raise ImportError(
            f"the native core here is built for {levels or 'no processor'}, this processor runs {processor}; "
            "make clean demo builds it anew"
        )
    loadable = [*running, *(level for level in built if level == SANITIZED)]
    if asked and asked not in loadable:
        raise ImportError(f"FIEDLER_LEVEL: expected what is built and runs here ({', '.join(loadable)}), got {asked!r}")
    return asked or running[-1]
