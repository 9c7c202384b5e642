"""The pages in a real Chromium: delay of events, first paint, clicks, the heap; and what 1,000 viewers cost a run.

    python -m benchmarks.web_pages delay                       # an event on disk until the page shows it
    python -m benchmarks.web_pages paint --players 100 --games 10000
    python -m benchmarks.web_pages click                       # a click on a board of /play until the board shows it
    python -m benchmarks.web_pages heap --minutes 10           # of the page of a run while it is played
    python -m benchmarks.web_pages pace                        # of a run, with 1,000 viewers and with none, in turns

Each prints one JSON object. The browser is Debian's `chromium-headless-shell` ($CHROMIUM names another). The server and
the viewers of `pace` give way to the games (nice 10, short time slices); the managers and the browser do not.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import click
import uvloop
from playwright.sync_api import Browser, Page

from benchmarks.web import MOVE_S, TABLES, OneViewer, schedule
from fiedler.support.address import parse_address
from fiedler.support.priority import give_way
from fiedler.tournament.run.event_log import EventLog
from fiedler.tournament.run.store import Store
from tests.tournament.report.made_runs import make_run
from tests.web.browser import chromium

ROOT = Path(__file__).parents[1]
GAMES = ("uttt", "connect4", "cube", "gomoku15")
"""The games of `click`."""
SETTLE_S = 3.0
"""Seconds before a measurement begins."""
HEAP_MOVE_S = 0.05
"""Seconds of a move in the run of `heap`: about 40 games a second."""
OWN_MOVE_MS = 10
"""Milliseconds of a move in the runs of `pace`."""
PATIENCE_MS = 120_000

# --- processes and pages ----------------------------------------------------------------------------------------------


@contextmanager
def started(*words: object) -> Iterator[subprocess.Popen[str]]:
    """Run Python with these words; it ends with the context."""
    command = [sys.executable, *map(str, words)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextmanager
def served(results: Path, *options: str) -> Iterator[str]:
    """Serve the runs of a folder; yield the address, without a slash at its end."""
    with started("-m", "fiedler.web", results, "--port", 0, *options) as server:
        assert server.stderr is not None
        yield server.stderr.readline().split()[-1].rstrip("/")


@contextmanager
def played(folder: Path, text: str) -> Iterator[Path]:
    """Play the schedule `load` in a folder as long as this context lasts; yield the log of its events."""
    (folder / "load.toml").write_text(text, "utf-8")
    (folder / "results").mkdir(exist_ok=True)
    command = [sys.executable, "-c", "from fiedler.tournament.cli import main; main()", "run", "load.toml", "--quiet"]
    log = folder / "results/load/events.jsonl"
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE) as manager:
        try:
            while not (log.exists() and b'"finished"' in log.read_bytes()):
                assert manager.poll() is None, "the run failed"
                time.sleep(0.1)
            yield log
        finally:
            manager.terminate()


def opened(browser: Browser, url: str, script: str = "") -> Page:
    """Open a page in a context of its own, whose cache is empty; `script` runs before those of the page."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.set_default_timeout(PATIENCE_MS)
    if script:
        page.add_init_script(script)
    page.goto(url)
    return page


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return the median, the 99 % quantile and the number of some milliseconds."""
    ordered = sorted(values)
    return {"median ms": round(median(ordered), 1), "99 % ms": round(ordered[int(0.99 * len(ordered))], 1)}


# --- delay ------------------------------------------------------------------------------------------------------------

WATCH_EVENTS = """
window.delays = [];
new MutationObserver((changes) => {
    const now = Date.now();
    for (const { addedNodes } of changes)
        for (const node of addedNodes)
            if (node.matches?.("#events li")) window.delays.push(now - Date.parse(node.querySelector("time").dateTime));
}).observe(document, { childList: true, subtree: true });
"""


def measured_delay(folder: Path, seconds: float) -> dict[str, Any]:
    """Return the delays of events, from their `at` until they are in the page."""
    with played(folder, schedule()), served(folder / "results") as url, chromium() as browser:
        page = opened(browser, f"{url}/runs/load", WATCH_EVENTS)
        page.locator("#events li").first.wait_for()
        page.wait_for_timeout(1000 * SETTLE_S)
        page.evaluate("window.delays.length = 0")
        page.wait_for_timeout(1000 * seconds)
        delays: list[float] = page.evaluate("window.delays")
    return {**spread(delays), "events": len(delays), "tables": TABLES}


# --- paint ------------------------------------------------------------------------------------------------------------

WATCH_ROWS = """
new MutationObserver(() => {
    const rows = document.querySelectorAll("#standings tbody tr");
    const rated = [...rows].filter((row) => row.cells[2].textContent);
    const crossed = document.querySelector("#crosstable canvas, #crosstable tbody tr");
    window.rows ??= rows.length === PLAYERS && crossed ? performance.now() : undefined;
    window.rated ??= rated.length === PLAYERS ? performance.now() : undefined;
}).observe(document, { childList: true, subtree: true, characterData: true });
"""
PAINT = 'performance.getEntriesByName("first-contentful-paint")[0]?.startTime'


def many_games(folder: Path, players: int, games: int) -> int:
    """Make a finished run of about this number of games of tic-tac-toe; return the exact number."""
    steps = range(1, max(2, min(players // 2, 6)))
    each = max(2, 2 * round(games / (players * len(steps)) / 2))
    names = [f"player {number}" for number in range(players)]
    elo = [400.0 - 800.0 * number / players for number in range(players)]
    make_run(folder, names, game="tictactoe", games_per_pair=each, steps=steps, elo=elo)
    with EventLog(folder) as log, Store.open(folder) as store:
        log.complete(store)
        return store.counts.finished


def one_paint(browser: Browser, url: str, players: int) -> tuple[float, float, float]:
    """Return the milliseconds until the first paint, until all rows and the crosstable, and until all ratings."""
    page = opened(browser, url, WATCH_ROWS.replace("PLAYERS", str(players)))
    page.wait_for_function(f"() => window.rows && window.rated && {PAINT}")
    found: list[float] = page.evaluate(f"[{PAINT}, window.rows, window.rated]")
    page.context.close()
    return found[0], found[1], found[2]


def measured_paint(folder: Path, players: int, games: int, loads: int) -> dict[str, Any]:
    """Return the medians over page loads; before the first kind of them nobody has watched the run."""
    count = many_games(folder / "results/many", players, games)
    first, again = [], []
    with chromium() as browser:
        opened(browser, "about:blank").context.close()
        for _ in range(loads):
            with served(folder / "results") as url:
                first.append(one_paint(browser, f"{url}/runs/many", players))
                again.append(one_paint(browser, f"{url}/runs/many", players))
    names = ("first paint", "all rows", "all ratings")
    kinds = {"first visitor, ms": first, "next visitor, ms": again}
    medians = {
        kind: {name: round(median(column)) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
        for kind, rows in kinds.items()
    }
    return {"players": players, "games": count, "loads": loads, **medians}


# --- click ------------------------------------------------------------------------------------------------------------

WATCH_BOARD = """
(() => {
    const svg = document.querySelector("svg.board");
    window.clicks = [];
    let at = null;
    addEventListener("click", (event) => { if (event.target.closest(".playable")) at = event.timeStamp; }, true);
    new MutationObserver(() => {
        if (at === null) return;
        const [began, shown] = [at, performance.now()];
        at = null;
        requestAnimationFrame(() => window.clicks.push([shown - began, performance.now() - began]));
    }).observe(svg, { attributeFilter: ["data-ply"] });
})()
"""


def clicks(page: Page, count: int, side: str) -> list[list[float]]:
    """Play moves by clicks; return for each the milliseconds until the board has it, and until the next frame."""
    found: list[list[float]] = []
    while len(found) < count:
        page.reload()
        page.locator("main[data-ready]").wait_for()
        page.get_by_label("You play", exact=True).select_option(side)
        if side != "both":
            page.get_by_label("Against", exact=True).select_option("random")
            page.get_by_label("Limit", exact=True).select_option("n1")
        page.get_by_role("button", name="Start").click()
        page.locator(".playable").first.wait_for()
        page.evaluate(WATCH_BOARD)
        for number in range(1, count - len(found) + 1):
            page.locator(".playable .hit").nth(0).click()
            page.wait_for_function("(number) => window.clicks.length === number", arg=number)
            page.wait_for_function(
                """() => document.querySelector(".playable") || !document.body.classList.contains("thinks")"""
            )
            if not page.locator(".playable").count():
                break
        found += page.evaluate("window.clicks")
        page.goto(page.url.partition("?")[0])
    return found


def measured_click(folder: Path, games: Sequence[str], count: int) -> dict[str, Any]:
    """Return the times by game: against an engine at the server, and of two people on the page."""
    found: dict[str, Any] = {}
    with served(folder, "--play", "shipped") as url, chromium() as browser:
        for game in games:
            page = opened(browser, f"{url}/play/{game}")
            for side, name in (("first", "against an engine"), ("both", "two people")):
                times = clicks(page, count, side)
                board, frame = (spread(column) for column in zip(*times, strict=True))
                found[f"{game}, {name}"] = {"board": board, "next frame": frame, "clicks": len(times)}
            page.context.close()
    return found


# --- heap -------------------------------------------------------------------------------------------------------------


def measured_heap(folder: Path, minutes: float, every_s: float) -> dict[str, Any]:
    """Return the heap of the page of a run after garbage collections, while about 40 games a second end."""
    pairs = TABLES * (2 * TABLES - 1)
    each = 2 * round(60 * minutes * 60 / pairs / 2 + 2)  # enough for 60 games a second
    text = schedule().replace(str(MOVE_S), str(HEAP_MOVE_S)).replace("games_per_pair = 20", f"games_per_pair = {each}")
    rows: list[dict[str, float]] = []
    with played(folder, text) as log, served(folder / "results") as url, chromium() as browser:
        page = opened(browser, f"{url}/runs/load")
        page.locator("#events li").first.wait_for()
        page.wait_for_timeout(1000 * SETTLE_S)
        session = page.context.new_cdp_session(page)
        began, ended = time.monotonic(), finished(log)
        while (now := time.monotonic() - began) < 60 * minutes:
            session.send("HeapProfiler.collectGarbage")
            used = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
            nodes = session.send("Memory.getDOMCounters")["nodes"]
            rows.append({"s": round(now), "MB": round(used, 2), "nodes": nodes})
            page.wait_for_timeout(1000 * every_s)
        took, games = time.monotonic() - began, finished(log) - ended
    half = len(rows) // 2
    halves = {"MB, first half": rows[:half] or rows, "MB, second half": rows[half:]}
    medians = {name: round(median(row["MB"] for row in part), 2) for name, part in halves.items()}
    return {"games a second": round(games / took, 1), **medians, "looks": rows}


def finished(log: Path) -> int:
    """Return the number of finished games in a log."""
    return log.read_bytes().count(b'"event":"finished"')


# --- pace -------------------------------------------------------------------------------------------------------------


def two_searches() -> str:
    """Return a schedule of one long pair, a game at a time; no game is lost on time."""
    players = "".join(f'[[players]]\nname = "{name}"\nplayer = "mcts"\n' for name in "ab")
    head = '[tournament]\nname = "load"\ngame = "uttt"\ngames_per_pair = 100000\nconcurrency = 1\nbench_after = 0\n'
    return (
        f'{head}[limit]\nmovetime_ms = {OWN_MOVE_MS}\nmargin_ms = 60000\n[pairing]\nmethod = "round-robin"\n{players}'
    )


async def watch(url: str, count: int) -> None:
    """Open `count` streams, print their number, and read them until standard input ends."""
    where = parse_address(urlsplit(url).netloc)
    loop = asyncio.get_running_loop()
    arrivals: list[tuple[int, float]] = []
    found = []
    for _ in range(count):
        _, one = await loop.create_connection(lambda: OneViewer(arrivals), where.host, where.port)
        found.append(one)
    await asyncio.sleep(SETTLE_S)
    print(sum(one.is_open for one in found), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(sum(one.is_open for one in found), flush=True)


def pace_of(log: Path, seconds: float) -> dict[str, float]:
    """Return the games and plies a second of the games that end from now on."""
    start = time.time()
    time.sleep(seconds)
    games = []
    for line in log.read_text("utf-8").splitlines():
        event = json.loads(line)
        if event["event"] == "finished" and (at := datetime.fromisoformat(event["at"]).timestamp()) >= start:
            games.append((at, len(event["game"]["moves"])))
    took = games[-1][0] - games[0][0]
    return {"games": (len(games) - 1) / took, "plies": sum(plies for _, plies in games[1:]) / took}


def measured_pace(viewers: int, rounds: int, seconds: float) -> dict[str, Any]:
    """Return the paces with and without viewers, each round in the other order."""
    paces: dict[bool, list[dict[str, float]]] = {False: [], True: []}
    for number in range(rounds):
        for watched in (bool(number % 2), not number % 2):
            with tempfile.TemporaryDirectory() as name, played(Path(name), two_searches()) as log:
                time.sleep(SETTLE_S)
                paces[watched].append(watched_pace(log, viewers, seconds) if watched else pace_of(log, seconds))
    found: dict[str, Any] = {"viewers": viewers, "rounds": rounds, "seconds": seconds}
    for unit in ("games", "plies"):
        none, all_of = (median(one[unit] for one in paces[watched]) for watched in (False, True))
        found[f"{unit} a second"] = {
            "alone": round(none, 3),
            "watched": round(all_of, 3),
            "change %": round(100 * (all_of / none - 1), 2),
        }
    found["ratios by round"] = [
        round(watched["plies"] / alone["plies"], 4) for alone, watched in zip(paces[False], paces[True], strict=True)
    ]
    return found


def watched_pace(log: Path, viewers: int, seconds: float) -> dict[str, float]:
    """Return the pace of a run while viewers watch."""
    with (
        served(log.parents[1]) as url,
        started("-m", "benchmarks.web_pages", "viewers", url, viewers) as crowd,
    ):
        assert crowd.stdout is not None
        assert crowd.stdin is not None
        assert int(crowd.stdout.readline()) == viewers
        found = pace_of(log, seconds)
        crowd.stdin.close()
        assert int(crowd.stdout.readline()) == viewers, "viewers were cut off"
    return found


# --- the command line -------------------------------------------------------------------------------------------------


@click.group()
def main() -> None:
    """Measure the pages in a browser."""


@main.command()
@click.option("--seconds", default=60.0, show_default=True)
def delay(seconds: float) -> None:
    """From an event's time, before it is written, to the page; 16 tables. Mark: 50 ms, median."""
    with tempfile.TemporaryDirectory() as name:
        show(measured_delay(Path(name), seconds))


