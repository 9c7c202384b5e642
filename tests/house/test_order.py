"""The order of the files in `make test`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import order
from tests.folders import ROOT


class FlatFile(pytest.File):
    """A file without a content."""

    def collect(self) -> list[pytest.Item]:
        return []


class IdleItem(pytest.Item):
    """A test that does nothing."""

    def runtest(self) -> None:
        pass


def items(session: pytest.Session, file: str, *names: str) -> list[pytest.Item]:
    parent = FlatFile.from_parent(session, path=ROOT / file)
    return [IdleItem.from_parent(parent, name=name) for name in names]


def test_long_files_come_first_and_tests_of_a_file_stay(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(order, "TABLE", tmp_path / "seconds.json")
    order.TABLE.write_text(json.dumps({"long.py": 60, "longer.py": 61}))
    files = {"b.py": ["two", "one"], "long.py": ["z", "a"], "a.py": ["x"], "longer.py": ["y"]}
    found = [item for file, names in files.items() for item in items(request.session, file, *names)]
    order.pytest_collection_modifyitems(found)
    expected = ["longer.py::y", "long.py::z", "long.py::a", "b.py::two", "b.py::one", "a.py::x"]
    assert [item.nodeid for item in found] == expected


def test_the_seconds_of_long_files_are_recorded(tmp_path: Path) -> None:
    times = order.FileTimes(tmp_path / "seconds.json")
    for node, seconds in (("a.py::x", 1.5), ("b.py::y[1]", 2.75), ("a.py::z", 1.0), ("c.py::z", 1.5)):
        times.pytest_runtest_logreport(
            pytest.TestReport(node, (node, 1, node), {}, "passed", None, "call", (), seconds)
        )
    times.pytest_sessionfinish()
    assert list(json.loads((tmp_path / "seconds.json").read_text("utf-8")).items()) == [("b.py", 3), ("a.py", 2)]


def test_the_table_names_files_that_exist() -> None:
    table = json.loads(order.TABLE.read_text("utf-8"))
    assert table
    assert [file for file in table if not (ROOT / file).is_file()] == []
