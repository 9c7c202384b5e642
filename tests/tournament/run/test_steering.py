"""A run that is changed while it is played: players benched, readmitted, added; games annulled."""

from __future__ import annotations

import json
import re
import shlex
import stat
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fiedler.support.errors import UsageError
from fiedler.tournament.cli import tournament
from fiedler.tournament.game import GameRecord
from fiedler.tournament.report.writing import write_report
from fiedler.tournament.run import draft
from fiedler.tournament.run.control import FILE
from fiedler.tournament.run.status import status
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.validation import load
from tests.patience import wait_until
from tests.tournament.manager_process import NODES, Manager
from tests.tournament.schedules import PLAYERS, Bench, Tables, player, toml

PAIRINGS: list[Tables] = [
    {"method": "round-robin"},
    {"method": "gauntlet", "challengers": ["a"]},
    {"method": "meeting-graph", "pairs": 3},
    {"method": "ladder"},
    {"method": "adaptive", "games": 24, "batches": 2},
]


def names_of(games: list[GameRecord]) -> Counter[str]:
    return Counter(name for game in games for name in (game.first, game.second))


def events_of(bench: Bench, kind: str) -> list[dict[str, Any]]:
    lines = (bench.results / "test" / "events.jsonl").read_text("utf-8").splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]


class Held:
    """A run whose first game waits, so that it can be changed meanwhile."""

    def __init__(self, bench: Bench, players: list[Tables], *options: str, **changes: Tables) -> None:
        self.bench = bench
        bench.write(players, **{"limit": NODES, **changes})
        self.run = Manager(bench, *options)
        wait_until((bench.folder / "holding").exists)
        wait_until((bench.results / "test" / FILE).exists)

    def ask(self, command: str, *words: str) -> Result:
        return steer(self.bench, command, *words)

    def release(self) -> list[GameRecord]:
        (self.bench.folder / "released").touch()
        assert self.run.end() == (0, "")
        return self.bench.games()


def steer(bench: Bench, command: str, *words: str) -> Result:
    return CliRunner().invoke(tournament, [command, "test", *words, "--results", str(bench.results)])


def readmit(bench: Bench, name: str) -> str:
    """Return the command that works as it is typed."""
    return f"tournament readmit test {name} --results {bench.results}"


def file_of(bench: Bench, *players: Tables) -> str:
    path = bench.folder / "more.toml"
    path.write_text(toml({"players": list(players)}), encoding="utf-8")
    return str(path)


def four(fault: str = "held") -> list[Tables]:
    return [player("a", fault), player("b"), player("c"), player("d")]


def test_a_player_is_benched_and_readmitted_while_the_run_is_played(bench: Bench) -> None:
    held = Held(bench, four(), tournament={"games_per_pair": 4})
    assert stat.S_IMODE((bench.results / "test" / FILE).stat().st_mode) == 0o600
    done = held.ask("bench", "d", "--why", "it crashes the machine")
    later = f"`{readmit(bench, 'd')}` lets it play again"
    assert (done.exit_code, done.stdout) == (0, f"benched d: 12 games given up; {later}\n")
    assert status(bench.results / "test")["benched"] == {"d": "it crashes the machine"}
    again = held.ask("bench", "d")
    assert (again.exit_code, str(again.exception)) == (1, "'d' is benched already")
    done = held.ask("readmit", "d", "--json")
    text = "readmitted d: 12 games back in the plan"
    assert json.loads(done.stdout) == {"text": text, "players": ["d"], "games": 12}
    games = held.release()
    assert names_of(games) == dict.fromkeys("abcd", 12)
    assert [event["player"] for event in events_of(bench, "readmitted")] == ["d"]
    assert status(bench.results / "test")["state"] == "finished"
    bench.results = bench.folder / "undisturbed"
    assert [(one.id, one.moves) for one in bench.play()] == [(one.id, one.moves) for one in games]


def test_a_player_of_ours_that_has_played_is_readmitted(bench: Bench) -> None:
    """One of the two waits, in the last position of its last game."""
    ours = [{"name": name, "player": "random"} for name in ("b", "c")]
    held = Held(bench, [player("a", "held", 6), *ours], tournament={"games_per_pair": 8})
    wait_until(lambda: {"b", "c"} <= names_of(bench.games()).keys())
    for name in "bc":
        held.ask("bench", name)
        done = held.ask("readmit", name)
        assert done.exit_code == 0, done.exception
        assert re.fullmatch(rf"readmitted {name}: \d+ games back in the plan\n", done.stdout)
    assert len(held.release()) == 24


