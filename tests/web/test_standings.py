"""The ranking so far, as the page of a run gets it."""

from __future__ import annotations

from pathlib import Path

from fiedler.web.standings import standings
from tests.tournament.report.made_runs import make_idle_run


def test_a_player_without_games_is_last_and_hides_no_likelihood(tmp_path: Path) -> None:
    players = standings(make_idle_run(tmp_path / "trial"))["players"]
    assert [player["name"] for player in players] == ["a", "b", "idle"]
    first, second, last = (player["elo"] for player in players)
    assert first is not None
    assert second is not None
    assert first > 0 > second
    assert last is None
    assert (players[0]["los"] or 0) > 0.9
    assert [player["los"] for player in players[1:]] == [None, None]
