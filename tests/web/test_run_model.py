"""The browser does the same with a change as the server."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page

from fiedler.games.result import Result
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run.events import Annulled, Event, Finished, Rated, RatedPlayer, Warned
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.termination import FAILURES, Termination
from fiedler.web.run_model import MOST_ROWS, Change, RunModel
from tests.tournament.schedules import player, tables
from tests.web.browser import Watch
from tests.web.pages import Pages

Script = Callable[..., Any]
NAMES = ("ann", "bob", "cy", "dee")
AT = "2026-01-01T00:00:00.000+00:00"
SCRIPT = """async ([snapshot, changes]) => {
    const { RunModel } = await import("/static/run_model.js");
    const state = new RunModel(snapshot);
    for (const change of changes) state.apply(change);
    for (const change of changes) state.apply(change);  // a repetition changes nothing
    const places = (key) => [Math.floor(key / state.players.length), key % state.players.length];
    const pairs = [...state.counts].map(([key, counts]) => [...places(key), ...counts]);
    const { seq, players, failures, failed, events, course } = state;
    return { seq, players, pairs, failures, failed, events, course };
}"""

ORDER = """async (snapshot) => {
    const { RunModel } = await import("/static/run_model.js");
    return new RunModel(snapshot).order;
}"""
SCORES = """async (boards) => {
    const { scoreOf } = await import("/static/format.js");
    return boards.map(scoreOf);
}"""


def model() -> RunModel:
    return RunModel(NAMES, msgspec.convert(tables([player(name) for name in NAMES]), Schedule))


def events(seed: int, count: int) -> Iterator[Event]:
    chance = random.Random(seed)
    for number in range(1, count + 1):
        kind = chance.choice(["finished", "finished", "rated", "warned"])
        if kind == "finished":
            first, second = chance.sample(NAMES, 2)
            result = chance.choice(list(Result))
            termination = chance.choice([Termination.RULES, *FAILURES])
            rest = (result, termination, "why", AT, AT, 0.5, 0.5)
            game = GameRecord(f"id{number}", number, first, second, (), ("a1",), *rest)
            yield Finished(at=AT, game=game, finished=number, scheduled=count)
        elif kind == "rated":
            elo = [chance.choice([None, chance.uniform(-500, 500)]) for _ in NAMES]
            rated = [RatedPlayer(name, one, 1.0, 1.0, 0.5, 1, 0) for name, one in zip(NAMES, elo, strict=True)]
            yield Rated(at=AT, games=number, players=tuple(rated), answer="")
        else:
            yield Warned(at=AT, text=f"warning {number}")


def copied(value: Any) -> Any:
    """Return a value as the browser gets it."""
    return msgspec.json.decode(msgspec.json.encode(value))


@pytest.fixture(scope="module")
def script(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Script]:
    """Runs the script of a page."""
    pages = Pages(tmp_path_factory.mktemp("results"))
    page: Page = Watch().page(browser)
    page.goto(pages.url)
    yield lambda value, script=SCRIPT: page.evaluate(script, value)
    pages.stop()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("known", [0, 7, 3 * MOST_ROWS])
def test_a_snapshot_with_changes_is_the_later_snapshot(script: Script, seed: int, known: int) -> None:
    one = model()
    changes: list[Change] = []
    snapshot = copied(one.document())
    for seq, event in enumerate(events(seed, 6 * MOST_ROWS), 1):
        change = one.take(seq, event)
        if seq > known:
            changes.append(change)
        elif seq == known:
            snapshot = copied(one.document())
    found = script([snapshot, copied(changes)])
    assert found == copied(one.document())
    assert len(found["course"]["rows"]) <= MOST_ROWS


RATED = [{"name": "dee", "elo": 50.0, "games": 3}, {"name": "bob", "elo": None, "games": 0}]


@pytest.mark.parametrize(("rated", "order"), [([], ["dee", "ann", "bob", "cy"]), (RATED, ["dee", "ann", "bob", "cy"])])
def test_players_without_games_are_last(script: Script, rated: list[dict[str, Any]], order: list[str]) -> None:
    """Here dee won all games against ann; both lists of the ranking are older than these games, or empty."""
    document = {**copied(model().document()), "pairs": [[0, 3, 0, 0, 4]], "standings": {"players": rated}}
    assert [NAMES[place] for place in script(document, ORDER)] == order


def test_a_player_that_does_not_search_has_no_score_on_a_running_board(script: Script) -> None:
    boards = [{"score": score, "depth": depth} for score, depth in ((0, 1), (0, 2), (0, None), (5, 1), (None, 1))]
    assert script(boards, SCORES) == [None, 0, 0, 5, None]


def test_an_annulled_game_leaves_no_trace_but_its_line() -> None:
    first, second = model(), model()
    games = [event for event in events(7, 40) if isinstance(event, Finished)]
    for number, event in enumerate(games, 1):
        first.take(number, event)
    for number, event in enumerate([*games, games[3]], 1):
        second.take(number, event)
    lost = games[3].game
    second.take(len(games) + 2, Annulled(at=AT, game=lost, why="the line was down", finished=1, scheduled=2))
    before, after = first.document(), second.document()
    assert after["pairs"] == before["pairs"]
    assert after["failures"] == before["failures"]
    assert after["events"][-1]["text"].startswith(f"Annulled game {lost.number} ({lost.first} vs {lost.second}")