def test_a_bench_survives_a_kill(bench: Bench) -> None:
    held = Held(bench, four())
    held.ask("bench", "d")
    held.run.process.kill()
    held.run.process.communicate()
    (bench.folder / "released").touch()
    games = bench.play()
    assert names_of(games) == {"a": 4, "b": 4, "c": 4}


@pytest.mark.parametrize(("pairing", "processes"), [(PAIRINGS[0], 2), *((pairing, 1) for pairing in PAIRINGS)])
def test_players_are_added_while_the_run_is_played(bench: Bench, pairing: Tables, processes: int) -> None:
    table = {"concurrency": 2}
    held = Held(bench, four(), "--processes", str(processes), pairing=pairing, tournament=table)
    done = held.ask("add", file_of(bench, player("e"), {"name": "f", "player": "random"}))
    assert (done.exit_code, done.stdout) == (0, "added e, f\n"), done.exception
    games = held.release()
    assert names_of(games).keys() == set("abcdef")
    assert {game.termination for game in games} == {"rules"}
    assert len({game.id for game in games}) == len(games)
    assert events_of(bench, "added")[0]["players"] == ["e", "f"]
    assert bench.play() == games, "the same command knows them, and plays nothing"
    assert status(bench.results / "test")["state"] == "finished"


def test_an_added_player_survives_a_kill(bench: Bench) -> None:
    held = Held(bench, four())
    held.ask("add", file_of(bench, player("e")))
    held.run.process.kill()
    held.run.process.communicate()
    (bench.folder / "released").touch()
    assert names_of(bench.play()) == dict.fromkeys("abcde", 8)


@pytest.mark.parametrize(
    ("entry", "wrong"),
    [
        (player("d"), "players 'd'.name: an earlier player has this name"),
        (
            {"name": "e", "command": ["./none"]},
            "more.toml: players 'e'.command: cannot start './none': no such file",
        ),
        ({"name": "e", "player": "mctss"}, "unknown player 'mctss'; did you mean 'mcts'?"),
        ({"name": "e", "dial_in": True}, "players 'e'.dial_in: expected a run with the option --listen"),
        ({"name": "e"}, "more.toml: players 'e': expected exactly one of player"),
    ],
)
def test_a_wrong_player_is_refused_and_the_run_goes_its_way(bench: Bench, entry: Tables, wrong: str) -> None:
    held = Held(bench, four())
    done = held.ask("add", file_of(bench, entry))
    assert isinstance(done.exception, UsageError)
    assert wrong in str(done.exception)
    assert "\n" not in str(done.exception)
    assert held.ask("add", file_of(bench, player("e"))).exit_code == 0, "a repaired file"
    assert names_of(held.release()) == dict.fromkeys("abcde", 8)


@pytest.mark.parametrize("method", ["swiss", "knockout"])
def test_a_method_that_takes_no_more_players_refuses_them(bench: Bench, method: str) -> None:
    held = Held(bench, four(), pairing={"method": method})
    done = held.ask("add", file_of(bench, player("e")))
    assert f"{method} takes no more players once it has begun" in str(done.exception)
    held.release()


def test_without_a_manager_the_other_way_is_named(bench: Bench) -> None:
    bench.play(four("fine"), limit=NODES)
    elsewhere = f"--results {bench.results}`"
    instead = {
        "bench": f": `tournament run {bench.path} --bench b {elsewhere}",
        "readmit": f": `tournament run {bench.path} --readmit b {elsewhere}",
        "add": f": add the players to its schedule, then `tournament run {bench.path} {elsewhere}",
    }
    for command, words in instead.items():
        done = steer(bench, command, "b")
        assert isinstance(done.exception, UsageError)
        assert "no manager is at work on this run: " in str(done.exception)
        assert words in str(done.exception)


def test_who_is_benched_learns_the_way_back(bench: Bench) -> None:
    bench.write([player("a"), player("the b's", "crash"), player("c")], limit=NODES, tournament={"bench_after": 1})
    done = CliRunner().invoke(tournament, ["run", str(bench.path), "--results", str(bench.results)])
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("Benched the b's: 1 failure in a row"))
    command = shlex.join(["tournament", "readmit", "test", "the b's", "--results", str(bench.results)])
    assert line.endswith(f"; 3 games given up; `{command}` lets it play again")
    assert [event["player"] for event in events_of(bench, "benched")] == ["the b's"]


