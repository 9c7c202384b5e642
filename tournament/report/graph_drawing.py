"""A meeting graph as SVG: players are discs around a circle, meetings are lines bent towards its centre."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from fiedler.support.drawing import Colours, Drawing, Spot, width
from fiedler.tournament.report.wheel import SIZE, Wheel

TOP, EDGE, LEGEND = 34.0, 14.0, 26.0
LARGEST = 11.0
"""Largest radius of a disc, in pixels."""


@dataclass(frozen=True)
class Disc:
    """A player: its name and a note beside it, its tooltip, its colour and its games."""

    name: str
    note: str
    tooltip: str
    fill: str
    games: float


@dataclass(frozen=True)
class Line:
    """A meeting of two players, by place."""

    one: int
    other: int
    games: int
    stroke: str
    tooltip: str


@dataclass(frozen=True)
class Legend:
    """A bar of colours with its label and the labels of its ends."""

    colours: Colours
    label: str
    ends: tuple[str, str]


def draw_graph(
    discs: Sequence[Disc],
    lines: Sequence[Line],
    legends: Sequence[Legend],
    *,
    ranked: bool,
    title: str,
    description: str,
) -> str:
    """Return SVG; later lines cover earlier ones; `ranked` discs come from the best down."""
    wheel = Wheel([one.name for one in discs], [one.note for one in discs], ranked=ranked)
    left, top, right, bottom = wheel.bounds
    broadest = max((width(f"{one.ends[1]}   {one.label}", 11) for one in legends), default=0.0)
    size = (
        max(right - left + 2 * EDGE, 240.0 + broadest, width(title, 13) + 2 * EDGE),
        TOP + bottom - top + 2 * EDGE + LEGEND * len(legends),
    )
    drawing = Drawing(*size, title, description)
    centre = ((size[0] - left - right) / 2, TOP + EDGE - top)
    drawing.text((EDGE, 16), title, size=13, kind="title")
    _lines(drawing, wheel, lines, centre)
    _discs(drawing, wheel, discs, centre)
    for place, one in enumerate(legends, start=1):
        drawing.scale((EDGE + 46, size[1] - EDGE - LEGEND * (len(legends) - place)), one.colours, one.label, one.ends)
    return drawing.svg()


def _lines(drawing: Drawing, wheel: Wheel, lines: Sequence[Line], centre: Spot) -> None:
    most = max((line.games for line in lines), default=1)
    crowding = min(1.0, max(0.3, 40 / max(1, len(lines))))
    parts = [f'<g class="edges" fill="none" stroke-opacity="{0.25 + 0.6 * crowding:.2f}" stroke-linecap="round">']
    for line in lines:
        course = "{:.1f} {:.1f}".format
        start, end = (course(*_moved(wheel.spot(place), centre)) for place in (line.one, line.other))
        bend = course(*_moved(wheel.bend(line.one, line.other), centre))
        wide = 0.7 + 2.3 * crowding * line.games / most
        stroke = f' stroke="{line.stroke}"' if line.stroke else ' class="own0"'
        parts.append(
            f'<path data-ends="{line.one} {line.other}" d="M{start}Q{bend} {end}"{stroke} '
            f'stroke-width="{wide:.2f}"><title>{escape(line.tooltip)}</title></path>'
        )
    drawing.add("\n".join([*parts, "</g>"]))


def _discs(drawing: Drawing, wheel: Wheel, discs: Sequence[Disc], centre: Spot) -> None:
    """Add leaders, numbers of places, discs and names; a disc and its name react to the pointer together."""
    radii = _radii(discs)
    written = {name.place: name for name in wheel.written}
    for place, name in written.items():
        x, y = _moved(name.at, centre)
        outside = _moved(wheel.spot(place, wheel.radius + radii[place] + 2), centre)
        drawing.line(outside, (x + (-4 if name.anchor == "start" else 4), y), kind="grid")
    for place, at in wheel.ranks():
        drawing.text(_moved(at, centre), str(place + 1), size=11, anchor="middle", kind="muted")
    for place, (disc, radius) in enumerate(zip(discs, radii, strict=True)):
        x, y = _moved(wheel.spot(place), centre)
        fill = f'fill="{disc.fill}" class="disc"' if disc.fill else 'class="disc fill0"'
        text = ""
        if place in written:
            name = written[place]
            a, b = _moved(name.at, centre)
            turn = "" if name.anchor == "start" else ' text-anchor="end"'
            note = f'<tspan class="muted" dx="6">{escape(disc.note)}</tspan>' if disc.note else ""
            text = (
                f'<text x="{a:.1f}" y="{b:.1f}" dy=".35em" font-size="{SIZE:g}"{turn}>{escape(disc.name)}{note}</text>'
            )
        drawing.add(
            f'<g class="node" data-node="{place}"><title>{escape(disc.tooltip)}</title>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {fill}/>{text}</g>'
        )


def _radii(discs: Sequence[Disc]) -> list[float]:
    """Return radii of discs whose areas are proportional to the games; neighbours never touch."""
    most = max((disc.games for disc in discs), default=0) or 1.0
    largest = min(LARGEST, 380.0 / max(1, len(discs)) + 2)
    return [max(2.5, largest * math.sqrt(disc.games / most)) for disc in discs]


def _moved(at: Spot, centre: Spot) -> Spot:
    return at[0] + centre[0], at[1] + centre[1]
