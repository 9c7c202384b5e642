"""The files that are derived from a run: ranking, figures, the page, and its games in other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from fiedler.tournament.report.ranking import Ranking

__all__ = ["write_report"]


def write_report(folder: Path) -> Ranking:
    """Write all derived files of a run into its folder; see `fiedler.tournament.report.writing`."""
    from fiedler.tournament.report.writing import write_report as write  # slow to import

    return write(folder)
