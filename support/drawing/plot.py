"""A drawing of numbers, with axes."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fiedler.support.drawing.svg import Drawing, Spot
from fiedler.support.drawing.texts import width
from fiedler.support.drawing.ticks import tick_texts, ticks


class Plot(Drawing):
    """A drawing with a rectangle of numbers on it, y growing upwards."""

    def __init__(
        self,
        size: Spot,
        title: str,
        description: str = "",
        *,
        x: Spot,
        y: Spot,
        margins: tuple[float, float, float, float] = (16, 24, 46, 60),
        geometric: bool = False,
    ) -> None:
        """`x` and `y` are ranges; `margins` in pixels are above, right, below, left; `geometric` is a logarithmic x."""
        super().__init__(*size, title, description)
        self.top, right, below, self.left = margins
        self.right, self.bottom = size[0] - right, size[1] - below
        self._x, self._y, self._geometric = x, y, geometric

    def x(self, value: float) -> float:
        """Return the distance of a number from the left, in pixels."""
        low, high = self._x
        if self._geometric:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return self.left + (value - low) / ((high - low) or 1.0) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return the distance of a number from the top, in pixels."""
        low, high = self._y
        return self.bottom - (value - low) / ((high - low) or 1.0) * (self.bottom - self.top)

    def spot(self, x: float, y: float) -> Spot:
        """Return the place of a point."""
        return self.x(x), self.y(y)

    def y_axis(self, label: str, *, percent: bool = False) -> None:
        """Add horizontal lines with their numbers and the label."""
        for tick, text in tick_texts(ticks(*self._y), percent=percent):
            self.line((self.left, self.y(tick)), (self.right, self.y(tick)), kind="grid")
            self.text((self.left - 6, self.y(tick)), text, size=11, anchor="end", kind="muted")
        self.text((14, (self.top + self.bottom) / 2), label, anchor="middle", kind="muted", turned=True)

    def x_axis(self, label: str, *, percent: bool = False, at: Iterable[float] | None = None) -> None:
        """Add the line below with its numbers and the label."""
        self.line((self.left, self.bottom), (self.right, self.bottom))
        free = -math.inf
        for tick, text in tick_texts(ticks(*self._x) if at is None else at, percent=percent):
            half = width(text, 11) / 2
            if self.x(tick) - half < free:
                continue
            free = self.x(tick) + half + 6
            self.line((self.x(tick), self.bottom), (self.x(tick), self.bottom + 4))
            self.text((self.x(tick), self.bottom + 14), text, size=11, anchor="middle", kind="muted")
        self.text(((self.left + self.right) / 2, self.bottom + 34), label, anchor="middle", kind="muted")
