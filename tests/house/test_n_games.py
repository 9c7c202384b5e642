"""What N games can tell: the page and its picture have the kept numbers, and these can be measured again."""

from __future__ import annotations

import json

import pytest
from msgspec import to_builtins

from tests.folders import ROOT
from tests.games.test_pages import load_script

SCRIPT = load_script("measure_games")


def test_the_page_and_the_picture_are_those_of_the_kept_numbers() -> None:
    for path, text in SCRIPT.files().items():
        assert path.read_text("utf-8") == text, path.relative_to(ROOT)


@pytest.mark.slow
def test_a_kept_number_can_be_measured_again() -> None:
    kept = json.loads(SCRIPT.KEPT.read_text("utf-8"))
    assert to_builtins(SCRIPT.measured(2, 20, 100)) in kept
