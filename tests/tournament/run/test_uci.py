"""Players that speak UCI in schedules: the shipped example and our own players."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.errors import UsageError
from tests.tournament.schedules import Bench, Tables, shipped_games
from tournament.play import endpoint

pytestmark = pytest.mark.programs


def test_the_shipped_schedule_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    games = shipped_games("uci", "nodes = 2000", "nodes = 20")
    assert len(games) == 18
    assert {one.termination for one in games} == {"rules"}
    assert len({one.moves for one in games if "uci-example" in (one.first, one.second)}) == 12


def test_a_game_is_the_same_in_uci_and_in_ugi(bench: Bench) -> None:
    played = []
    for protocol in ("uci", "ugi"):
        bench.results = bench.folder / protocol
        ours: list[Tables] = [
            {"name": name, "player": "osp", "options": {"seed": 3}, "protocol": protocol} for name in ("a", "b")
        ]
        games = bench.play(ours, tournament={"game": "connect4"}, openings={"plies": 2}, limit={"nodes": 50})
        assert {one.termination for one in games} == {"rules"}
        played.append([(one.id, one.moves, one.result) for one in games])
    assert played[0] == played[1]


def test_a_program_of_uci_without_its_protocol_is_recognised(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "SPOKEN_S", 5)
    answers = "while read line; do case $line in uci) echo uciok;; isready) echo readyok;; esac; done"
    silent: Tables = {"name": "silent", "command": ["sh", "-c", answers], "options": {"none": 1}}
    with pytest.raises(UsageError, match=r"^player 'silent': did not shake hands within 5 s") as caught:
        bench.play([silent, {"name": "ours", "player": "random"}], limit={"nodes": 5, "startup_s": 5})
    assert str(caught.value).endswith("; it answers in uci: expected protocol = 'uci' for the player")
