"""Builds of the core: one for every machine, others for x86-64 levels that make a difference, one to find mistakes."""

from __future__ import annotations

from collections.abc import Collection

LEVELS = ("baseline", "v3", "v4")
"""What a processor may run, in ascending order."""
SANITIZED = "sanitized"
"""The baseline once more with asserts, ASan and UBSan: only where it is asked for, since it needs their libraries."""


def choose(built: Collection[str], processor: str, asked: str) -> str:
    """Return the build to load: the one that is asked for, or with an empty string the best that runs.

    `processor` is the level of this machine. Raises ImportError if nothing of `built` runs here, or not what is asked.
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
