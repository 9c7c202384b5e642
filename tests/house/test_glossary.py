"""The glossary has the words that pages, reports and messages use, and the pages link to it."""

from __future__ import annotations

import re

import pytest

from fiedler.tournament.report.html import table
from fiedler.tournament.report.words import WORDS, title_of
from tests.folders import DOCS, ROOT

GLOSSARY = (DOCS / "glossary.md").read_text("utf-8")
ROWS = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", GLOSSARY, re.MULTILINE))
ASKED = (
    *("ply", "llr", "meeting", "H0, H1", "tau", "nats", "RMS error", "± Elo", "void", "benched", "lag credit"),
    *("osp", "hsp", "centipawn, cp", "prior", "SPRT", "LOS", "given up"),
)
PAGES = (
    *("tournament", "schedule", "web", "engine", "players", "meeting-graph", "ratings", "report", "training", "league"),
    *("python", *(f"protocols/{name}" for name in ("mqtt", "ugi", "uci", "gtp", "gomocup", "rowcol", "makemove"))),
)
SPELLED = {"osp": "one-step player", "hsp": "heuristic-sum player"}
TABLES = [
    page for room in (DOCS, ROOT / "results", ROOT / "benchmarks", ROOT / "models") for page in room.rglob("*.md")
]


@pytest.mark.parametrize("word", ASKED)
def test_a_word_has_a_meaning(word: str) -> None:
    assert ROWS[word]


def test_the_words_are_sorted_and_those_of_the_report_are_among_them() -> None:
    words = [word.lower() for word in ROWS if word not in ("word", "---", "± Elo")]
    assert words == sorted(words)
    known = ", ".join(ROWS)
    assert [word for word in WORDS if word not in known] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_links_to_the_glossary(page: str) -> None:
    assert "glossary.md)" in (DOCS / f"{page}.md").read_text("utf-8").split("\n## ")[0]


def test_short_names_of_players_are_spelled_out_where_they_come_first() -> None:
    from fiedler.players.registry import player_kind

    assert player_kind("osp").description.startswith("one-step player: ")
    assert player_kind("hsp").description.startswith("heuristic-sum player: ")
    page = (DOCS / "players.md").read_text("utf-8")
    assert "| `osp`, the one-step player |" in page
    assert "| `hsp`, the heuristic-sum player |" in page


def test_a_page_with_a_short_name_in_a_table_spells_it_out() -> None:
    for page in TABLES:
        text = page.read_text("utf-8")
        rows = [line for line in text.split("\n") if line.startswith("|")]
        shown = {name for name in SPELLED if any(re.search(rf"\b{name}\b", row) for row in rows)}
        assert [name for name in shown if SPELLED[name] not in text.replace("\n", " ")] == [], page


def test_a_heading_of_a_report_has_its_meaning_as_a_title() -> None:
    assert f'<th title="{title_of("opponents")}">opponents</th>' in table(["player", "opponents"], [["a", "1"]])