def annulled_by(bench: Bench, game: GameRecord) -> None:
    (record,) = _store(bench, lambda store: store.annulled)
    assert record["why"] == "the line was down"
    assert (record["id"], record["moves"]) == (game.id, list(game.moves))


def _store(bench: Bench, read: Any) -> Any:
    with closing(Store.open(bench.results / "test")) as store:
        return read(store)


def test_a_disputed_game_is_played_again_under_its_id(bench: Bench) -> None:
    before = bench.play(four("fine"), limit=NODES)
    game = before[3]
    done = steer(bench, "void", game.id, "--why", "the line was down")
    players = f"{game.first} vs {game.second}"
    assert done.stdout == f"annulled game 4 ({players}); it is played again under the same id\n"
    assert (status(bench.results / "test")["state"], len(bench.games())) == ("interrupted", 11)
    annulled_by(bench, game)
    games = bench.play()
    assert [(one.id, one.moves) for one in games] == [(one.id, one.moves) for one in before]
    assert games[3].finished > game.finished
    assert status(bench.results / "test")["state"] == "finished"
    assert len(events_of(bench, "finished")) == 13


def test_a_game_is_annulled_while_the_run_is_played(bench: Bench) -> None:
    held = Held(bench, [player("a", "held", 3), player("b"), player("c"), player("d")])
    wait_until(bench.games)  # the end of a game is written a moment later
    (game, *_) = bench.games()
    assert held.ask("void", "1", "--why", "the line was down").exit_code == 0
    annulled_by(bench, game)
    games = held.release()
    assert len(games) == 12
    assert games[0].finished > game.finished
    assert events_of(bench, "ended")[0]["state"] == "finished"
    assert events_of(bench, "finished")[-1]["finished"] == 12


def test_an_annulled_game_of_a_benched_player_waits_until_it_is_readmitted(bench: Bench) -> None:
    held = Held(bench, [player("a", "held", 3), player("b"), player("c"), player("d")])
    wait_until(bench.games)
    (game, *_) = bench.games()
    name = game.second if game.first == "a" else game.first
    held.ask("bench", name)
    done = held.ask("void", "1", "--why", "the line was down")
    waits = f"it waits until {name} is readmitted: `{readmit(bench, name)}`"
    assert done.stdout == f"annulled game 1 ({game.first} vs {game.second}); {waits}\n"
    assert status(bench.results / "test")["summary"].endswith(", 1 attempt void, not played again")
    held.release()
    found = status(bench.results / "test")
    played, given_up = found["finished"], found["given_up"]
    assert (found["state"], played + given_up) == ("finished", 12)
    assert events_of(bench, "annulled")[0]["waits_for"] == [name]
    assert found["over"] == f"{played} games are played, {given_up} games given up: {name} is benched"
    shown = CliRunner().invoke(tournament, ["status", "test", "--results", str(bench.results)]).stdout
    assert f"\n{found['over']}\n" in shown


def test_a_running_game_of_a_benched_player_counts_after_another_change(bench: Bench) -> None:
    held = Held(bench, [player("a", "held", 3), player("b"), player("c"), player("d")])
    wait_until(bench.games)
    held.ask("bench", "a")
    held.ask("void", "1", "--why", "the line was down")
    games = held.release()
    end = events_of(bench, "ended")[0]
    assert events_of(bench, "finished")[-1]["scheduled"] == end["scheduled"] == len(games)


def test_without_a_manager_the_waiting_game_names_the_command_that_resumes(bench: Bench) -> None:
    table = {"bench_after": 1}
    games = bench.play([player("a"), player("b", "crash"), player("c")], limit=NODES, tournament=table)
    number = next(game.number for game in games if "b" in (game.first, game.second))
    done = steer(bench, "void", str(number), "--why", "the line was down")
    command = f"tournament run {bench.path} --readmit b --results {bench.results}"
    assert done.stdout.endswith(f"; it waits until b is readmitted: `{command}`\n")


