"""The sample dialogues of a protocol's page."""

from __future__ import annotations

from pathlib import Path


def exchanges(page: Path, heading: str, text: str = "") -> list[tuple[list[str], list[str]]]:
    """Return the lines said and the lines answered, in turns, of the first block of text after a heading.

    `text` replaces that of the page.
    """
    block = (
        (text or page.read_text(encoding="utf-8")).split(f"\n## {heading}\n")[1].split("```text\n")[1].split("```")[0]
    )
    found: list[tuple[list[str], list[str]]] = []
    for line in block.splitlines():
        mark, text = line[:1], line[2:]
        if mark == ">":
            if not found or found[-1][1]:
                found.append(([], []))
            found[-1][0].append(text)
        else:
            assert mark == "<", line
            found[-1][1].append(text)
    return found
