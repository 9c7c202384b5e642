"""The style of all drawings, for light and dark mode, and the colours of numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

STYLE = """\
.fig text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:#1f2328}
.fig .ground{fill:#fff}
.fig .muted{fill:#59636e}
.fig .title{font-weight:600}
.fig .halo{stroke:#fff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.fig .grid{stroke:#d8dee4;stroke-width:1;fill:none}
.fig .axis{stroke:#8b949e;stroke-width:1;fill:none}
.fig .dashed{stroke-dasharray:5 4}
.fig .line{fill:none;stroke-width:2;stroke-linejoin:round}
.fig .thin{stroke-width:1.2;stroke-opacity:.55}
.fig .empty{fill:#f0f2f5}
.fig .wood{fill:#f6efe0;stroke:#b9ab8c;stroke-width:.6}
.fig .black{fill:#1f2328;stroke:#1f2328}
.fig .white{fill:#fff;stroke:#1f2328}
.fig .own0{stroke:#1f5fa8}.fig .fill0{fill:#1f5fa8}
.fig .own1{stroke:#c2410c}.fig .fill1{fill:#c2410c}
.fig .own2{stroke:#15803d}.fig .fill2{fill:#15803d}
.fig .own3{stroke:#7e22ce}.fig .fill3{fill:#7e22ce}
.fig .band{opacity:.18}
.fig .disc{stroke:#fff;stroke-width:1.5}
.fig text.on-light{fill:#1f2328}
.fig text.on-dark{fill:#fff}
@media screen and (prefers-color-scheme:dark){
.fig text{fill:#e6edf3}
.fig .ground{fill:#0d1117}
.fig .muted{fill:#9198a1}
.fig .halo,.fig .disc{stroke:#0d1117}
.fig .grid{stroke:#262c36}
.fig .axis{stroke:#6e7681}
.fig .empty{fill:#161b22}
.fig .own0{stroke:#58a6ff}.fig .fill0{fill:#58a6ff}
.fig .own1{stroke:#f0883e}.fig .fill1{fill:#f0883e}
.fig .own2{stroke:#56d364}.fig .fill2{fill:#56d364}
.fig .own3{stroke:#d2a8ff}.fig .fill3{fill:#d2a8ff}
}
"""
COLOURS = 4
"""Series with a colour of their own: `own0` … and `fill0` …"""

SCORES = ((178, 24, 43), (244, 165, 130), (231, 224, 208), (146, 197, 222), (33, 102, 172))
"""Colours of areas for a score from 0 to 1; readable with the usual colour blindnesses."""
SCORE_LINES = ((200, 36, 52), (224, 130, 20), (150, 156, 164), (67, 147, 195), (42, 108, 188))
"""The same for lines and for single cells, which a pale middle would hide; visible on white and on black."""
SHARES = ((240, 242, 245), (190, 214, 238), (107, 165, 216), (31, 95, 168))
"""Colours of areas for a share from 0 to 1."""

RATINGS = ((109, 93, 178), (52, 131, 196), (42, 166, 142), (120, 184, 74), (233, 178, 36))
"""Colours of discs for ratings from the lowest to the highest, visible on white and on black."""

Colours = Sequence[tuple[int, int, int]]


def colour(value: float, colours: Colours = SCORES) -> str:
    """Return the colour of a number from 0 to 1, between those listed."""
    return "#{:02x}{:02x}{:02x}".format(*_mixed(value, colours))


def mosaic(values: NDArray[np.float64], colours: Colours = SCORES) -> NDArray[np.uint8]:
    """Return the colours of a matrix of numbers from 0 to 1, shape (rows, columns, 4); transparent for nan."""
    known = np.isfinite(values)
    stops = np.array(colours, dtype=np.float64)
    place = np.clip(np.nan_to_num(values), 0, 1) * (len(stops) - 1)
    made = [np.interp(place, np.arange(len(stops)), stops[:, channel]) for channel in range(3)]
    return np.stack([*made, np.where(known, 255, 0)], axis=2).round().astype(np.uint8)


def _mixed(value: float, colours: Colours) -> list[int]:
    return [int(channel) for channel in mosaic(np.array([[value]]), colours)[0, 0, :3]]


def ink_on(value: float) -> str:
    """Return the class of text on the colour of a score."""
    return "on-dark" if abs(value - 0.5) > 0.35 else "on-light"