class Disputing:
    """A run of `generic` whose player `a` answers wrongly until it is mended; its program is started for each game."""

    def __init__(self, bench: Bench, *fault_of_c: str, games: int) -> None:
        self.bench = bench
        self._program = bench.folder / "a.py"
        self._write("lies:gameover", "1")
        mine = {"command": [sys.executable, "-S", "-E", str(self._program)], "restart": "game"}
        self.players = [{"name": "a", **mine}, agree("b"), agree("c", *fault_of_c)]
        self.changes: dict[str, Tables] = {
            "tournament": {"game": "generic", "games_per_pair": games},
            "adjudication": {"max_plies": 100},
        }

    def mend(self) -> None:
        self._write()

    def _write(self, *fault: str) -> None:
        words = ["agree.py", "least", *fault]
        run = f"runpy.run_path({str(PLAYERS / 'agree.py')!r}, run_name='__main__')"
        self._program.write_text(f"import runpy, sys\nsys.argv = {words!r}\n{run}\n", "utf-8")


def agree(name: str, *fault: str) -> Tables:
    return {"name": name, "command": [sys.executable, "-S", "-E", str(PLAYERS / "agree.py"), "least", *fault]}


def test_a_dispute_is_withdrawn_and_its_game_played_again(bench: Bench) -> None:
    run = Disputing(bench, games=6)
    bench.play(run.players, **run.changes, limit=NODES)
    disputes = events_of(bench, "disputed")
    stop = next(event for event in disputes if event["stops"].startswith("a and b"))
    game, games = stop["dispute"], stop["given_up"]
    done = steer(bench, "void", game["id"], "--why", "a is mended", "--json")
    text = f"withdrew the dispute in game {game['number']} ({game['first']} vs {game['second']})"
    assert json.loads(done.stdout) == {
        "text": f"{text}; it is played again under the same id",
        "players": [game["first"], game["second"]],
        "games": games,
    }
    (event,) = events_of(bench, "withdrawn")
    assert (event["dispute"], event["why"], event["games"]) == (game, "a is mended", games)
    assert "has not ended" in str(steer(bench, "void", game["id"], "--why", "again").exception)
    assert status(bench.results / "test")["state"] == "interrupted"
    before = len(bench.games())
    run.mend()
    assert len(bench.play()) == before + games
    found = status(bench.results / "test")
    assert (found["state"], len(found["disputes"])) == ("finished", len(disputes) - 1)
    write_report(bench.results / "test")
    page = (bench.results / "test" / "report.html").read_text("utf-8")
    assert "withdrawn dispute of game" in page
    assert "No game became void." in page


def test_a_dispute_is_withdrawn_while_the_run_is_played(bench: Bench) -> None:
    run = Disputing(bench, "held:gameover", "1", games=2)
    held = Held(bench, run.players, **run.changes)
    run.mend()
    done = held.ask("void", "1", "--why", "a is mended")
    assert done.stdout == "withdrew the dispute in game 1 (a vs b); it is played again under the same id\n"
    games = held.release()
    disputes = [event["dispute"]["number"] for event in events_of(bench, "disputed")]
    assert disputes == [1, 2, 3], "the third one had begun before"
    assert sorted(game.number for game in games) == [1, 4, 5, 6]
    assert events_of(bench, "ended")[0]["state"] == "finished"
    assert [one["number"] for one in status(bench.results / "test")["disputes"]] == [2, 3]


@pytest.mark.parametrize(
    ("game", "wrong"),
    [("99", "expected the number or the id of a game of"), ("x", "expected the number or the id"), ("12", "not ended")],
)
def test_a_game_that_has_not_ended_cannot_be_annulled(bench: Bench, game: str, wrong: str) -> None:
    held = Held(bench, four())
    assert wrong in str(held.ask("void", game, "--why", "x").exception)
    held.release()


def test_decided_runs_and_settled_matches_stay(bench: Bench) -> None:
    bench.play([player("a"), player("b"), player("c"), player("d")], limit=NODES, pairing={"method": "knockout"})
    assert "has decided a match of a knockout" in str(steer(bench, "void", "1", "--why", "x").exception)
    bench.results = bench.folder / "decided"
    bench.play(pairing={"method": "round-robin", "stop": {"error": 5000}}, players=four()[1:], limit=NODES)
    assert "is decided" in str(steer(bench, "void", "1", "--why", "x").exception)


def test_the_dry_run_knows_added_players(bench: Bench, tmp_path: Path) -> None:
    held = Held(bench, four())
    held.ask("add", file_of(bench, player("e")))
    held.release()
    words = ["run", str(bench.path), "--results", str(bench.results), "--dry-run", "--json"]
    document = json.loads(CliRunner().invoke(tournament, words).stdout)
    assert (document["players"], document["left"]) == (["a", "b", "c", "d", "e"], 0)
    assert draft.resumed(load(bench.path), tmp_path, fresh=True).names == ("a", "b", "c", "d")
