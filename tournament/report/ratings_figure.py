"""ratings.svg: every player's Elo with its interval, the best at the top."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fiedler.support.drawing import Plot, nice, shortened, ticks, width
from fiedler.tournament.ratings import PlayerRating
from fiedler.tournament.report.elo import reach
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.ranking import Ranking

LINE = (20.0, 11.0, 4.0)
"""Heights of a player in pixels: the largest, the least with all names, the least with some names."""
TALL = 1320.0
"""Height of all players in pixels, as far as the heights of a player allow it."""


def ratings_figure(ranking: Ranking, title: str) -> Figure:
    """Draw the ranking."""
    players = ranking.rating.players
    line = line_of(len(players))
    font = min(12.0, 0.9 * max(line, LINE[1]))
    names = [f"{rank}  {shortened(player.name)}" for rank, player in enumerate(players, start=1)]
    low, high = reach(players)
    room = 0.06 * (high - low)
    values = [_value(player) for player in players]
    right = 24 + max((width(value, font) for value in values), default=0)
    left = 20 + max((width(name, font) for name in names), default=0)
    size = (max(760.0, left + 440 + right), 90 + line * len(players))
    plot = Plot(size, title, x=(low - room, high + room), y=(0, 1), margins=(34, right, 46, left))
    plot.text((8, 16), title, size=13, kind="title")
    for tick in ticks(low - room, high + room):
        plot.line((plot.x(tick), plot.top), (plot.x(tick), plot.bottom), kind="axis" if not tick else "grid")
    step = math.ceil(LINE[1] / line)
    for place, (player, name, value) in enumerate(zip(players, names, values, strict=True)):
        y = plot.top + 6 + line * (place + 0.5)
        if place % step == 0:
            plot.text((left - 10, y), name, size=font, anchor="end")
            plot.text((size[0] - 12, y), value, size=font, anchor="end", kind="muted")
        if math.isfinite(player.elo):
            _interval(plot, player, y, line)
    plot.x_axis(f"Elo; bars: {100 * ranking.rating.confidence:g} % interval")
    columns = ("rank", "player", "elo", "plus", "minus", "games", "score", "opponents", "draws")
    return Figure("ratings", plot.svg(), columns, _rows(players))


def line_of(count: int) -> float:
    """Return the height of a player in pixels."""
    few, all_named, some_named = LINE
    fitting = TALL / max(1, count)
    return min(few, fitting) if fitting >= all_named else max(some_named, fitting)


def _interval(plot: Plot, player: PlayerRating, y: float, line: float) -> None:
    """Add the bar and the dot."""
    if not math.isnan(player.plus + player.minus):
        ends = [(plot.x(player.elo - player.minus), y), (plot.x(player.elo + player.plus), y)]
        plot.path(ends, kind="line own0" if line == LINE[0] else "line own0 thin")
    tooltip = f"{player.name}: {nice(player.elo)} +{nice(player.plus)} −{nice(player.minus)} Elo"
    plot.circle((plot.x(player.elo), y), min(4.5, 0.32 * line), kind="fill0", tooltip=tooltip)


def _value(player: PlayerRating) -> str:
    if not math.isfinite(player.elo):
        return nice(player.elo)
    plus, minus = nice(player.plus), nice(player.minus)
    return f"{nice(player.elo)} {f'± {plus}' if plus == minus else f'+{plus} −{minus}'}"


def _rows(players: Sequence[PlayerRating]) -> list[tuple[int, str, float, float, float, int, float, float, float]]:
    return [
        (rank, one.name, one.elo, one.plus, one.minus, one.games, one.score, one.opponents, one.draws)
        for rank, one in enumerate(players, start=1)
    ]
