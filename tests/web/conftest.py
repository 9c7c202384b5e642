"""A browser, and servers of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.tournament.schedules import Bench
from tests.web.browser import Watch, chromium
from tests.web.pages import Pages

EXPECTED = ("listening on ", "metrics on ", "wrong tokens: ")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file."""
    with chromium() as one:
        yield one


@pytest.fixture
def watch(pages: Callable[..., Pages]) -> Iterator[Watch]:
    """Opens pages; an error on the console, an exception or an answer from 400 on fails the test.

    They close before the servers of `pages` do.
    """
    one = Watch()
    yield one
    one.close()
    assert one.errors == []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A folder for a schedule and its runs."""
    return Bench(tmp_path)


@pytest.fixture
def pages(tmp_path: Path) -> Iterator[Callable[..., Pages]]:
    """Starts servers; without a folder they show the runs of `bench`.

    They print nothing but their addresses, and the number of wrong tokens.
    """
    started: list[Pages] = []

    def start(*options: object, results: Path | None = None) -> Pages:
        folder = results if results is not None else tmp_path / "results"
        folder.mkdir(exist_ok=True)
        started.append(Pages(folder, *options))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.stop()
    assert [line for one in started for line in one.lines if not line.startswith(EXPECTED)] == []
