"""The schedule on the page about a league is a valid one."""

from __future__ import annotations

import re
from pathlib import Path

from fiedler.tournament.schedule.validation import load
from tests.folders import ROOT


def test_the_schedule_of_the_league_is_valid(tmp_path: Path) -> None:
    found = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "league.md").read_text("utf-8"), re.DOTALL)
    assert found is not None
    path = tmp_path / "league.toml"
    path.write_text(found[1], "utf-8")
    assert load(path).dialling == ("ann",)


def test_the_schedule_of_the_services_is_that_of_the_page() -> None:
    file = (ROOT / "deploy/league.toml").read_text("utf-8")
    _, _, tables = file.partition("\n[tournament]\n")
    assert f"```toml\n[tournament]\n{tables}```" in (ROOT / "docs/league.md").read_text("utf-8")
