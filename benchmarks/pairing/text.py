"""The comparison as tables of Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.pairing.setting import Duel
from benchmarks.pairing.summary import RIGHT, Mean, RuleSummary
from fiedler.support.text import counted

BESIDE = "run-games"
"""The rule whose loss the table of equal losses takes."""
COMPARED = (3_000, 5_000, 10_000, 20_000, 30_000)
"""Its games."""


def text(found: Sequence[RuleSummary], setting: Duel) -> str:
    """Return the title, the table of the rules, the stops, and the table of equal losses."""
    parts = [[title(found, setting)], table(found, setting), stops(found), equal_losses(found, setting)]
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def title(found: Sequence[RuleSummary], setting: Duel) -> str:
    """Return the setting in words."""
    numbers = {len(one.trials) for one in found}
    repetitions = (
        counted(min(numbers), "repetition") if len(numbers) == 1 else f"{min(numbers)} to {max(numbers)} repetitions"
    )
    players, games = counted(len(setting.names), "player"), counted(setting.games, "game")
    return f"{setting.truth}, {players}, {games}, {repetitions}, seed {setting.seed}"


def table(found: Sequence[RuleSummary], setting: Duel) -> list[str]:
    """Return a line for each rule."""
    losses = [f"loss, {mark:,}" for mark in setting.marks]
    last = table_mark(setting)
    ratings = [f"RMS, {setting.marks[last]:,}", "coverage"]
    head = ["rule", f"within {RIGHT:.0f}: median", "90 %", *losses, *ratings, "planning, µs a game"]
    return [*_head(head), *(_row(_cells(one, setting, last)) for one in found)]


def table_mark(setting: Duel) -> int:
    """Return the place of the mark whose ratings the table shows: 10,000 games, or the last one below."""
    return max(place for place, mark in enumerate(setting.marks) if mark <= 10_000 or place == 0)


def _cells(one: RuleSummary, setting: Duel, last: int) -> list[str]:
    right = [_games(one.right(share), setting) for share in (0.5, 0.9)]
    losses = [_mean(mark.loss) for mark in one.marks]
    mark = one.marks[last]
    ratings = [_mean(mark.rms), f"{mark.coverage.value:.2f}"]
    return [f"**{one.label}**" if one.ours else one.label, *right, *losses, *ratings, f"{one.planning_us:,.0f}"]


def stops(found: Sequence[RuleSummary]) -> list[str]:
    """Return a line for each rule with a stop of its own."""
    return [_stop(one) for one in found if one.stops]


def _stop(one: RuleSummary) -> str:
    games = sorted(games for games, _ in one.stops)
    right = sum(is_right for _, is_right in one.stops)
    middle = games[math.ceil(len(games) / 2) - 1]
    stopped = f"{len(games)} of {len(one.trials)} stopped by themselves, the median after {counted(middle, 'game')}"
    return f"{one.label}: {stopped}, {right} of them within {RIGHT:.0f} Elo of the best."


def equal_losses(found: Sequence[RuleSummary], setting: Duel) -> list[str]:
    """Return the games of each rule for the mean loss that `run_games.py` has after some counts of games."""
    beside = {one.name: one for one in found}.get(BESIDE)
    if beside is None or len(found) < 2:
        return []
    line = dict(beside.line)
    known = [
        (games, line[max(look for look in line if look <= games)]) for games in COMPARED if games in line_range(line)
    ]
    if not known:
        return []
    head = ["rule", *(f"loss {loss:.1f}, {beside.label} after {games:,}" for games, loss in known)]
    others = [one for one in found if one is not beside]
    rows = [[one.label, *(_ratio(one.games_for(loss), games, setting) for games, loss in known)] for one in others]
    return [*_head(head), *map(_row, rows)]


def line_range(line: dict[int, float]) -> range:
    """Return the counts of games that a line covers."""
    return range(min(line), max(line) + 1)


def _ratio(games: float, beside: int, setting: Duel) -> str:
    share = f" ({games / beside:.2f})" if math.isfinite(games) else ""
    return f"{_games(games, setting)}{share}"


def _games(games: float, setting: Duel) -> str:
    return f"{games:,.0f}" if math.isfinite(games) else f"> {setting.games:,}"


def _mean(mean: Mean) -> str:
    error = f" ± {mean.error:.1f}" if math.isfinite(mean.error) else ""
    return f"{mean.value:.1f}{error}"


def _head(cells: Sequence[str]) -> list[str]:
    return [_row(cells), "|" + "---|" * len(cells)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
