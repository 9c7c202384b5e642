"""ratings.svg: every player's Elo with its 95 % interval, the best at the top."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from tournament.report.drawing import ACCENT, INK, MUTED, nice, shortened
from tournament.report.ranking import Ranking


def ratings_figure(ranking: Ranking, title: str) -> Figure:
    """Draw the ranking."""
    players = ranking.rating.players
    count = len(players)
    figure = Figure(figsize=(7.5, 1.2 + 0.24 * count), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(count)
    elo = np.array([player.elo for player in players])
    reach = np.nan_to_num(np.array([[player.minus, player.plus] for player in players]).T.reshape(2, count))
    axes.errorbar(elo, places, xerr=reach, fmt="o", color=ACCENT, ecolor=ACCENT, elinewidth=1.4, capsize=2.5, ms=4.5)
    for place, player in enumerate(players):
        if not np.isfinite(player.plus):
            axes.plot(player.elo, place, marker="o", ms=4.5, mfc="white", mec=MUTED)
    axes.set_yticks(places, [f"{shortened(player.name)}  {rank}" for rank, player in enumerate(players, start=1)])
    for place, value in enumerate(elo):
        at = (value + reach[1, place], place)
        axes.annotate(nice(value), at, (5, 0), textcoords="offset points", va="center", fontsize=7.5, color=INK)
    axes.set_ylim(count - 0.4, -0.6)
    axes.margins(x=0.12)
    axes.axvline(0.0, color=MUTED, lw=0.8, zorder=0)
    axes.grid(axis="x", color=MUTED, alpha=0.25, lw=0.6)
    axes.set_xlabel("Elo (mean of all players 0), bars: 95 % interval")
    axes.set_title(title, loc="left", color=INK)
    return figure
