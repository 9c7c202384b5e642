"""curve.svg: rating over checkpoints, with the other players as levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from fiedler.support.drawing import COLOURS, Plot, nice, shortened, ticks, width
from fiedler.support.numbers import ROUNDED_Z95
from fiedler.tournament.ratings import PlayerRating
from fiedler.tournament.ratings.posterior import Posterior, PosteriorPlayer
from fiedler.tournament.ratings.series import Series, are_geometric
from fiedler.tournament.report.csv_line import Cell
from fiedler.tournament.report.elo import reach
from fiedler.tournament.report.figure import Figure

SHOWN = 20
"""Most levels of other players."""
LINE, LEGEND, LEFT = 14.0, 16.0, 64.0
MARKS = 10
"""About the most numbers of the axis below."""
ROOM = 0.02
"""Room on either side, as a share of the range of the numbers."""


def curve_figure(
    series: Sequence[Series], others: Sequence[PlayerRating], title: str, beside: Posterior | None = None
) -> Figure:
    """Draw the curves with their bands; `others` are horizontal lines, of many players a spread selection.

    With a posterior `beside` them, its points are added in a second colour, and its curves with their bands.
    """
    levels = _some(others)
    every = [player for one in series for player in one.players]
    ends = [*reach(every), *(player.elo for player in levels)]
    if beside is not None:
        ends += [player.elo for player in beside.players]
    low, high = min(ends), max(ends)
    room = 0.05 * (high - low)
    numbers = [number for one in series for number in one.numbers]
    geometric = are_geometric(numbers)
    names = [f"{shortened(player.name, 22)} {nice(player.elo)}" for player in levels]
    right = 30 + max((width(name, 11) for name in names), default=0)
    legends = [_legend(one) for one in series[:COLOURS]]
    places = _in_rows([width(legend, 11) + 48 for legend in legends], 1000 - 2 * LEFT)
    above = 44 + LEGEND * (1 + places[-1][0])
    plot = Plot(
        (1000, 402 + above),
        title,
        "Elo by the number in the name; the band is the interval, dashed lines are other players",
        x=_with_room(min(numbers), max(numbers), geometric=geometric),
        y=(low - room, high + room),
        margins=(above, right, 46, LEFT),
        geometric=geometric,
    )
    plot.text((8, 16), title, size=13, kind="title")
    plot.y_axis("Elo")
    plot.x_axis(
        "number in the name",
        at=sorted(set(numbers)) if geometric or len(set(numbers)) <= COLOURS * 2 else _marks(numbers),
    )
    _levels(plot, levels, names)
    posterior = {player.name: player for player in beside.players} if beside is not None else {}
    for place, one in enumerate(series[:COLOURS]):
        _curve(plot, one, place)
        _posterior_curve(plot, one, posterior, (place + len(series)) % COLOURS)
        row, at = places[place]
        x, y = LEFT + at, 38 + LEGEND * row
        plot.path([(x, y), (x + 18, y)], kind=f"line own{place}")
        plot.text((x + 24, y), legends[place], size=11)
    return Figure("curve", plot.svg(), *_numbers(series, others, None if beside is None else posterior))


def _numbers(
    series: Sequence[Series], others: Sequence[PlayerRating], posterior: Mapping[str, PosteriorPlayer] | None
) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Return the columns and the rows of the numbers."""
    rows: list[tuple[Cell, ...]] = [
        (one.stem, number, player.name, player.elo, player.plus, player.minus)
        for one in series
        for number, player in zip(one.numbers, one.players, strict=True)
    ]
    rows += [("", None, player.name, player.elo, player.plus, player.minus) for player in others]
    columns = ("series", "number", "player", "elo", "plus", "minus")
    if posterior is None:
        return columns, rows
    more = ("posterior", "posterior_sd", "curve", "curve_sd")
    return columns + more, [(*row, *_cells(posterior.get(str(row[2])))) for row in rows]


def _cells(player: PosteriorPlayer | None) -> tuple[Cell, ...]:
    """Return the last four cells of a row."""
    return (None,) * 4 if player is None else (player.elo, player.sd, player.curve, player.curve_sd)


