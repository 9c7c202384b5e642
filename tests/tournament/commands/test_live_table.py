"""The live table of a terminal, and the ratings in it."""

from __future__ import annotations

import asyncio
import io
import os
import pty
import signal
import subprocess
from collections.abc import Sequence

from msgspec.structs import replace
from rich.console import Console

from fiedler.games.openings import Opening
from fiedler.tournament.commands.progress import LiveTable
from fiedler.tournament.game import GameRecord
from fiedler.tournament.pairing.plan import History, plan
from fiedler.tournament.ratings import Results, rate_as
from fiedler.tournament.run.events import (
    Began,
    Benched,
    Event,
    Feed,
    Finished,
    Rated,
)
from fiedler.tournament.run.rater import Rater
from fiedler.tournament.schedule.schedule import RatingSection, Schedule
from fiedler.tournament.schedule.validation import load
from tests.folders import CONFIGS
from tests.patience import PATIENCE
from tests.tournament.manager_process import COMMAND, NODES
from tests.tournament.run.test_store import record
from tests.tournament.schedules import Bench, player


def test_a_terminal_shows_the_live_table(bench: Bench) -> None:
    bench.write(
        [player("a"), player("b", "illegal", 2)], tournament={"games_per_pair": 12, "bench_after": 0}, limit=NODES
    )
    ours, theirs = pty.openpty()
    words = [*COMMAND, "run", str(bench.path), "--results", str(bench.results)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(words, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    assert process.wait(timeout=PATIENCE) == 0
    os.close(ours)
    text = shown.decode()
    assert "12 of 12 games" in text
    assert "failures" in text
    assert "Started game" not in text
    assert "Traceback" not in text


def test_a_closed_terminal_interrupts_cleanly(bench: Bench) -> None:
    bench.write([player("a", "slow", 0.02), player("b")], tournament={"games_per_pair": 200}, limit=NODES)
    ours, theirs = pty.openpty()
    words = [*COMMAND, "run", str(bench.path), "--results", str(bench.results)]
    process = subprocess.Popen(words, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    while b"games/s" not in _read(ours):
        pass
    os.close(ours)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=PATIENCE) == 130
    last = (bench.results / "test" / "events.jsonl").read_text("utf-8").splitlines()[-1]
    assert '"event":"ended"' in last
    assert '"state":"interrupted"' in last


def rated(schedule: Schedule, games: Sequence[GameRecord], *events: Event) -> Rated:
    """Return the manager's event with the ranking after these games and events."""
    found: list[Event] = []

    async def rate() -> None:
        rater = Rater(schedule, Feed([found.append]), games)
        for event in events:
            rater(event)
        await rater.finish()

    asyncio.run(rate())
    assert isinstance(found[-1], Rated)
    return found[-1]


def test_a_manager_rates_by_the_section_of_the_schedule() -> None:
    games = [record(game) for game in plan([("a", "b")] * 5, lambda _: Opening(), 1, History(), 1)]
    rating = RatingSection(
        advantage=10.0, draw_elo="fit", model="davidson", anchor={"a": 1500.0, "has not played": 1.0}
    )
    asked = replace(load(CONFIGS / "quickstart.toml"), rating=rating)
    found = rate_as(rating, Results.from_games((game.first, game.second, game.result) for game in games))
    shown = rated(asked, games)
    assert shown.answer.startswith("undecided: ")
    assert {one.name: (one.elo, one.plus) for one in shown.players} == {
        player.name: (player.elo, player.plus) for player in found.players
    }
    assert next(one.elo for one in shown.players if one.name == "a") == 1500.0
    assert found.model == "davidson"


def test_a_live_table_shows_the_games_of_older_ratings() -> None:
    games = [record(game) for game in plan([("a", "b")] * 6, lambda _: Opening(), 1, History(), 1)]
    schedule, console = load(CONFIGS / "quickstart.toml"), Console(file=io.StringIO(), width=200)
    live = LiveTable(console, schedule, games[:10])
    live._pace.take(Began(at="", name="test", game="uttt", players=("a", "b"), scheduled=12, finished=10))
    live(rated(schedule, games[:10]))
    console.print(live._render())
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "undecided: " in shown
    assert "ratings and answer after" not in shown
    live(Finished(at="", game=games[10], finished=11, scheduled=12))
    console.print(live._render())
    assert console.file.getvalue().endswith("\nratings and answer after 10 games\n")  # type: ignore[attr-defined]


def test_a_live_table_has_a_player_without_games_last_and_without_a_number() -> None:
    games = [record(game) for game in plan([("a", "b")] * 6, lambda _: Opening(), 1, History(), 1)]
    schedule, console = load(CONFIGS / "quickstart.toml"), Console(file=io.StringIO(), width=200)
    live = LiveTable(console, schedule, games)
    live._players = ("idle", "a", "b")
    live(rated(schedule, games))
    console.print(live._table())
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert sorted(line.split()[0] for line in lines[1:3]) == ["a", "b"]
    assert lines[3].split() == ["idle", "0"]


def test_a_benched_player_is_not_the_best_so_far() -> None:
    games = [record(game) for game in plan([("a", "b")] * 6, lambda _: Opening(), 1, History(), 1)]
    benched = Benched(at="", player="a", why="it fails", given_up=2, scheduled=10)
    assert rated(load(CONFIGS / "quickstart.toml"), games, benched).answer == "only b is left"


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # on Linux: the other end is closed
        return b""
