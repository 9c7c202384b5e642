"""The pages as a site: every link has its file, every page a place in the navigation."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.folders import ROOT
from tools import docs


def test_no_link_of_the_site_is_dead_and_every_page_is_listed() -> None:
    pages, others, faults = docs.reached(docs.STARTS)
    assert faults == []
    assert docs.unlisted() == []
    assert Path("docs/schedule.md") in pages
    assert Path("docs/images/web-run.png") in others


def test_a_dead_link_has_its_line_outside_of_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    text = "# A\n\n[b](docs/b.md#c) [here](#a) [host](https://a.org/x.md) `[c](c.md)`\n\n    [d](d.md)\n\n![e](e.svg)"
    (tmp_path / "README.md").write_text(text, encoding="utf-8")
    (tmp_path / "docs/b.md").write_text("```\n[f](f.md)\n```\n[g](../g/)\n", encoding="utf-8")
    pages, others, faults = docs.reached([Path("README.md")])
    assert (pages, others) == ([Path("README.md"), Path("docs/b.md")], [])
    assert faults == ["README.md:7: expected a file, got e.svg", "docs/b.md:4: expected a file, got ../g/"]


def test_headings_are_sections_and_rows_are_pages() -> None:
    index = "## One\n\n| [a](a.md) | |\n\n### Inner\n\n| [`b`](../b.md) | |\n\n## Two\n\n| [c](c/README.md) | |\n"
    *found, packages = docs.navigation(index)
    inner = {"Inner": [{"b": "b.md"}]}
    assert found == [{"One": [{"a": "docs/a.md"}, inner]}, {"Two": [{"c": "docs/c/README.md"}]}]
    assert {"fiedler.client": "docs/api/fiedler.client.md"} in packages["Python API"]


def test_the_settings_have_the_navigation_and_the_packages() -> None:
    settings: dict[str, Any] = tomllib.loads(docs.with_navigation((ROOT / "docs/zensical.toml").read_text("utf-8")))
    sections = [next(iter(section)) for section in settings["project"]["nav"]]
    assert sections[:3] == ["Home", "Tutorials", "How to"]
    handler = settings["project"]["plugins"]["mkdocstrings"]["handlers"]["python"]
    assert handler["paths"] == [str(ROOT)]