def _posterior_curve(plot: Plot, one: Series, players: Mapping[str, PosteriorPlayer], colour: int) -> None:
    """Add the posterior ratings as points, and the curve of its prior with its band."""
    numbered = zip(one.numbers, one.players, strict=True)
    known = [(number, players[player.name]) for number, player in numbered if player.name in players]
    curve = [
        (number, player.curve, ROUNDED_Z95 * player.curve_sd)
        for number, player in known
        if player.curve is not None and player.curve_sd is not None
    ]
    if curve:
        above = [plot.spot(number, elo + reach) for number, elo, reach in curve]
        below = [plot.spot(number, elo - reach) for number, elo, reach in reversed(curve)]
        plot.path([*above, *below], kind=f"band fill{colour}", closed=True)
        plot.path([plot.spot(number, elo) for number, elo, _ in curve], kind=f"line own{colour}")
    for number, player in known:
        tooltip = f"{player.name}, posterior: {nice(player.elo)} ± {nice(ROUNDED_Z95 * player.sd)} Elo"
        plot.circle(plot.spot(number, player.elo), 2.0, kind=f"fill{colour}", tooltip=tooltip)


def _with_room(low: float, high: float, *, geometric: bool) -> tuple[float, float]:
    """Return the range of an axis with room beyond the outermost points."""
    if geometric:
        factor = (high / low) ** ROOM
        return low / factor, high * factor
    return low - ROOM * (high - low), high + ROOM * (high - low)


def _curve(plot: Plot, one: Series, place: int) -> None:
    """Add the band, the line, the points, and a ring around the best of them."""
    spots = list(zip(one.numbers, one.players, strict=True))
    known = [(number, player) for number, player in spots if math.isfinite(player.plus + player.minus)]
    if known:
        above = [plot.spot(number, player.elo + player.plus) for number, player in known]
        below = [plot.spot(number, player.elo - player.minus) for number, player in reversed(known)]
        plot.path([*above, *below], kind=f"band fill{place}", closed=True)
    plot.path([plot.spot(number, player.elo) for number, player in spots], kind=f"line own{place}")
    radius = 3.0 if len(spots) <= 120 else 1.5
    for number, player in spots:
        tooltip = f"{player.name}: {nice(player.elo)} +{nice(player.plus)} −{nice(player.minus)} Elo"
        plot.circle(plot.spot(number, player.elo), radius, kind=f"fill{place}", tooltip=tooltip)
    if one.best is not None:
        x, y = plot.spot(one.numbers[one.players.index(one.best)], one.best.elo)
        plot.add(f'<circle class="line own{place}" cx="{x:.1f}" cy="{y:.1f}" r="7"/>')


def _marks(numbers: Sequence[int]) -> list[float]:
    """Return four round numbers or more in the range of many numbers."""
    return [mark for mark in ticks(min(numbers), max(numbers), MARKS) if mark.is_integer()]


def _legend(one: Series) -> str:
    """Return the stem, or the first and the last name of players whose names are numbers, and the summary."""
    named = f"{one.players[0].name} to {one.players[-1].name}"
    if one.stem:
        named = shortened(one.stem) if "…" in one.stem else f"{shortened(one.stem)}…"
    return f"{named}  {shortened(one.summary, 80)}"


def _in_rows(widths: Sequence[float], room: float) -> list[tuple[int, float]]:
    """Return the row and the place in it of items that are side by side while there is room."""
    found, row, at = [], 0, 0.0
    for wide in widths:
        if at and at + wide > room:
            row, at = row + 1, 0.0
        found.append((row, at))
        at += wide
    return found


def _levels(plot: Plot, levels: Sequence[PlayerRating], names: Sequence[str]) -> None:
    """Add the lines of other players (falling), their names moved apart."""
    if not levels:
        return
    from scipy.optimize import isotonic_regression  # slow to import, and few figures need it

    heights = np.array([plot.y(player.elo) for player in levels])
    steps = LINE * np.arange(len(levels))
    places = isotonic_regression(heights - steps).x + steps
    places = places - max(0.0, float(places.max()) - plot.bottom)
    for height, place, name in zip(heights.tolist(), places.tolist(), names, strict=True):
        plot.line((plot.left, height), (plot.right, height), kind="axis dashed")
        plot.line((plot.right, height), (plot.right + 10, place), kind="grid")
        plot.text((plot.right + 13, place), name, size=11, kind="muted")


def _some(others: Sequence[PlayerRating]) -> list[PlayerRating]:
    rated = [player for player in others if player.games and math.isfinite(player.elo)]
    if len(rated) <= SHOWN:
        return rated
    return [rated[round(place * (len(rated) - 1) / (SHOWN - 1))] for place in range(SHOWN)]  # with both ends
