"""`tournament simulate --posterior`: the truths, the errors of both ratings, and the refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from fiedler.support.errors import UsageError
from fiedler.tournament.commands.simulate import simulate
from fiedler.tournament.pairing.expected import chosen_by_elo, expected_strengths
from fiedler.tournament.schedule.schedule import Pairing, PlayerEntry
from fiedler.tournament.simulation.error_figure import error_figure
from fiedler.tournament.simulation.estimate import JudgedRatings, PosteriorNumbers
from fiedler.tournament.simulation.population import Population
from fiedler.tournament.simulation.schemes import SCHEMES
from fiedler.tournament.simulation.trial import Summary, Trial

FEW = ["--players", "24", "--games", "1200", "--repetitions", "2", "--workers", "1", "--method", "random-8"]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(simulate, arguments, catch_exceptions=False)


def test_the_truths() -> None:
    def drawn(shape: Any, **more: Any) -> Any:
        return Population(100, shape=shape, **more).draw(np.random.default_rng(1))

    assert drawn("normal").std() == pytest.approx(150, rel=0.2)
    groups = drawn("groups")
    assert groups[:50].max() < -150 < 150 < groups[50:].min()
    assert groups[:50].std() == pytest.approx(40, rel=0.25)
    outlier = drawn("outlier")
    assert outlier[0] == -1000
    assert outlier[1:].std() == pytest.approx(60, rel=0.2)
    curve, collapse, hump, steps = (drawn(one, noise=0.0) for one in ("curve", "collapse", "hump", "steps"))
    assert np.flatnonzero(curve != collapse).size == 10
    assert (curve - collapse).max() == pytest.approx(400)
    assert 40 < hump.argmax() < 60
    assert hump[-1] == pytest.approx(0, abs=1e-9)
    assert np.unique(steps).tolist() == [0, 300, 600, 900, 1200]


def test_shuffled_players_are_the_same_in_another_order() -> None:
    kept, shuffled = (
        Population(50, shape="curve", order=order).draw(np.random.default_rng(4)) for order in ("kept", "shuffled")
    )
    assert sorted(kept) == sorted(shuffled)
    assert (kept != shuffled).any()


def test_an_estimate_is_judged_relative_to_equal_means() -> None:
    truth = np.array([0.0, 100.0, 200.0])
    one = JudgedRatings(truth + 1000 + np.array([30.0, 0.0, -30.0]), np.array([29.0, 1.0, 61.0]), truth)
    assert one.error == pytest.approx([30, 0, -30])
    assert one.rms == pytest.approx(np.sqrt(600))
    assert one.coverage == pytest.approx(2 / 3)
    assert one.loss == 0
    assert not one.knows_weakest
    assert JudgedRatings(truth[::-1], truth, truth).loss == 200


def test_the_posterior_stands_beside_the_table() -> None:
    arguments = ["--truth", "curve", *FEW, "--posterior"]
    document = json.loads(run(*arguments, "curve", "--json").stdout)
    (one,) = document["methods"]
    assert (document["posterior"], document["order"]) == ("curve", "kept")
    assert one["posterior"]["curve"] == 1
    assert one["posterior"]["rms"] < 0.8 * one["rms"]
    assert 0.8 < one["coverage"] <= 1
    assert 0.8 < one["posterior"]["coverage"] <= 1
    assert one["posterior"]["evidence"] > 5
    shuffled = json.loads(run(*arguments, "curve", "--json", "--order", "shuffled").stdout)
    assert shuffled["methods"][0]["posterior"]["curve"] == 0
    assert shuffled["methods"][0]["posterior"]["evidence"] != one["posterior"]["evidence"]
    plain = json.loads(run(*arguments, "none", "--json").stdout)
    assert plain["methods"][0]["posterior"] is None
    assert plain["methods"][0]["rms"] == one["rms"], "the games and the table are the same"


@pytest.mark.programs
def test_the_numbers_do_not_depend_on_the_processes() -> None:
    arguments = ["--truth", "normal", *FEW, "--posterior", "population", "--json"]
    arguments.remove("1")
    at = arguments.index("--workers") + 1
    found = [json.loads(run(*arguments[:at], workers, *arguments[at:]).stdout)["methods"][0] for workers in "12"]
    assert found[0]["posterior"] == found[1]["posterior"]


def test_the_text_has_both() -> None:
    lines = run("--truth", "equal", *FEW, "--posterior", "population").stdout.splitlines()
    header = next(line for line in lines if "posterior RMS" in line)
    values = lines[lines.index(header) + 1].split()
    assert values[:4] == ["random", "regular,", "degree", "8"]
    assert len(values) == 4 + 9
    assert float(values[7 - 1]) < 40


def test_the_picture_has_the_posterior() -> None:
    found = PosteriorNumbers(12.0, 0.95, 1.0, 1.0, 1.0, 150.0)
    one = Summary("a", "a", 3, 15.2, 0.4, 15.1, 0.9, 50.0, 100.0, 10.0, 0.1, 0.0, 100, 100, None, posterior=found)
    picture = error_figure([one], "errors")
    assert ">15.2, posterior 12.0</text>" in picture
    assert "a, posterior: 12.0 Elo, coverage 0.95" in picture


def test_a_summary_has_the_means_of_the_posterior() -> None:
    trials = [
        Trial(2, 1, 1.0, 1.0, 1.0, 1.0, 1.0, posterior=PosteriorNumbers(rms, 0.9, 2.0, weakest, 1.0, 3.0))
        for rms, weakest in ((10.0, 1.0), (14.0, 0.0))
    ]
    found = Summary.of("a", "a", trials).posterior
    assert found == PosteriorNumbers(12.0, 0.9, 2.0, 0.5, 1.0, 3.0, rms_se=2.0)


def test_strengths_that_chose_the_pairs_are_known_to_the_posterior() -> None:
    assert chosen_by_elo(Pairing(method="adaptive", games=100))
    assert chosen_by_elo(Pairing(method="meeting-graph", criterion="order"))
    assert not chosen_by_elo(Pairing(method="meeting-graph"))
    assert not chosen_by_elo(Pairing(method="swiss"))
    assert SCHEMES["precision-8"].informed
    assert not SCHEMES["adaptive"].informed, "it does not get the Elo of the schedule"
    players = [PlayerEntry(name=name, elo=elo, elo_sd=sd) for name, elo, sd in (("a", 5.0, 20.0), ("b", 7.0, None))]
    assert expected_strengths([*players, PlayerEntry(name="c")]) == {"a": (5.0, 20.0), "b": (7.0, 100.0)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--truth", "normal", "--spread", "5"], "--spread: expected a truth of curve, .*, got normal"),
        (["--truth", "groups", "--noise", "5"], "--noise: expected a truth of curve, .*, got groups"),
        (["--truth", "equal", "--players", "9", "--posterior", "curve"], "expected at least 10 players, got 9 players"),
        (["FILE", "--posterior", "curve"], "--posterior: expected a method that rates players, got sprt"),
        (["FILE", "--order", "shuffled"], "--order goes with --truth"),
    ],
)
def test_wrong_options_give_one_line(tmp_path: Path, arguments: list[str], message: str) -> None:
    path = tmp_path / "try.toml"
    players = "".join(f'[[players]]\nname = "p{number}"\nplayer = "random"\nelo = 0\n' for number in range(2))
    path.write_text(
        '[tournament]\nname = "try"\ngame = "uttt"\n[limit]\nnodes = 1\n[pairing]\nmethod = "sprt"\n'
        f"sprt = {{ elo0 = 0, elo1 = 10 }}\n{players}",
        encoding="utf-8",
    )
    with pytest.raises(UsageError, match=message):
        run(*(str(path) if word == "FILE" else word for word in arguments))