@main.command()
@click.option("--players", default=10, show_default=True)
@click.option("--games", default=1000, show_default=True)
@click.option("--loads", default=5, show_default=True)
def paint(players: int, games: int, loads: int) -> None:
    """Of the page of a run: first paint, all rows, all ratings. Marks: 0.5 s; with 100 players 1 s."""
    with tempfile.TemporaryDirectory() as name:
        show(measured_paint(Path(name), players, games, loads))


@main.command(name="click")
@click.option("--game", "games", multiple=True, default=GAMES, show_default=True)
@click.option("--clicks", "count", default=40, show_default=True)
def click_(games: tuple[str, ...], count: int) -> None:
    """From a click on a board of /play until the board shows the move. Mark: 50 ms."""
    with tempfile.TemporaryDirectory() as name:
        show(measured_click(Path(name), games, count))


@main.command()
@click.option("--minutes", default=10.0, show_default=True)
@click.option("--every", "every_s", default=10.0, show_default=True, help="Seconds between two looks.")
def heap(minutes: float, every_s: float) -> None:
    """The heap of the page of a run with about 40 games a second. Mark: flat."""
    with tempfile.TemporaryDirectory() as name:
        show(measured_heap(Path(name), minutes, every_s))


@main.command()
@click.option("--viewers", default=1000, show_default=True)
@click.option("--rounds", default=6, show_default=True)
@click.option("--seconds", default=60.0, show_default=True)
def pace(viewers: int, rounds: int, seconds: float) -> None:
    """Plies and games a second of a run, 10 ms a move, with viewers and without. Mark: within 1 %."""
    show(measured_pace(viewers, rounds, seconds))


@main.command(hidden=True)
@click.argument("url")
@click.argument("count", type=int)
def viewers(url: str, count: int) -> None:
    """Watch a run until standard input ends."""
    give_way()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(watch(url, count))


def show(found: dict[str, Any]) -> None:
    """Print one JSON object."""
    click.echo(json.dumps({**found, "load": round(os.getloadavg()[0], 1)}, indent=1))


if __name__ == "__main__":
    main()
