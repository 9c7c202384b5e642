"""The ranking as a table of the page, with bars for the intervals."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

from markupsafe import Markup

from fiedler.support.drawing import nice
from fiedler.support.text import counted
from fiedler.tournament.ratings import PlayerRating
from fiedler.tournament.ratings.intervals import normal_quantile
from fiedler.tournament.report.elo import reach
from fiedler.tournament.report.html import Row, TableCell, bar, failed, note, percent, table
from fiedler.tournament.report.ranking import Ranking

N_GAMES = "docs/what-n-games-tell.md"
"""The page about the errors of few games. It has no address: a report is read without a network, and anywhere."""


def ranking_table(ranking: Ranking, marks: Mapping[str, str]) -> Markup:
    """Return the table; a player has its mark behind its name."""
    players = ranking.rating.players
    low, high = reach(players)
    interval = f"{100 * ranking.rating.confidence:g} % interval"
    header = ["#", "player", "Elo", "+", "−", interval, "games", "score", "opponents", "draws"]
    rows: list[Row] = [
        [
            str(rank),
            _marked(player.name, marks.get(player.name, "")),
            nice(player.elo),
            nice(player.plus),
            nice(player.minus),
            _bar(player, low, high - low),
            str(player.games),
            percent(player.score),
            nice(player.opponents),
            percent(player.draws),
        ]
        for rank, player in enumerate(players, start=1)
    ]
    return table(header, rows, left=2)


def _marked(name: str, mark: str) -> str:
    return Markup("{} {}").format(name, failed(mark)) if mark else name


def _bar(player: PlayerRating, low: float, span: float) -> TableCell:
    """Return a table cell with a dot and its interval, as shares of the cell's width; empty without a rating."""
    if not math.isfinite(player.elo):
        return TableCell("bar", "", "?")
    start, middle, end = ((player.elo + reach - low) / span * 94 + 3 for reach in (-player.minus, 0.0, player.plus))
    left = "" if math.isnan(start + end) else f"{start:.1f}"
    return TableCell("bar", bar(left, f"{end - start:.1f}", f"{middle:.1f}"), f"{player.elo:.2f}")


def rating_note(ranking: Ranking) -> Markup:
    """Return the parameters of the ratings as text."""
    rating = ranking.rating
    model = "Bayes-Elo" if rating.model == "bayeselo" else "Elo with Davidson's draws"
    fitted = " and ".join(name.replace("_", " ") for name in rating.fitted)
    anchors = ", ".join(f"{name} at {nice(elo)}" for name, elo in rating.anchors.items())
    centre = "the anchors" if len(rating.anchors) > 1 else "the mean of all players"
    zero = f"anchored: {anchors}" if anchors else "the mean of all players is 0"
    return note(
        f"{model} ({ranking.backend}): first-player advantage {nice(rating.advantage, 1)}, draw parameter "
        f"{nice(rating.draw_elo, 1)} Elo{f' ({fitted} fitted)' if fitted else ''}; {zero}. "
        f"{100 * rating.confidence:g} % intervals are relative to {centre}. {_few_games(ranking)}"
        f"What N games can tell: {N_GAMES}."
    )


def _few_games(ranking: Ranking) -> str:
    """Return the games of this run, their error, and the spread that chance alone would give, as sentences.

    Errors relative to the mean of all players are, in the mean of their squares, the spread of the ratings of equal
    players. The text is empty where a rating has no error, and with anchors, to which errors are relative.
    """
    rating = ranking.rating
    players = [player for player in rating.players if player.games]
    halves = [(player.plus + player.minus) / 2 for player in players]
    if len(players) < 2 or rating.anchors or not all(map(math.isfinite, halves)):
        return ""
    chance = math.hypot(*halves) / math.sqrt(len(halves)) / normal_quantile(rating.confidence)
    spread = statistics.pstdev(player.elo for player in players)
    games = counted(statistics.median_low(player.games for player in players), "game")
    return (
        f"Here the median player has {games} and an interval of ± {nice(statistics.median(halves))} Elo; the ratings "
        f"spread by {nice(spread)} Elo (standard deviation), those of equal players would spread by about "
        f"{nice(chance)} by chance alone. "
    )
