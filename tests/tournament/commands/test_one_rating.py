"""Every place that rates a run gives the same numbers: the report, `rank`, `status`, the log and stopping rules."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fiedler.tournament.commands.rank import rank
from fiedler.tournament.pairing.plan import Played
from fiedler.tournament.pairing.standings import rated
from fiedler.tournament.ratings import table
from fiedler.tournament.report import write_report
from fiedler.tournament.report.run import Run
from fiedler.tournament.run.interim import look
from fiedler.tournament.run.status import status
from fiedler.tournament.schedule.schedule import RatingSection
from tests.tournament.report.made_runs import make_run

NAMES = ["a", "b", "c", "d", "e"]


def section(seed: int) -> RatingSection:
    """Return a random section `[rating]`; an anchor may be a player without games."""
    chance = random.Random(seed)
    model = chance.choice(("bayeselo", "davidson"))
    imitate = model == "bayeselo" and chance.random() < 0.3
    anchored = chance.sample([*NAMES, "not yet"], chance.choice((0, 1) if imitate else (0, 1, 2, 3)))
    return RatingSection(
        model=model,
        imitate=imitate,
        advantage=chance.choice((0.0, 32.8, "fit")),
        draw_elo=chance.choice((50.0, 97.3, "fit")),
        prior=chance.choice((0.5, 2.0)),
        anchor={name: float(chance.randrange(-200, 200)) for name in anchored},
    )


@pytest.mark.parametrize("seed", range(12))
def test_every_place_gives_the_same_numbers(seed: int, tmp_path: Path) -> None:
    folder = make_run(tmp_path / "run", NAMES, rating=section(seed), seed=seed, games_per_pair=6, played=0.8)
    write_report(folder)
    report: dict[str, Any] = json.loads((folder / "ranking.json").read_text("utf-8"))
    shown = CliRunner().invoke(rank, [str(folder), "--json"], catch_exceptions=False)
    assert json.loads(shown.stdout) == report
    found = status(folder)
    assert (found["ranking"], found["answer"]) == (report["players"], report["answer"])

    run = Run.read(folder)
    games = [(game.first, game.second, game.result) for game in run.games()]
    rating = rated(run.schedule.rating, [Played(*game, step=1, turn=0) for game in games])
    elo = {player["name"]: (player["elo"], player["plus"]) for player in report["players"]}
    for player in rating.players:
        assert (player.elo, player.plus) == pytest.approx(elo[player.name], abs=1e-6)
    text = look(run.schedule, games, run.run_state, "")
    assert text == f"{table(rating)}\n{report['answer']['text']}"
    assert (folder / "ranking.txt").read_text("utf-8").startswith(table(rating))
