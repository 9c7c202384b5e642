"""The scripts of boards in a page."""

from __future__ import annotations

import re

from fiedler.games.scripts import plain, script


def test_a_page_has_no_comments_on_lines_of_their_own() -> None:
    code = "a(); // b\n  /** @type {T} */ (b).c('// d');\n  /* d */\n"
    assert plain(f"// One.\n/** One. */\n{code}/**\n * Two.\n * @param x\n */\n  // Three.\n") == code


def test_the_script_has_every_module_and_no_import() -> None:
    text = script()
    assert re.findall(r'^boards\["(\w+)\.js"\] =', text, re.MULTILINE)[-2:] == ["scores", "replay"]
    assert not re.search(r"^(import|export)\b", text, re.MULTILINE)
