"""Takes the pictures of the pages, docs/images/web-*.png: `python docs/take_screenshots.py`, about a minute.

A run of configs/quickstart.toml is shown while it is played, on a screen and on a telephone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell")
SIZES = {"": {"width": 1280, "height": 1000}, "-phone": {"width": 390, "height": 844}}
MOVES = ("2b2", "3c3", "2c3")
"""The person's moves in the picture of playing."""
BOARDS = {
    "chess": ("e2e4", "c7c5", "g1f3", "d7d6", "d2d4", "c5d4", "f3d4", "g8f6", "b1"),
    "go9": ("d6", "e6", "c5", "f5", "d4", "e4", "g3", "d5", "e5"),
}
"""The cells that two people choose in the pictures of other boards."""
GAMES = 150
"""Finished games at the time of the picture."""


def main() -> None:
    """Play, and take the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        command = [ROOT / ".venv/bin/tournament", "run", ROOT / "configs/quickstart.toml"]
        options = ["--results", folder, "--quiet", "--serve"]
        with subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True, cwd=ROOT) as manager:
            assert manager.stderr is not None
            take_running(browser, manager.stderr.readline().split()[-1])
            manager.communicate()
        command = [ROOT / ".venv/bin/tournament", "serve", folder, "--port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as server:
            assert server.stderr is not None
            url = server.stderr.readline().split()[-1]
            take_finished(browser, url)
            take_boards(browser, url)
            server.terminate()
        take_play(browser, folder)


def take_running(browser: Browser, url: str) -> None:
    """Take pictures of the page of a run while it is played."""
    waiting = browser.new_page()
    while (answer := waiting.goto(url)) is None or not answer.ok:
        waiting.wait_for_timeout(200)
    waiting.wait_for_selector(".card svg.board")
    while waiting.locator("progress").evaluate("(bar) => bar.value") < GAMES:
        waiting.wait_for_timeout(100)
    take(browser, {"run": url})
    waiting.close()


def take_finished(browser: Browser, url: str) -> None:
    """Take pictures of the other pages of a run, when it is finished."""
    run = f"{url}runs/uttt-quickstart"
    waiting = browser.new_page()
    waiting.goto(run)
    pair = waiting.locator("#crosstable td a:visible").first.evaluate("(link) => link.href")
    waiting.goto(pair)
    game = waiting.locator(".game-list a").first.evaluate("(link) => link.href")
    waiting.close()
    player = pair.partition("&")[0].replace("/pair?", "/player?")
    take(browser, {"player": player, "pair": pair, "games": f"{run}/games", "game": game, "runs": url})


def take(browser: Browser, pages: dict[str, str]) -> None:
    """Take a picture of each page in each size."""
    for name, address in pages.items():
        for suffix, size in SIZES.items():
            page = browser.new_page(viewport=size)
            page.goto(address)
            page.wait_for_timeout(2500)
            page.screenshot(path=IMAGES / f"web-{name}{suffix}.png")
            page.close()


def take_boards(browser: Browser, url: str) -> None:
    """Take pictures of games of two people: a chosen piece and its targets, a captured stone."""
    for (game, moves), (suffix, size) in zip(BOARDS.items(), SIZES.items(), strict=True):
        page = browser.new_page(viewport=size, reduced_motion="reduce")
        page.goto(f"{url}play/{game}")
        for ply, move in enumerate(moves):
            for cell in (move[:2], move[2:]):
                if cell:
                    page.locator(f'.board[data-ply="{ply}"] [data-name="{cell}"]').press("Enter")
        page.wait_for_timeout(500)
        page.evaluate("document.activeElement.blur()")
        page.screenshot(path=IMAGES / f"web-{game}{suffix}.png")
        page.close()


def take_play(browser: Browser, folder: str) -> None:
    """Take pictures of a person's game of the cube against negamax."""
    command = [ROOT / ".venv/bin/engine", "play", "--web", "--game", "cube", "--player", "negamax"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
        assert server.stdout is not None
        url = server.stdout.readline().split()[2]
        try:
            for suffix, size in SIZES.items():
                page = browser.new_page(viewport=size, reduced_motion="reduce")
                page.goto(url)
                page.get_by_label("Limit").select_option("n10000")
                page.get_by_role("button", name="Start").click()
                page.locator('button[data-view="turn"]').click()
                for ply, cell in enumerate(MOVES):
                    page.locator(f'.board[data-ply="{2 * ply}"] [data-name="{cell}"].playable').press("Enter")
                page.locator(f'.board[data-ply="{2 * len(MOVES)}"]').wait_for()
                page.locator(".play-evaluation summary").click()
                page.screenshot(path=IMAGES / f"web-play{suffix}.png")
                page.close()
        finally:
            server.send_signal(signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main())
