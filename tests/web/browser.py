"""Debian's Chromium, and pages that fail for an error that the browser notes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.patience import PATIENCE
from tests.programs import need

OWN = os.environ.get("CHROMIUM")
CHROMIUM = OWN or "/usr/bin/chromium-headless-shell"
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser; it ends before other tests run an event loop in this thread."""
    if OWN is None:
        need("chromium-headless-shell")
    expect.set_options(timeout=1000 * PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Watch:
    """The errors of the pages of a test."""

    errors: list[str] = field(default_factory=list)
    expected: set[str] = field(default_factory=set)
    """Parts of the errors that a test provokes."""
    _contexts: list[BrowserContext] = field(default_factory=list)

    def page(self, browser: Browser, **context: Any) -> Page:
        """Open a page in a context of its own."""
        self._contexts.append(browser.new_context(**{"viewport": WIDE, **context}))
        one = self._contexts[-1].new_page()
        one.set_default_timeout(1000 * PATIENCE)
        one.on("console", lambda said: self.note(said.text) if said.type in ("error", "warning") else None)
        one.on("pageerror", lambda error: self.note(str(error)))
        one.on("response", lambda answer: self.note(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
        return one

    def close(self) -> None:
        """Close the pages: one left open would ask the server of a later test for its run."""
        for context in self._contexts:
            context.close()

    def note(self, text: str) -> None:
        """Keep an error that no test expects."""
        if not any(part in text for part in self.expected):
            self.errors.append(text)


def overflow(page: Page) -> list[str]:
    """Return the elements that make a page broader than its window."""
    found: list[str] = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] :
        [...document.querySelectorAll("main *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => one.outerHTML.slice(0, 120))"""
    )
    return found
