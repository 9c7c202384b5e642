"""Streams that are lost without a word: a page notices, and opens another one."""

from __future__ import annotations

import signal
from collections.abc import Callable

from playwright.sync_api import Browser, expect

from tests.tournament.manager_process import Manager
from tests.tournament.schedules import Bench, player
from tests.web.browser import Watch
from tests.web.pages import Pages
from tests.web.runs import HELD, release

Start = Callable[..., Pages]
SILENT_MS = 40_000
"""The longest silence of a stream: that of silence.js."""
WATCH = """async () => {
    const { Silence } = await import("/static/silence.js");
    window.losses = 0;
    window.stream = new EventTarget();
    window.silence = new Silence(() => { window.losses += 1; });
    window.silence.watch(window.stream);
}"""
PING = "window.stream.dispatchEvent(new Event('ping'))"


def test_a_frozen_server_is_noticed(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    watch.expected.add("net::ERR")
    bench.write([player("a", "held"), player("b")], limit=HELD)
    manager = Manager(bench, "--progress", "all")
    manager.wait_for("Started game ", 1)
    server, page = pages(), watch.page(browser)
    page.clock.install()
    page.goto(f"{server.url}/runs/test")
    expect(page.locator(".state")).to_have_text("running")
    server.process.send_signal(signal.SIGSTOP)
    page.clock.fast_forward(SILENT_MS + 1)
    expect(page.locator(".head .warning").first).to_have_text("No connection to the server; trying again.")
    server.process.send_signal(signal.SIGCONT)
    expect(page.locator(".head .warning").first).to_be_hidden()
    release(bench)
    assert manager.end() == (0, "")
    expect(page.locator(".state")).to_have_text("finished")


def test_a_stream_with_signs_of_life_is_kept(browser: Browser, watch: Watch, pages: Start) -> None:
    page = watch.page(browser)
    page.clock.install()
    page.goto(pages().url)
    page.evaluate(WATCH)
    for _ in range(3):
        page.clock.fast_forward(SILENT_MS - 1000)
        page.evaluate(PING)
    assert page.evaluate("window.losses") == 0
    page.clock.fast_forward(SILENT_MS + 1)
    assert page.evaluate("window.losses") == 1


def test_a_stream_that_ended_is_not_watched(browser: Browser, watch: Watch, pages: Start) -> None:
    page = watch.page(browser)
    page.clock.install()
    page.goto(pages().url)
    page.evaluate(WATCH)
    page.evaluate("window.silence.end()")
    page.clock.fast_forward(2 * SILENT_MS)
    assert page.evaluate("window.losses") == 0
