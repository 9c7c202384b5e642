"""The pages of the protocols: a bot in ten minutes at the beginning, its check at the end."""

from __future__ import annotations

import re
import shlex
import tomllib

import pytest

from fiedler.protocol import DIALECTS
from tests.folders import DOCS, ROOT

PAGES = ["ugi", "uci", "gtp", "gomocup", "rowcol", "makemove"]


def sections(name: str) -> dict[str, str]:
    """The sections of a page by their headings, in order."""
    parts = re.split(r"^## (.+)$", (DOCS / "protocols" / f"{name}.md").read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_dialect_has_a_page() -> None:
    assert {*DIALECTS} == {*PAGES, "rowcol-list"}, "the page of rowcol has both"


@pytest.mark.parametrize("name", PAGES)
def test_the_bot_of_a_page_is_the_one_that_it_checks(name: str) -> None:
    found = sections(name)
    first, *_, last = found.values()
    headings = [*found]
    assert (headings[0], headings[-1]) == ("My bot in ten minutes", "Check your bot")
    copied = re.search(r"\(\.\./\.\./(examples/\w+\.py)\)", first)
    assert copied is not None
    assert (ROOT / copied[1]).is_file()
    (player,) = tomllib.loads(first.split("```toml\n")[1].split("```")[0])["players"]
    words = shlex.split(last.split("```sh\n")[1].split("```")[0])
    checked = words[words.index("--protocol") + 1] if "--protocol" in words else "ugi"
    assert words[words.index("--") + 1 :] == player["command"]
    assert player.get("protocol", "ugi") == checked
    assert checked.removesuffix("-list") == name
