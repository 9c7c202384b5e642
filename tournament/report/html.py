"""Pieces of a page: sections, tables, definition lists, pictures. Text is escaped; `Markup` is HTML already."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from fiedler.support.drawing import STYLE, nice
from fiedler.support.templates import templates
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.words import title_of

HERE = Path(__file__).parent
LEGIBLE = 0.85
"""Least scale of a picture on a narrow page; on a narrower one it scrolls."""
TALL = 40
"""Most rows of a table that does not scroll by itself."""
_WIDTH = re.compile(r'<svg[^>]* width="([\d.]+)"')


class PageSection(NamedTuple):
    """A section of the page; a part without content is left out."""

    title: str
    content: tuple[Markup, ...]

    @property
    def anchor(self) -> str:
        """The id, for the contents."""
        return "".join(sign if sign.isalnum() else "-" for sign in self.title.lower())


class TableCell(NamedTuple):
    """A cell of a class of its own."""

    kind: str
    content: str
    value: str = ""
    """The value by which the table is sorted, if it is not the content."""


Row = Sequence[str | TableCell]


def section(title: str, *content: Markup) -> PageSection:
    """Return a section."""
    return PageSection(title, tuple(part for part in content if part))


def paragraph(text: str, kind: str = "") -> Markup:
    """Return a paragraph."""
    return _piece("paragraph", text=text, kind=kind)


def note(text: str) -> Markup:
    """Return a paragraph of explanation."""
    return paragraph(text, "muted")


def bold(text: str) -> Markup:
    """Return a paragraph in bold type."""
    return _piece("bold", text=text)


def verdict(text: str, judgement: str) -> Markup:
    """Return a paragraph with a judgement in bold type at its end."""
    return _piece("verdict", text=text, judgement=judgement)


def code(text: str) -> Markup:
    """Return text as a program has it."""
    return _piece("code", text=text)


def listing(text: str) -> Markup:
    """Return the lines of a file."""
    return _piece("listing", text=text)


def failed(text: object) -> Markup:
    """Return text in the colour of failures."""
    return _piece("failed", text=text)


def viewer(games: Mapping[str, Any]) -> Markup:
    """Return the place of the viewer, with its games as JSON."""
    return _piece("viewer", value=games)


def picture(figure: Figure, caption: str) -> Markup:
    """Return a figure with its caption and the data of its tooltips."""
    svg = figure.svg.replace(f"<style>{STYLE}</style>\n", "", 1)
    wide = _WIDTH.search(svg)
    least = f"{LEGIBLE * float(wide[1]):.0f}" if wide else ""
    return _piece("picture", figure=figure, svg=svg, least=least, caption=caption)


def columns(first: Markup, second: Sequence[Markup]) -> Markup:
    """Return two columns."""
    return _piece("columns", content=first, others=second)


def table(header: Sequence[str], rows: Iterable[Row], *, left: int = 1, kind: str = "sortable") -> Markup:
    """Return a table; the first `left` columns are flush left.

    A heading that is a word of the glossary has its meaning as a title. A table of more than `TALL` rows scrolls by
    itself.
    """
    head = [(text, title_of(text)) for text in header]
    lines = list(rows)
    return _piece("table", head=head, rows=lines, left=left, kind=kind, is_tall=len(lines) > TALL)


def wrapped(text: str) -> TableCell:
    """Return a cell of several lines."""
    return TableCell("wrap", text)


def bar(start: str, width: str, middle: str) -> Markup:
    """Return a dot at `middle` on an interval, which is left out if its `start` is empty; in % of the width."""
    return _piece("bar", start=start, width=width, middle=middle)


def definitions(items: Mapping[str, Any]) -> Markup:
    """Return a list of names with their values."""
    return _piece("definitions", items=items)


def folded(summary: str, content: Markup, *, shown: bool = False) -> Markup:
    """Return content that opens with a click."""
    return _piece("folded", summary=summary, content=content, shown=shown)


def percent(share: float, digits: int = 0) -> str:
    """Return a share as text."""
    return f"{nice(100 * share, digits)} %"


def _piece(name: str, **values: object) -> Markup:
    made: Markup = getattr(templates(HERE).get_template("pieces.html").module, name)(**values)
    return made
