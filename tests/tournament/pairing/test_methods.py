"""Every pairing method has all that belongs to a method; a new one learns here what it lacks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fiedler.tournament.pairing import PLANNERS, planner
from fiedler.tournament.pairing.plan import History
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.page import page
from fiedler.tournament.report.ranking import rank
from fiedler.tournament.report.run import Run
from fiedler.tournament.schedule.methods import METHODS, Method, methods_with
from fiedler.tournament.schedule.pairs import number_of_pairs
from fiedler.tournament.schedule.schedule import Pairing
from fiedler.tournament.schedule.size import most_games
from fiedler.tournament.schedule.validation import CHECKS
from tests.folders import ROOT
from tests.tournament.pairing.test_planners import schedule, step_of
from tests.tournament.report.made_runs import make_run
from tests.tournament.run.test_decisions import METHODS as PLAYED

each_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def lines(path: str, word: str) -> list[str]:
    """Return the lines of a file with this text."""
    return [line for line in (ROOT / path).read_text("utf-8").splitlines() if word in line]


def test_every_method_has_a_planner_and_a_run_that_is_interrupted_in_the_tests() -> None:
    assert PLANNERS.keys() == METHODS.keys()
    assert PLAYED.keys() == METHODS.keys(), "tests/tournament/run/test_decisions.py plays a run of each"


@each_method
def test_every_method_is_documented(method: Method) -> None:
    assert lines("docs/schedule.md", f"| `{method.name}` | "), "docs/schedule.md has a line for each method"
    (values,) = lines("tournament/schedule/schedule.py", '"""`meeting-graph`, `')
    assert f"`{method.name}`" in values, "the docstring of Pairing.method names each method"
    (example,) = lines("docs/tournament.md", 'method = "meeting-graph" ')
    assert method.name in example, "the example in docs/tournament.md names each method"


def test_every_key_belongs_to_a_method() -> None:
    of_methods = {key for method in METHODS.values() for key in method.keys}
    assert {"method", *of_methods} == {*Pairing.__struct_fields__}
    for method in METHODS.values():
        assert method.size_key is None or method.size_key in method.keys


@each_method
def test_facts_of_a_method_agree(method: Method) -> None:
    assert not (method.spends and not method.budgeted), "it plans games up to those that it spends"
    assert not (method.budgeted and "games" not in method.keys)
    assert not (method.fixed and method.closed), "fixed pairs grow with the players"
    assert not (method.complete and not method.closed), "it needs all its players, so that none can be added"
    assert not ((method.designed or method.challenged) and not method.fixed)
    assert methods_with("stop").count(method.name) == (not method.is_test and not method.eliminates)


def plain(method: Method, players: int) -> dict[str, Any]:
    """Return the least table `[pairing]` of a method."""
    keys = {"pairs": players} if method.designed else {"games": 40} if method.spends else {}
    return {"method": method.name, **keys}


@each_method
def test_every_method_is_checked_sized_and_planned(method: Method) -> None:
    players = 2 if method.is_test else 6
    made = schedule(players, **plain(method, players))
    assert [complaint for check in CHECKS for complaint in check(made)] == []
    assert (most_games(made) > 0) == (not method.is_test), "each method that is not a test has most_pairs, or games"
    step = step_of(planner(made), History())
    if method.fixed:
        assert len(step.pairs) == number_of_pairs(made)
        assert 2 * len(step.meetings) == most_games(made)


@each_method
def test_every_method_has_a_report(method: Method, tmp_path: Path) -> None:
    names = ("a", "b") if method.is_test else ("a", "b", "c")
    folder = make_run(tmp_path / "run", names, pairing=Pairing(**plain(method, len(names))))
    run = Run.read(folder)
    found = Findings(run, rank(run))
    assert (found.sprt is not None) == method.is_test
    assert method.name in page(found, {})
