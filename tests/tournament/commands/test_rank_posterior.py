"""`tournament rank --posterior`, and `[rating] posterior` in the files of a run."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner

from fiedler.support.errors import UsageError
from fiedler.tournament.commands.rank import rank
from fiedler.tournament.pairing.expected import DEFAULT_SD, posterior_beside
from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.posterior import KINDS, posterior
from fiedler.tournament.report import ranking as reported
from fiedler.tournament.report.figures import draw
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.page import page
from fiedler.tournament.report.ranking import rank as ranking_of
from fiedler.tournament.report.ranking import ranking_json, ranking_text
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.writing import write_graph
from fiedler.tournament.schedule import posterior_keys
from fiedler.tournament.schedule.schedule import Pairing, RatingSection
from tests.tournament.ratings.posterior_cases import played
from tests.tournament.report.made_runs import make_run

pytestmark = pytest.mark.usefixtures("no_bayeselo")
NAMES = [f"net-{number:02d}" for number in range(12)]


def csv_of(folder: Path, results: Results) -> str:
    path = folder / "games.csv"
    lines = ["white,black,result"]
    for first, second, *counts in results.rows:
        for outcome, count in zip(("1-0", "1/2-1/2", "0-1"), counts, strict=True):
            lines += [f"{results.names[first]},{results.names[second]},{outcome}"] * count
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def shown(*words: str) -> Any:
    return CliRunner().invoke(rank, words, catch_exceptions=False)


def test_the_posterior_stands_below_the_ranking_and_beside_the_players(tmp_path: Path) -> None:
    results = played(np.linspace(0, 300, 12), 3, 1, NAMES)
    path = csv_of(tmp_path, results)
    plain, both = shown(path), shown(path, "--posterior", "population")
    above, _, below = both.stdout.partition("\n\nPosterior ratings: assumes that ")
    assert (above, below[:11]) == (plain.stdout.rstrip("\n"), "all players")
    assert "do not award prizes by them" in both.stdout
    last = both.stdout.splitlines()[-12:]
    assert [line.split()[0] for line in last] == [str(number) for number in range(1, 13)]
    documents = [json.loads(shown(path, *more, "--json").stdout) for more in ([], ["--posterior", "population"])]
    found = documents[1].pop("posterior")
    assert documents[0] == documents[1], "the ranking is the same to the last digit"
    wanted = posterior(results, kind="population", options=RatingSection())
    assert {one["name"]: one["elo"] for one in found["players"]} == pytest.approx(
        {player.name: player.elo for player in wanted.players}, abs=1e-6
    )
    assert found["assumed"]["kind"] == "population"
    assert sum(found["assumed"]["weights"]) == pytest.approx(1)


@pytest.mark.slow
def test_a_curve_has_its_own_columns(tmp_path: Path) -> None:
    names = [f"net-{number:03d}" for number in range(1, 25)]
    truth = 800 * (1 - np.exp(-np.arange(24) / 5))
    path = csv_of(tmp_path, played(truth, 2, 2, names))
    lines = shown(path, "--posterior", "curve").stdout.splitlines()
    (head,) = (line for line in lines if line.endswith(" Elo   sd curve   sd"))
    assert len(lines[lines.index(head) + 1].split()) == 6
    assert any(line.startswith("Posterior ratings: assumes that the strength along 'net-' (l") for line in lines)


def test_a_curve_that_is_not_shown_is_a_warning(tmp_path: Path) -> None:
    found = shown(csv_of(tmp_path, played([0.0] * 12, 1, 3, NAMES)), "--posterior", "curve")
    assert "warning: posterior: no series has 20 players: the population prior takes the curve's place" in found.stderr


def test_the_key_of_a_schedule_is_in_all_files_of_the_ranking(tmp_path: Path) -> None:
    section = RatingSection(posterior="population")
    folder = make_run(tmp_path / "run", NAMES, rating=section, games_per_pair=2)
    ranking = ranking_of(Run.read(folder))
    assert ranking.posterior is not None
    assert "\n\nPosterior ratings: assumes that " in ranking_text(ranking)
    assert len(json.loads(ranking_json(ranking))["posterior"]["players"]) == 12
    assert "Posterior ratings" in shown(str(folder)).stdout
    findings = Findings(Run.read(folder), ranking)
    shown_page = page(findings, {})
    assert "<h2>Posterior ratings</h2>" in shown_page
    assert f"assumes that {ranking.posterior.assumed.words}." in unescape(shown_page)
    assert "do not award prizes by them" in shown_page
    below = shown_page.partition("Posterior ratings: assumes that")[2].partition("</table>")[0]
    assert re.findall(r">(net-\d\d)<", below) == [player.name for player in ranking.posterior.players]
    figure = draw(findings)["curve"]
    assert figure.columns[-4:] == ("posterior", "posterior_sd", "curve", "curve_sd")
    by_name = {player.name: player.elo for player in ranking.posterior.players}
    assert {row[2]: row[6] for row in figure.rows} == by_name
    assert figure.svg.count(", posterior: ") == 12
    plain = ranking_of(Run.read(make_run(tmp_path / "plain", NAMES, games_per_pair=2)))
    assert plain.posterior is None
    assert ranking_text(ranking).startswith(ranking_text(plain))
    assert "Posterior ratings" not in page(Findings(Run.read(tmp_path / "plain"), plain), {})
    assert ranking_of(Run.read(folder), with_posterior=False).posterior is None
    assert "posterior" not in json.loads(ranking_json(plain))


def test_the_meeting_graph_needs_no_posterior(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_run(tmp_path / "run", NAMES, rating=RatingSection(posterior="population"))
    monkeypatch.delattr(reported, "posterior_beside")
    write_graph(folder, tmp_path / "graph.xml")
    with pytest.raises(NameError):
        ranking_of(Run.read(folder))


def test_a_run_with_too_few_players_so_far_has_a_warning_in_its_files(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", NAMES[:5], rating=RatingSection(posterior="curve"))
    ranking = ranking_of(Run.read(folder))
    assert ranking.posterior is None
    (why,) = (line for line in ranking.warnings if "posterior" in line)
    assert why == "no posterior ratings: posterior: expected at least 10 players with games, got 5 players"
    found = shown(str(folder))
    assert found.stdout.startswith("Rank Name")
    assert f"warning: {why}" in found.stderr.splitlines()
    assert why in json.loads(shown(str(folder), "--json").stdout)["warnings"]
    with pytest.raises(UsageError, match="expected at least 10 players with games, got 5 players"):
        shown(str(folder), "--posterior", "curve")


def test_strengths_enter_where_they_chose_the_pairs(tmp_path: Path) -> None:
    results = played(np.zeros(12), 2, 5, NAMES)
    section = RatingSection(posterior="population")
    run = Run.read(make_run(tmp_path / "run", NAMES, games_per_pair=2)).schedule
    strong = tuple(type(run.players[0])(name=name, player="random", elo=50.0 * n) for n, name in enumerate(NAMES))
    blind, informed = (
        msgspec.structs.replace(run, players=strong, pairing=Pairing(method=method))
        for method in ("round-robin", "ladder")
    )
    assert posterior_beside(section, results, [blind]).assumed.expected == 0
    found = posterior_beside(section, results, [informed])
    assert found.assumed.expected == 12
    assert found.warnings == (f"elo without elo_sd chose pairs: its deviation is taken as {DEFAULT_SD:.0f} Elo",)
    test = msgspec.structs.replace(run, pairing=Pairing(method="sprt"))
    with pytest.raises(UsageError, match=r"rating\.posterior: expected a method that rates players, got 'sprt'"):
        posterior_beside(section, results, [test])
    with pytest.raises(UsageError, match=r"rating\.posterior: expected the backend 'builtin', got 'bayeselo'"):
        posterior_beside(RatingSection(posterior="curve", backend="bayeselo"), results, [])


def test_schedules_know_the_same_names() -> None:
    assert posterior_keys.POSTERIORS == KINDS


@pytest.mark.programs
def test_the_start_of_a_ranking_does_not_import_scipy() -> None:
    program = "import sys, fiedler.tournament.commands.rank, fiedler.tournament.report.ranking; print([*sys.modules])"
    modules = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert "'fiedler.tournament.ratings.posterior.curve'" in modules
    assert "'scipy'" not in modules
