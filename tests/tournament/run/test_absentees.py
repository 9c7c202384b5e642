"""`required = false`: a run begins without a player that does not start, and the player joins when it comes."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from typing import Any

import pytest
from click.testing import CliRunner

from fiedler.support.errors import UsageError
from fiedler.tournament.cli import tournament
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run import scheduler
from fiedler.tournament.run.events import Ended, Event, Finished, Joined, Started, Warned
from fiedler.tournament.run.status import status
from fiedler.tournament.run.store import Store
from tests.tournament.schedules import Bench, Tables, player

pytestmark = pytest.mark.programs

LIMIT = {"nodes": 1, "stall_s": 600, "startup_s": 600}
WHY = "late exited with status 7, saying: error: cannot find my opening book"


def late() -> Tables:
    return player("late", "absent", required=False)


def come(bench: Bench) -> None:
    (bench.folder / "come").touch()


def of_late(games: list[GameRecord]) -> list[GameRecord]:
    return [game for game in games if "late" in (game.first, game.second)]


def events_of(bench: Bench, kind: type[Event]) -> list[Any]:
    return [event for event in bench.events if isinstance(event, kind)]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_games_of_a_player_that_never_comes_are_not_played_or_lost(bench: Bench, concurrency: int) -> None:
    players = [late(), player("a"), player("b")]
    games = bench.play(players, limit=LIMIT, tournament={"concurrency": concurrency})
    assert Counter(game.termination for game in games) == {"rules": 2}
    assert of_late(games) == []
    assert [event.text for event in events_of(bench, Warned) if "late" in event.text] == [
        f"{WHY}: its games wait until it joins",
        f"{WHY}: 4 games not played; the same command tries again",
    ]
    assert [(event.state, event.finished, event.scheduled) for event in events_of(bench, Ended)] == [
        ("interrupted", 2, 6)
    ]
    document = status(bench.results / "test")
    assert document["absent"] == {"late": WHY.removeprefix("late ")}
    assert document["state"] == "interrupted"
    assert all(not count for entry in document["players"] for count in entry["failures"].values())


def test_a_stop_rule_waits_for_the_games_of_a_missing_player(bench: Bench) -> None:
    pairing = {"method": "round-robin", "stop": {"error": 5000}}
    bench.play([late(), player("a"), player("b")], limit=LIMIT, pairing=pairing)
    why = "all games are played; the stop rule waits for games that are planned earlier and not played"
    assert status(bench.results / "test")["over"] == why


def test_the_same_command_tries_again(bench: Bench) -> None:
    before = bench.play([late(), player("a"), player("b")], limit=LIMIT)
    assert bench.play() == before
    come(bench)
    games = bench.play()
    assert len(of_late(games)) == 4
    assert {game.termination for game in games} == {"rules"}
    document = status(bench.results / "test")
    assert (document["state"], document["absent"]) == ("finished", {})


@pytest.mark.parametrize(
    "pairing",
    [
        {"method": "round-robin"},
        {"method": "gauntlet", "challengers": ["a"]},
        {"method": "swiss", "rounds": 3},
        {"method": "ladder"},
        {"method": "adaptive", "games": 24, "batches": 3},
        {"method": "meeting-graph", "degree": 2},
    ],
    ids=lambda pairing: str(pairing["method"]),
)
def test_a_player_that_comes_before_the_end_plays(bench: Bench, pairing: dict[str, object]) -> None:
    def at_the_first_end(event: Event) -> None:
        if isinstance(event, Finished):
            come(bench)

    bench.subscribers = [at_the_first_end]
    players = [player("a"), player("b"), late(), player("c")]
    games = bench.play(players, limit=LIMIT, pairing=pairing)
    assert {game.termination for game in games} == {"rules"}
    assert of_late(games)
    assert [event.player for event in events_of(bench, Joined)] == ["late"]
    assert events_of(bench, Ended)[0].state == "finished"
    document = status(bench.results / "test")
    assert (document["state"], document["absent"]) == ("finished", {})


@pytest.mark.parametrize("method", ["swiss", "ladder", "adaptive"])
def test_later_steps_are_planned_without_missing_players(bench: Bench, method: str) -> None:
    pairing = {"method": method, **({"games": 24, "batches": 3} if method == "adaptive" else {})}
    players = [player("a"), late(), player("b"), player("c")]
    games = bench.play(players, limit=LIMIT, pairing=pairing)
    assert of_late(games) == []
    with closing(Store.open(bench.results / "test")) as store:
        planned = store.planned()
        assert store.state == "interrupted"
    assert {game.step for game in planned if "late" in (game.first, game.second)} <= {1}
    assert {game.step for game in planned} > {1}
    assert len(games) == sum("late" not in (game.first, game.second) for game in planned)


def test_a_player_that_comes_while_others_play_joins_at_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game of `a` and `b` ends only once the late player plays, so that their end cannot have let it in."""
    monkeypatch.setattr(scheduler, "LOOK_AGAIN_S", 0.01)

    def look(event: Event) -> None:
        if isinstance(event, Started):
            late_plays = "late" in (event.game.first, event.game.second)
            (bench.folder / ("released" if late_plays else "come")).touch()

    bench.subscribers = [look]
    players = [player("a", "held"), player("b"), late()]
    games = bench.play(players, limit=LIMIT, tournament={"concurrency": 3})
    assert len(games) == 6
    assert {game.termination for game in games} == {"rules"}
    kinds = [type(event) for event in bench.events]
    assert kinds.index(Joined) < kinds.index(Finished)


def test_a_new_run_needs_two_players(bench: Bench) -> None:
    with pytest.raises(UsageError, match="player 'late': exited with status 7"):
        bench.play([late(), player("a")], limit=LIMIT)
    assert list(bench.results.iterdir()) == []


def test_missing_required_players_stop_the_run_and_are_named(bench: Bench) -> None:
    bad = {"name": "bad", "command": ["./none"]}
    with pytest.raises(UsageError) as caught:
        bench.play([late(), player("a"), player("b"), bad], limit=LIMIT)
    assert str(caught.value).split("\n") == [
        "player 'late': exited with status 7, saying: error: cannot find my opening book",
        f"{bench.path}: players 'bad'.command: cannot start './none': no such file or directory",
    ]


def test_a_missing_player_may_meet_a_benched_one(bench: Bench) -> None:
    """Waiting games are given up like others when their other player is benched."""
    table = {"bench_after": 1, "games_per_pair": 4}
    games = bench.play([player("a"), player("bad", "crash"), late(), player("b")], limit=LIMIT, tournament=table)
    assert sorted(game.termination for game in games) == ["crash", *["rules"] * 4]
    with closing(Store.open(bench.results / "test")) as store:
        assert {frozenset((game.first, game.second)) for game in store.unplayed()} == {
            frozenset(("a", "late")),
            frozenset(("b", "late")),
        }


def test_the_commands_name_missing_players(bench: Bench) -> None:
    bench.write([late(), player("a"), player("b")], limit=LIMIT)
    arguments = ["run", str(bench.path), "--results", str(bench.results), "--json"]
    done = CliRunner().invoke(tournament, arguments)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["absent"] == {"late": WHY.removeprefix("late ")}
    assert done.stderr.count("\n") == 1
    assert f"warning: {WHY}: 4 games not played; the same command tries again" in done.stderr
    shown = CliRunner().invoke(tournament, ["status", "test", "--results", str(bench.results)]).stdout
    assert "  late: 0 games; absent: exited with status 7, saying: " in shown
