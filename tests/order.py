"""A plugin of pytest for `make test`, `-p tests.order`: the files whose tests take longest come first.

pytest-xdist gives each worker one file after another. A long file at the end keeps one worker busy while the others
have none left, and by itself pytest-xdist begins with the files of most tests, which are short ones. `seconds.json` has
the seconds of long files; `--record-seconds tests/seconds.json` writes it anew.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

TABLE = Path(__file__).with_name("seconds.json")
LONG_S = 2
"""Seconds: shorter files are not recorded, and come last."""


class FileTimes:
    """The seconds of each file, from the reports of its tests; written at the end."""

    def __init__(self, table: Path) -> None:
        self._table = table
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a part of a test."""
        self._seconds[_file(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        """Write the table, the longest first."""
        long = {file: round(seconds) for file, seconds in self._seconds.items() if seconds >= LONG_S}
        ordered = dict(sorted(long.items(), key=lambda entry: (-entry[1], entry[0])))
        self._table.write_text(json.dumps(ordered, indent=1) + "\n", "utf-8")


def _file(node: str) -> str:
    return node.partition("::")[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that records."""
    parser.addoption("--record-seconds", type=Path, metavar="FILE", help="write the seconds of long files")


def pytest_configure(config: pytest.Config) -> None:
    """Keep pytest-xdist from another order; record in the process that shares out the tests."""
    config.option.loadscopereorder = False
    if (table := config.getoption("record_seconds")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FileTimes(table))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort the files; the order within a file stays."""
    seconds: dict[str, int] = json.loads(TABLE.read_text("utf-8"))
    items.sort(key=lambda item: -seconds.get(_file(item.nodeid), 0))
