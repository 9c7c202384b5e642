"""`tournament serve` beside the run, and a browser with the page of the run on the far host."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Awaitable, Callable

from playwright.async_api import Page, Playwright, async_playwright

from tests.network.bed import NOTHING, Bed, output
from tests.patience import PATIENCE
from tests.programs import need
from tests.web.browser import CHROMIUM, OWN
from tools.wire.wire import ADDRESSES, FAR, NEAR

PORT, METRICS = 8080, "127.0.0.1:9090"
URL = f"http://{ADDRESSES[NEAR]}:{PORT}/runs/test"
ASK = f"from urllib.request import urlopen; print(urlopen('http://{METRICS}/metrics').read().decode())"
HEAD = "[document.body.dataset.kept ?? '', document.querySelector('.head')?.innerText ?? ''].join(' ')"
KEPT = "unchanged"
"""A mark of the page, which another load would remove."""
LOST = "No connection to the server; trying again."
LOOK_S = 0.1


class PageBed(Bed):
    """A run whose third game waits for the fault, and whose page is loaded once."""

    _playwright: Playwright | None = None
    _page: Page | None = None
    """None before it is loaded, and once the machine of the viewer has been switched off."""

    async def start(self) -> None:
        if OWN is None:
            need("chromium-headless-shell")
        await self.start_held_run()
        where = ["--host", ADDRESSES[NEAR], "--port", str(PORT), "--metrics", METRICS]
        await self.near("tournament", "serve", str(self.bench.results), "--public", *where)
        await self.until_said(f"listening on http://{ADDRESSES[NEAR]}")
        await self._open(URL)
        async with asyncio.timeout(PATIENCE):
            await self._until_shown("running")
        assert await self._viewers() == 1

    async def start_peer(self) -> None:
        """Leave the machine without a browser: the viewer is gone."""
        self._page = None

    async def come_to(self, word: str, seconds: float) -> str:
        async with asyncio.timeout(seconds):
            if word == NOTHING:
                await self._until_shown(KEPT, "finished", "12 games")
            else:
                await self._until(self._is_gone)
                if self._page is not None:
                    await self._until_shown(KEPT, LOST)
        assert await self.end_run() == 0
        return word

    async def close(self) -> None:
        await super().close()
        if self._playwright is not None:
            await self._playwright.stop()

    async def _open(self, url: str) -> None:
        """Start a browser on the far host, and load a page."""
        program = self.folder / "browser"
        words = self.wire.hosts[FAR].command([CHROMIUM])
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', "utf-8")
        program.chmod(0o755)
        self._playwright = await async_playwright().start()
        browser = await self._playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        self._page = await browser.new_page()
        await self._page.goto(url, timeout=1000 * PATIENCE)
        await self._page.evaluate(f"document.body.dataset.kept = {KEPT!r}")

    async def _until_shown(self, *texts: str) -> None:
        """Wait until the head of the page has these texts."""

        async def shown() -> bool:
            assert self._page is not None
            head = await self._page.evaluate(HEAD)
            return all(text in head for text in texts)

        await self._until(shown)

    async def _is_gone(self) -> bool:
        return await self._viewers() == 0

    async def _viewers(self) -> int:
        """Return the number of streams that the server has open."""
        text = await output(self.wire, NEAR, sys.executable, "-S", "-E", "-c", ASK)
        (value,) = [line.split()[1] for line in text.splitlines() if line.startswith("fiedler_viewers ")]
        return round(float(value))

    async def _until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        while not await holds():  # noqa: ASYNC110 - another process makes it true
            await asyncio.sleep(LOOK_S)
