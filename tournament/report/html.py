"""Pieces of a page: sections, tables, definition lists, pictures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from support.drawing import STYLE, nice
from tournament.report.figure import Figure
from tournament.report.words import title_of

LEGIBLE = 0.85
"""Least scale of a picture on a narrow page; on a narrower one it scrolls."""
TALL = 40
"""Most rows of a table that does not scroll by itself."""
_WIDTH = re.compile(r'<svg[^>]* width="([\d.]+)"')


def section(title: str, *content: str) -> str:
    """Return a section with an anchor for the contents."""
    return "\n".join([f'<section id="{anchor(title)}">', f"<h2>{escape(title)}</h2>", *content, "</section>"])


def anchor(title: str) -> str:
    """Return the id of a section."""
    return "".join(sign if sign.isalnum() else "-" for sign in title.lower())


def paragraph(text: str, kind: str = "") -> str:
    """Return a paragraph of plain text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def note(text: str) -> str:
    """Return a paragraph of explanation."""
    return paragraph(text, "muted")


def picture(figure: Figure, caption: str) -> str:
    """Return a figure with its caption and the data of its tooltips."""
    svg = figure.svg.replace(f"<style>{STYLE}</style>\n", "", 1)
    wide = _WIDTH.search(svg)
    least = f' style="--least:{LEGIBLE * float(wide[1]):.0f}px"' if wide else ""
    files = f"<code>figures/{figure.name}.svg</code>, <code>.csv</code>, <code>.json</code>"
    marks, data = "", ""
    if figure.hover:
        name = f"hover-{figure.name}"
        text = json.dumps(figure.hover, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        marks, data = f' data-hover="{name}"', f'<script type="application/json" id="{name}">{text}</script>'
    caption = f"<figcaption>{escape(caption)} {files}</figcaption>"
    box = f'<div class="box"><div class="scroll"{least}>{svg}</div></div>'
    return f"<figure{marks}>{box}{caption}{data}</figure>"


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    left: int = 1,
    kind: str = "sortable",
    caption: str = "",
) -> str:
    """Return a table of cells that are HTML already (or start with `<td`); the first `left` columns are flush left.

    One of more than `TALL` rows scrolls by itself.
    """

    def line(cells: Sequence[str], tag: str) -> str:
        marks = (_opened(tag, cell, is_left=place < left) for place, cell in enumerate(cells))
        texts = (
            cell if cell.startswith("<td") else f"{mark}{cell}</{tag}>" for mark, cell in zip(marks, cells, strict=True)
        )
        return f"<tr>{''.join(texts)}</tr>"

    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    lines = [line(row, "td") for row in rows]
    tall = ' tall" tabindex="0"' if len(lines) > TALL else '"'
    box = f'<div class="box"><div class="scroll{tall}>'
    head = f'<table class="{kind}">{title}<thead>{line(header, "th")}</thead><tbody>'
    return "\n".join([box + head, *lines, "</tbody></table></div></div>"])


def _opened(tag: str, cell: str, *, is_left: bool) -> str:
    """Return the beginning of a cell; a heading that is a word of the glossary has its meaning as a title."""
    meaning = title_of(cell) if tag == "th" else ""
    title = f' title="{escape(meaning)}"' if meaning else ""
    return f'<{tag} class="left"{title}>' if is_left else f"<{tag}{title}>"


def definitions(items: Mapping[str, Any]) -> str:
    """Return a list of names with their values."""
    lines = (f"<dt>{escape(str(key))}</dt><dd>{escape(str(value))}</dd>" for key, value in items.items())
    return f"<dl>{''.join(lines)}</dl>"


def folded(summary: str, content: str, *, shown: bool = False) -> str:
    """Return content that opens with a click."""
    return f"<details{' open' if shown else ''}><summary>{escape(summary)}</summary>{content}</details>"


def percent(share: float, digits: int = 0) -> str:
    """Return a share as text."""
    return f"{nice(100 * share, digits)} %"
