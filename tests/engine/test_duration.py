"""Times on the command line."""

from __future__ import annotations

import click
import pytest

from fiedler.engine.commands.duration import Duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("200ms", 0.2), ("0.2s", 0.2), ("2s", 2.0), ("2", 2.0), (".5", 0.5), (" 5 s", 5.0), (0.25, 0.25)],
)
def test_times_as_people_write_them(text: str | float, seconds: float) -> None:
    assert Duration().convert(text, None, None) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "ms", "0", "0ms", "-1", "nan", "inf", "1m", "86401", "1 000"])
def test_a_wrong_time_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="expected a time above 0 and of at most a day, such as 200ms"):
        Duration().convert(text, None, None)
