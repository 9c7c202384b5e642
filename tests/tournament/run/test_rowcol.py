"""Players that speak rowcol in schedules: the shipped example, faults, refusals."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.run.events import Warned
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, Tables, shipped_games

pytestmark = pytest.mark.programs

BOT = [sys.executable, "-S", "-E", str(ROOT / "examples" / "rowcol_random.py")]
OSP: Tables = {"name": "osp", "player": "osp"}
UTTT: Tables = {"game": "uttt"}


def saying(*lines: str) -> list[str]:
    """Return the command of a bot that answers every request with the next of these lines, and then ends."""
    code = f"for line in {lines!r}: input(); print(line, flush=True)"
    return [sys.executable, "-S", "-E", "-c", code]


def bot(command: list[str], protocol: str = "rowcol", **more: object) -> Tables:
    return {"name": "bot", "command": command, "protocol": protocol, **more}


def test_the_shipped_schedule_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    games = shipped_games("rowcol", "movetime_ms = 100", "movetime_ms = 20_000")
    assert len(games) == 60
    assert {one.termination for one in games} == {"rules"}
    assert len({one.moves for one in games if "rowcol" in (one.first, one.second)}) > 15


@pytest.mark.parametrize("protocol", ["rowcol", "rowcol-list"])
def test_our_own_player_speaks_it_too(bench: Bench, protocol: str) -> None:
    ours = [{"name": name, "player": "osp", "options": {"seed": 3}} for name in ("a", "b")]
    games = bench.play([{**ours[0], "protocol": protocol}, ours[1]], tournament=UTTT)
    assert [one.termination for one in games] == ["rules", "rules"]


@pytest.mark.parametrize("line", ["d6", "9 9", "error: lost", "hello"])
def test_a_line_that_is_no_move_loses(bench: Bench, line: str) -> None:
    for one in bench.play([bot(saying(line)), OSP], tournament=UTTT):
        assert (one.termination, one.result.value) == ("illegal move", "0-1" if one.first == "bot" else "1-0")
        mistake = f"no move, but legal moves exist; it sent {line!r}, expected 'ROW COLUMN' after the opponent's move"
        assert one.detail.endswith(mistake)


def test_an_illegal_move_loses(bench: Bench) -> None:
    for one in bench.play([bot(saying("4 4", "4 4")), OSP], tournament=UTTT):
        assert one.termination == "illegal move"
        assert "e5" in one.detail


def test_a_bot_that_ends_during_a_game_crashes(bench: Bench) -> None:
    first, _ = bench.play([bot(saying("4 4")), OSP], tournament=UTTT)
    assert (first.first, first.termination) == ("bot", "crash")


def test_a_bot_that_ends_after_each_game_is_no_news(bench: Bench) -> None:
    games = bench.play([bot(BOT), OSP], tournament={**UTTT, "games_per_pair": 6})
    assert [one.termination for one in games] == ["rules"] * 6
    assert not [event for event in bench.events if isinstance(event, Warned)]


REFUSED = [
    (
        {"openings": {"plies": 2}},
        {},
        "openings.plies: expected none: player 'bot' speaks rowcol, which has no words for",
    ),
    ({"limit": {"base_ms": 5}}, {}, "limit.base_ms: expected movetime_ms: player 'bot' speaks rowcol, which has no "),
    ({"limit": {"base_ms": 5}}, {"own_limit": True}, "players 'bot'.own_limit: only with nodes or depth, got it "),
    (
        {"limit": {"nodes": 5}},
        {},
        "limit.nodes: expected movetime_ms, or own_limit = true for the player: player 'bot' ",
    ),
    (
        {"limit": {"depth": 5}},
        {},
        "limit.depth: expected movetime_ms, or own_limit = true for the player: player 'bot' ",
    ),
    ({}, {"own_limit": True}, "players 'bot'.own_limit: only with nodes or depth, got it with movetime_ms"),
    ({}, {"options": {"a": 1}}, "players 'bot'.options: expected none: rowcol has no words for options"),
    ({"tournament": {"game": "connect4"}}, {}, "players 'bot'.protocol: rowcol has no names for the moves of connect4"),
]


@pytest.mark.parametrize(("changes", "more", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_what_a_schedule_cannot_ask_for(bench: Bench, changes: Tables, more: Tables, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        bench.play([bot(BOT, **more), OSP], **{"tournament": UTTT, **changes})
    assert str(caught.value).startswith(f"{bench.path}: {message}")
    assert "\n" not in str(caught.value)


def test_with_a_limit_of_its_own_the_stall_binds(bench: Bench) -> None:
    limit = {"nodes": 100, "stall_s": PATIENCE, "startup_s": PATIENCE}
    games = bench.play([bot(BOT, own_limit=True), OSP], tournament=UTTT, limit=limit)
    assert {one.termination for one in games} == {"rules"}
