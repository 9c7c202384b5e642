"""Players that speak UCI in schedules: the shipped example and our own players."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.play import endpoint
from fiedler.tournament.play.session import PlayerSession
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, Tables, shipped_games

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


def end_of_patience(greeted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """End the time of a player to shake hands once it has written this file, and not before."""
    shake_hands = PlayerSession.shake_hands

    def is_over(session: PlayerSession) -> bool:
        is_greeted = session.player == "silent" and greeted.exists()
        if is_greeted:
            greeted.unlink()  # the next greeting is in another dialect
        return is_greeted

    async def shake(session: PlayerSession, options: Mapping[str, str]) -> None:
        shaking = asyncio.ensure_future(shake_hands(session, options))
        while not shaking.done():
            await asyncio.wait({shaking}, timeout=0.005)
            if not shaking.done() and is_over(session):
                shaking.cancel()
                raise TimeoutError
        await shaking

    monkeypatch.setattr(PlayerSession, "shake_hands", shake)


def test_a_program_of_uci_without_its_protocol_is_recognised(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is silent when it is greeted in UGI; in other dialects it ends, so that nobody waits for it."""
    monkeypatch.setattr(endpoint, "SPOKEN_S", PATIENCE)
    greeted = bench.folder / "greeted"
    end_of_patience(greeted, monkeypatch)
    words = f"uci) echo uciok;; isready) echo readyok;; ugi) : > '{greeted}';; *) exit;;"
    answers = f"while read line; do case $line in {words} esac; done"
    silent: Tables = {"name": "silent", "command": ["sh", "-c", answers], "options": {"none": 1}}
    with pytest.raises(UsageError, match=rf"^player 'silent': did not shake hands within {PATIENCE:g} s") as caught:
        bench.play([silent, {"name": "ours", "player": "random"}], limit={"nodes": 5, "startup_s": PATIENCE})
    assert str(caught.value).endswith("; it answers in uci: expected protocol = 'uci' for the player")
