"""ratings.svg: every player's Elo with its interval, the best at the top."""

from __future__ import annotations

import math

from tournament.report.drawing import Plot, nice, shortened, ticks, width
from tournament.report.figure import Figure
from tournament.report.ranking import Ranking

LINE = 20.0


def ratings_figure(ranking: Ranking, title: str) -> Figure:
    """Draw the ranking."""
    players = ranking.rating.players
    names = [f"{rank}  {shortened(player.name)}" for rank, player in enumerate(players, start=1)]
    ends = [player.elo + reach for player in players for reach in (-player.minus, player.plus, 0.0)]
    known = [end for end in ends if not math.isnan(end)] or [0.0]
    low, high = min(known), max(known)
    room = 0.06 * max(high - low, 20.0)
    left = 20 + max((width(name, 12) for name in names), default=0)
    size = (max(760.0, left + 480), 90 + LINE * len(players))
    plot = Plot(size, title, x=(low - room, high + 2.5 * room), y=(0, 1), margins=(34, 20, 46, left))
    plot.text((8, 16), title, size=13, kind="title")
    for tick in ticks(low - room, high + 2.5 * room):
        plot.line((plot.x(tick), plot.top), (plot.x(tick), plot.bottom), kind="axis" if not tick else "grid")
    for place, (player, name) in enumerate(zip(players, names, strict=True)):
        y = plot.top + LINE * (place + 0.7)
        plot.text((left - 10, y), name, anchor="end")
        end = plot.x(player.elo)
        if not math.isnan(player.plus + player.minus):
            end = plot.x(player.elo + player.plus)
            plot.path([(plot.x(player.elo - player.minus), y), (end, y)], kind="line own0")
        told = f"{player.name}: {nice(player.elo)} +{nice(player.plus)} −{nice(player.minus)} Elo"
        plot.circle((plot.x(player.elo), y), 4.5, kind="fill0", told=told)
        plot.text((end + 7, y), nice(player.elo), size=11)
    plot.x_axis(f"Elo; bars: {100 * ranking.rating.confidence:g} % interval")
    rows = [
        (rank, one.name, one.elo, one.plus, one.minus, one.games, one.score, one.opponents, one.draws)
        for rank, one in enumerate(players, start=1)
    ]
    columns = ("rank", "player", "elo", "plus", "minus", "games", "score", "opponents", "draws")
    return Figure("ratings", plot.svg(), columns, rows)
