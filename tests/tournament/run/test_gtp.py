"""Players that speak GTP in schedules: the shipped example, our own players, faults, limits."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from tests.engine.engine_process import serving
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, Tables, shipped_games

BOT = [sys.executable, "-S", "-E", str(ROOT / "examples" / "gtp_random.py")]
OSP: Tables = {"name": "osp", "player": "osp"}
GOMOKU: Tables = {"game": "gomoku9"}


def saying(**answers: str) -> list[str]:
    """Return the command of a bot that gives these answers to these commands, and `=` to all others."""
    code = f"""
answers = {answers!r}
while True:
    print(answers.get(input().split()[0], "="), end="\\n\\n", flush=True)
"""
    return [sys.executable, "-S", "-E", "-c", code]


def bot(command: list[str], **more: object) -> Tables:
    return {"name": "bot", "command": command, "protocol": "gtp", **more}


def test_the_shipped_schedule_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    games = shipped_games("gtp", "movetime_ms = 1000", "movetime_ms = 20_000")
    assert len(games) == 18
    assert {one.termination for one in games} == {"rules"}
    assert len({one.moves for one in games if "gtp-example" in (one.first, one.second)}) == 12


@pytest.mark.parametrize("game_id", ["tictactoe", "connect4", "uttt", "cube", "gomoku15", "renju15"])
def test_a_game_is_the_same_over_gtp_and_over_ugi(bench: Bench, game_id: str) -> None:
    played = []
    for protocol in ("gtp", "ugi"):
        bench.results = bench.folder / protocol
        ours = [{"name": name, "player": "osp", "options": {"seed": 3}, "protocol": protocol} for name in ("a", "b")]
        games = bench.play(ours, tournament={"game": game_id}, openings={"plies": 2})
        assert {one.termination for one in games} == {"rules"}
        played.append([(one.id, one.moves, one.result) for one in games])
    assert played[0] == played[1]


def test_a_player_at_an_address_and_on_a_clock(bench: Bench) -> None:
    with serving("--game", "gomoku9", "--player", "hsp", "--protocol", "gtp") as server:
        far: Tables = {"name": "far", "address": server.address, "protocol": "gtp", "options": {"seed": 5}}
        limit = {"base_ms": round(1000 * PATIENCE), "increment_ms": 1000, "startup_s": PATIENCE}
        games = bench.play([far, bot(BOT)], tournament=GOMOKU, limit=limit)
    assert {one.termination for one in games} == {"rules"}
    assert [one.result.value for one in games] == ["1-0" if one.first == "far" else "0-1" for one in games]


FAULTS = [
    ({"genmove": "= pass"}, "it sent '= pass', expected '= VERTEX' after genmove"),
    ({"genmove": "= Z9"}, "it sent '= Z9', expected '= VERTEX' after genmove"),
    ({"genmove": "= I9"}, "expected '= VERTEX' after genmove; GTP leaves out the letter I: J follows H"),
    ({"genmove": "? lost"}, r"it sent '\? lost', expected '= VERTEX' after genmove"),
    ({"genmove": "="}, "no move, but legal moves exist; it sent '=', expected '= VERTEX' after genmove"),
    ({"play": "? illegal move", "genmove": "= A1"}, r"it refused play B [A-J]\d: \? illegal move"),
    ({"play": "? illegal move", "genmove": "? cannot"}, r"it refused play B [A-J]\d: \? illegal move"),
]


@pytest.mark.parametrize(("answers", "detail"), FAULTS, ids=[detail for _, detail in FAULTS])
def test_an_answer_that_is_no_move_loses(bench: Bench, answers: dict[str, str], detail: str) -> None:
    for one in bench.play([bot(saying(**answers)), OSP], tournament=GOMOKU, openings={"plies": 2}):
        assert (one.termination, one.result.value) == ("illegal move", "0-1" if one.first == "bot" else "1-0")
        assert re.search(f"{detail}$", one.detail)


def test_an_occupied_point_loses(bench: Bench) -> None:
    for one in bench.play([bot(saying(genmove="= A1")), OSP], tournament=GOMOKU):
        assert one.termination == "illegal move"
        assert "move a1: " in one.detail
        assert one.detail.endswith("; it sent '= A1'; its last move again")


def test_a_resignation(bench: Bench) -> None:
    games = bench.play([bot(saying(genmove="= resign")), OSP], tournament=GOMOKU)
    assert [one.termination for one in games] == ["resignation"] * 2


REFUSED = [
    ({"limit": {"nodes": 5}}, {}, "limit.nodes: expected movetime_ms"),
    ({"limit": {"depth": 5}}, {}, "limit.depth: expected movetime_ms"),
    (
        {"limit": {"base_ms": 5}},
        {"own_limit": True},
        "players 'bot'.own_limit: only with nodes or depth, got it with base_ms",
    ),
]


@pytest.mark.parametrize(("changes", "more", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
def test_a_limit_that_gtp_cannot_express_is_refused(bench: Bench, changes: Tables, more: Tables, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        bench.play([bot(BOT, **more), OSP], **{"tournament": GOMOKU, **changes})
    assert str(caught.value).startswith(f"{bench.path}: {message}")


def test_with_a_limit_of_its_own_the_stall_binds(bench: Bench) -> None:
    limit = {"nodes": 100, "stall_s": PATIENCE, "startup_s": PATIENCE}
    games = bench.play([bot(BOT, own_limit=True), OSP], tournament=GOMOKU, limit=limit)
    assert {one.termination for one in games} == {"rules"}


def test_an_unknown_option_is_refused(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"unknown option 'sed'; did you mean 'seed'"):
        bench.play([bot(BOT, options={"sed": 1}), OSP], tournament=GOMOKU)


def test_a_program_for_another_board_is_not_used(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"it sent '\? unacceptable size', expected '=' after boardsize"):
        bench.play(
            [bot(saying(boardsize="? unacceptable size")), OSP],
            tournament=GOMOKU,
            limit={"movetime_ms": 1000, "startup_s": PATIENCE},
        )


def test_a_program_of_another_protocol_is_noticed_at_once(bench: Bench) -> None:
    code = "while True: input(); print('ERROR: unknown command', flush=True)"
    other = bot([sys.executable, "-S", "-E", "-c", code])
    expected = "player 'bot': refused to begin; it sent 'ERROR: unknown command', expected '=' after boardsize"
    with pytest.raises(UsageError) as caught:
        bench.play([other, OSP], tournament=GOMOKU, limit={"movetime_ms": 1000, "startup_s": PATIENCE})
    assert expected in str(caught.value)


def test_our_own_engine_for_another_game_is_not_used(bench: Bench) -> None:
    with (
        serving("--game", "uttt", "--player", "random") as server,
        pytest.raises(UsageError, match="it plays another game than gomoku9: it starts from X;"),
    ):
        bench.play([{"name": "far", "address": server.address, "protocol": "gtp"}, OSP], tournament=GOMOKU)
