"""A posterior as text and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.cells import cell_len

from fiedler.support.errors import printable
from fiedler.support.numbers import without_nan
from fiedler.tournament.ratings.posterior.table import Posterior
from fiedler.tournament.ratings.table import rounded

CAUTION = "They depend on who else plays: do not award prizes by them, and do not use them as a prior of other games."


def posterior_text(found: Posterior) -> str:
    """Return the heading with all that is assumed, and the players by falling elo, without a final newline."""
    names = [printable(player.name) for player in found.players]
    width = max([4, *(cell_len(name) for name in names)])
    curve = any(player.curve is not None for player in found.players)
    head = f"Rank {'Name':<{width}}   Elo   sd" + (" curve   sd" if curve else "")
    lines = [head]
    for rank, (name, player) in enumerate(zip(names, found.players, strict=True), start=1):
        line = f"{rank:4d} {name}{' ' * (width - cell_len(name))} {rounded(player.elo):>5} {rounded(player.sd):>4}"
        if player.curve is not None and player.curve_sd is not None:
            line += f" {rounded(player.curve):>5} {rounded(player.curve_sd):>4}"
        lines.append(line)
    return "\n".join([*posterior_heading(found), *lines])


def posterior_document(found: Posterior) -> dict[str, Any]:
    """Return the value of the key `posterior`, with `assumed` and `players`."""
    document: dict[str, Any] = without_nan(
        {
            "assumed": asdict(found.assumed),
            "evidence": found.evidence,
            "shrinkage": found.shrinkage,
            "slope": found.slope,
            "players": [asdict(player) for player in found.players],
            "warnings": list(found.warnings),
        }
    )
    return document


def posterior_heading(found: Posterior) -> list[str]:
    """Return what is assumed, its evidence, and when not to use it: a line each."""
    return [
        f"Posterior ratings: assumes that {found.assumed.words}.",
        f"Evidence {found.evidence:+.1f} nats against the next simpler prior; variances {found.shrinkage:.2f} times "
        f"and differences {found.slope:.2f} times those of the ranking.",
        CAUTION,
    ]
