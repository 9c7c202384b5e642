"""Runs of Go by other rules than the default ones: each game begins at a position that has them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing

import pytest

from fiedler.games import game
from fiedler.games.game import START
from fiedler.games.result import Result
from fiedler.games.rule_keys import GivenRules
from fiedler.support.errors import UsageError
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.sgf import sgf
from fiedler.tournament.run.store import Store
from tests.tournament.commands.test_cli import run
from tests.tournament.run.test_gtp import saying
from tests.tournament.schedules import GENEROUS, Bench, Tables

pytestmark = pytest.mark.programs

GO = game("go9")
RULES: GivenRules = {"komi": 0, "suicide": True}


def players(protocol: str) -> list[Tables]:
    return [{"name": name, "player": "random", "options": {"seed": 3}, "protocol": protocol} for name in ("a", "b")]


def passing(name: str) -> Tables:
    return {"name": name, "command": saying(genmove="= PASS"), "protocol": "gtp"}


@pytest.mark.parametrize(
    ("protocols", "rules"), [(("ugi", "uci", "gtp"), RULES), (("ugi", "gtp"), {"komi": -3})], ids=["suicide", "komi"]
)
def test_a_game_by_rules_is_the_same_in_all_dialects(bench: Bench, protocols: Sequence[str], rules: GivenRules) -> None:
    played, ruled = [], GO.with_rules(START, rules)
    for protocol in protocols:
        bench.results = bench.folder / protocol
        tournament = {"game": "go9", "rules": rules, "games_per_pair": 4}
        games = bench.play(players(protocol), tournament=tournament, openings={"plies": 1})
        assert {(one.termination, one.start) for one in games} == {("rules", ruled)}
        ends = [GO.position(one.start, one.moves) for one in games]
        assert [one.result for one in games] == [Result.of(end.result) for end in ends if end.result is not None]
        assert [one.detail.partition("; ")[0] for one in games] == [GO.ended_by(end) for end in ends]
        played.append([(one.id, one.moves, one.result) for one in games])
    assert played == [played[0]] * len(played)
    exported = [*sgf(Run.read(bench.results / "test"))]
    assert len(exported) == 4
    name = "Tromp-Taylor" if "suicide" in rules else "Chinese"
    assert all(f"SZ[9]KM[{rules['komi']}]RU[{name}]" in text and "AB[" not in text for text in exported)


def test_openings_of_a_file_begin_by_the_rules_and_a_whole_komi_makes_draws(bench: Bench) -> None:
    path = bench.folder / "openings.txt"
    path.write_text(f"e5 pass\n{GO.position()};komi=81 d4 pass\n")
    tournament: Tables = {"game": "go9", "rules": {"komi": 81}, "games_per_pair": 4}
    games = bench.play(
        [passing("a"), passing("b")], tournament=tournament, openings={"file": str(path)}, limit=GENEROUS
    )
    assert {one.start for one in games} == {f"{GO.position()};komi=81"}
    assert {one.opening for one in games} == {("e5", "pass"), ("d4", "pass")}
    assert {(one.result.value, one.detail) for one in games} == {("1/2-1/2", "equal points")}


def test_a_program_that_refuses_the_komi_plays_no_game(bench: Bench) -> None:
    refusing = {**passing("b"), "command": saying(genmove="= PASS", list_commands="= komi", komi="? only 7.5")}
    tournament: Tables = {"game": "go9", "rules": {"komi": 6}}
    games = bench.play([passing("a"), refusing], tournament=tournament, limit=GENEROUS)
    assert {one.result.value for one in games} == {"1-0", "0-1"}
    assert {one.detail for one in games} == {"b refused to begin; it refused komi 6: ? only 7.5"}


def test_a_run_keeps_its_rules(bench: Bench) -> None:
    changes: Tables = {"tournament": {"game": "go9", "rules": {"komi": 6}}, "openings": {"plies": 1}}
    before = bench.play(players("ugi"), **changes)
    changes["tournament"]["rules"] = {"komi": 6.0, "suicide": False}
    assert bench.play(players("ugi"), **changes) == before
    with closing(Store.open(bench.results / "test")) as store:
        assert store.schedule.tournament.rules == {"komi": 6.0}
    changes["tournament"]["rules"] = {"suicide": True}
    with pytest.raises(UsageError, match=r"tournament.rules: the run has komi = 6.0, the schedule suicide = true"):
        bench.play(players("ugi"), **changes)
    del changes["tournament"]["rules"]
    with pytest.raises(UsageError, match=r"tournament.rules: the run has komi = 6.0, the schedule the default ones"):
        bench.play(players("ugi"), **changes)


def test_the_plan_shows_the_rules(bench: Bench) -> None:
    bench.write(players("ugi"), tournament={"game": "go9", "rules": {"komi": 6.5}})
    assert "\nrules: komi=6.5, suicide=false\n" in run(bench, "--dry-run").stdout
    assert json.loads(run(bench, "--dry-run", "--json").stdout)["rules"] == {"komi": 6.5}


def test_an_opening_with_other_rules_is_refused(bench: Bench) -> None:
    path = bench.folder / "openings.txt"
    path.write_text(f"e5\n{GO.position()};komi=5 d4\n")
    tournament: Tables = {"game": "go9", "rules": {"komi": 6}}
    with pytest.raises(UsageError, match=r"openings.txt:2: expected a start by the rules of the game \(komi=6, "):
        bench.play(players("ugi"), tournament=tournament, openings={"file": str(path)})
