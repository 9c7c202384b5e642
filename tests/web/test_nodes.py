"""The nodes of a run in a cluster, on its page."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.tournament.report.made_runs import make_cluster_run, make_run, write_nodes
from tests.tournament.schedules import Bench
from tests.web.browser import NARROW, WIDE, Watch, overflow
from tests.web.pages import Pages
from tests.web.test_server import ask, content

Start = Callable[..., Pages]
SECRETS = ("10.0.0.", "/opt/c", "3.10 there")


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_page_follows_the_nodes(
    browser: Browser, watch: Watch, pages: Start, bench: Bench, viewport: dict[str, int]
) -> None:
    folder = make_cluster_run(bench.results / "test")
    page = watch.page(browser, viewport=viewport)
    page.goto(f"{pages().url}/runs/test")
    row = page.locator("#nodes tr[data-node=n1]")
    expect(row).to_contain_text("n110.0.0.3left250")
    expect(row).to_contain_text("<0.001")
    expect(page.locator("#nodes li").nth(1)).to_have_text("n1: player c cannot play there: /opt/c: not found")
    expect(page.locator("#nodes")).to_contain_text("standard deviations less than elsewhere")
    expect(page.locator("#nodes tr[data-node=n3] td").last).to_have_text("–")
    expect(page.locator("#nodes li", has_text="no test of")).to_have_count(0)
    assert overflow(page) == []
    broken = Axe().run(page).response["violations"]
    assert [one["id"] for one in broken if one["impact"] in ("serious", "critical")] == []
    write_nodes(folder, 51)
    expect(row).to_contain_text("n110.0.0.3left251")


def test_nodes_without_a_test_have_a_dash_and_the_reason(
    browser: Browser, watch: Watch, pages: Start, bench: Bench
) -> None:
    write_nodes(make_run(bench.results / "test", ["a", "b"]), 0)
    page = watch.page(browser)
    page.goto(f"{pages().url}/runs/test")
    expect(page.locator("#nodes tr[data-node=n1] td").last).to_have_text("–")
    expect(page.locator("#nodes li").last).to_contain_text("– no test of n1, n2 yet: it needs games of one pair")


def test_a_run_without_a_cluster_has_none(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    make_run(bench.results / "test", ["a", "b"])
    page = watch.page(browser)
    page.goto(f"{pages().url}/runs/test")
    expect(page.locator("#standings tbody tr")).to_have_count(2)
    expect(page.locator("#nodes")).to_be_hidden()


def test_a_public_page_names_no_address_and_no_reason(pages: Start, bench: Bench) -> None:
    make_cluster_run(bench.results / "test")
    text = content(ask(pages("--public"), "/api/runs/test"))
    assert [node["state"] for node in json.loads(text)["nodes"]["nodes"]] == ["left", "left", "refused"]
    assert [secret for secret in SECRETS if secret in text] == []
