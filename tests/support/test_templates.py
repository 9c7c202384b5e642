"""Templates of HTML: text is escaped, markup is not, and a missing value is an error."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from fiedler.support.templates import templates


def rendered(folder: Path, text: str, **values: object) -> str:
    (folder / "one.html").write_text(text, "utf-8")
    return templates(folder).get_template("one.html").render(**values)


def test_text_is_escaped_and_markup_is_not(tmp_path: Path) -> None:
    found = rendered(tmp_path, "{{ one }}{{ two }}\n", one='<b title="&">', two=Markup("<i>"))
    assert found == "&lt;b title=&#34;&amp;&#34;&gt;<i>\n"


def test_a_missing_value_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UndefinedError, match="'one' is undefined"):
        rendered(tmp_path, "{{ one }}")


def test_json_cannot_end_its_script(tmp_path: Path) -> None:
    value = {"text": "</script> č"}
    found = rendered(tmp_path, "<script>{{ value|tojson }}</script>", value=value)
    inner = re.sub("</?script>", "", found)
    assert (found.count("</script>"), json.loads(inner)) == (1, value)
    assert "č" in inner
