"""The estimated time of a schedule, from its limit, the usual length of the game and the games at a time."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from fiedler.games import GAMES
from fiedler.tournament.run.duration import PLIES, Estimate, estimate
from fiedler.tournament.schedule.schedule import Schedule


def schedule(limit: dict[str, Any], **tables: Any) -> Schedule:
    players = [{"name": name, "player": "random"} for name in "ab"]
    content = {"tournament": {"name": "x", "game": "connect4"}, "limit": limit, "players": players, **tables}
    return msgspec.convert(content, Schedule)


def test_every_game_has_a_usual_length() -> None:
    assert set(PLIES) == set(GAMES)


@pytest.mark.parametrize(
    ("limit", "games", "at_once", "seconds", "text"),
    [
        (
            {"movetime_ms": 50},
            240,
            2,
            204.0,
            "about 3 min 24 s for 240 games of 34 plies, 2 at a time, if every move takes",
        ),
        (
            {"movetime_ms": 1000},
            1,
            1,
            34.0,
            "about 34 s for 1 game of 34 plies, one at a time, if every move takes its time",
        ),
        ({"movetime_ms": 1000}, 2, 8, 34.0, "about 34 s for 2 games of 34 plies, 8 at a time"),
        (
            {"base_ms": 60000, "increment_ms": 500},
            10,
            1,
            1370.0,
            "about 22 min 50 s for 10 games of 34 plies",
        ),
    ],
)
def test_the_time_of_a_limit(limit: dict[str, Any], games: int, at_once: int, seconds: float, text: str) -> None:
    found = estimate(schedule(limit), games, at_once)
    assert found.seconds == seconds
    assert found.text.startswith(text)


def test_openings_and_adjudication_shorten_games() -> None:
    limit = {"movetime_ms": 1000}
    assert estimate(schedule(limit, openings={"plies": 10}), 1, 1).seconds == 26.0
    assert estimate(schedule(limit, adjudication={"max_plies": 20}), 1, 1).seconds == 20.0


@pytest.mark.parametrize(("limit", "kind"), [({"nodes": 100}, "nodes"), ({"depth": 4}, "plies of depth")])
def test_a_limit_without_time_has_no_estimate_before_games_were_played(limit: dict[str, Any], kind: str) -> None:
    nothing = f"no estimate, since {kind} set no time; a run shows the time left as it plays"
    assert estimate(schedule(limit), 10, 1) == Estimate(None, nothing)
    assert estimate(schedule(limit), 10, 1, 2.5) == Estimate(25.0, "about 25 s for 10 games, at the pace so far")


def test_the_usual_length_of_a_game_of_others_is_unknown() -> None:
    text = "no estimate, since the usual length of a game of generic is unknown; a run shows the time left as it plays"
    game = {"name": "x", "game": "generic"}
    assert estimate(schedule({"movetime_ms": 50}, tournament=game), 8, 1) == Estimate(None, text)
    assert estimate(schedule({"movetime_ms": 50}, tournament=game), 8, 1, 2.0).seconds == 16.0
