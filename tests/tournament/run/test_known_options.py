"""Unknown options of our own players are refused before anything starts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.run import known_options
from fiedler.tournament.run.known_options import offered, refuse_unknown
from fiedler.tournament.schedule.validation import load
from tests.own_games import BREAKTHROUGH, forgotten
from tests.patience import PATIENCE
from tests.tournament.manager_process import COMMAND
from tests.tournament.schedules import Bench, Tables, misbehaving, player

NEGAMAX: Tables = {"name": "deep", "player": "negamax", "options": {"thread": 2}}


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_an_unknown_option_is_refused_by_name_and_nothing_is_started(bench: Bench, options: tuple[str, ...]) -> None:
    started = bench.folder / "started"
    bench.write([NEGAMAX, {"name": "b", "command": [*misbehaving("fine")[:3], "-c", f"open({str(started)!r}, 'w')"]}])
    words = [*COMMAND, "run", str(bench.path), "--results", str(bench.results), *options]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    where = f"{bench.path}: players 'deep'.options.thread"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {where}: unknown option of player negamax; did you mean 'threads'? "
        "(known: depth, hash_mb, model, nodes, threads)\n"
    )
    assert not started.exists()
    assert not bench.results.exists()


def test_every_local_player_is_checked(bench: Bench) -> None:
    (bench.folder / "net.onnx").touch()
    fine: Tables = {"name": "a", "player": "mcts", "options": {"simulations": 3, "rollout": "heuristic"}}
    net: Tables = {"name": "net", "model": "net.onnx", "options": {"batch": 4, "device": "cpu"}}
    refuse_unknown(load(bench.write([fine, net])))
    with pytest.raises(UsageError, match=r"schedule.toml: players 'net'.options.simulation: .* mean 'simulations'\?"):
        refuse_unknown(load(bench.write([fine, {**net, "options": {"simulation": 3}}])))


def test_unknown_players_and_options_are_shown_at_once(bench: Bench) -> None:
    entries: list[Tables] = [
        {"name": "a", "player": "mtcs", "options": {"zzz": 1}},
        {"name": "b", "player": "negamax", "options": {"deph": 3, "threds": 2}},
    ]
    with pytest.raises(UsageError) as caught:
        refuse_unknown(load(bench.write(entries)))
    places = [line.removeprefix(f"{bench.path}: players ").split(":")[0] for line in str(caught.value).splitlines()]
    assert places == ["'a'.player", "'b'.options.deph", "'b'.options.threds"]


def test_a_wrong_value_is_refused_by_key(bench: Bench) -> None:
    bench.write([{**NEGAMAX, "options": {"threads": 0, "hash_mb": 8}}, {"name": "b", "player": "random"}])
    with pytest.raises(UsageError) as caught:
        refuse_unknown(load(bench.path))
    where = f"{bench.path}: players 'deep'.options.threads"
    assert re.fullmatch(rf"{re.escape(where)}: expected a whole number from 1 to \d+, got '0'", str(caught.value))


BOTS = """
import pyspiel

class Last(pyspiel.Bot):
    pass
"""
SPIEL: list[tuple[Tables, str]] = [
    ({"player": "mcts", "options": {"simulations": 1}}, "options.simulations: expected 0, or a whole number from 2 to"),
    ({"player": "mcts", "options": {"c": "x"}}, "options.c: expected a number from 0.0 to 100.0, got 'x'"),
    ({"player": "mcts", "options": {"level": "easy"}}, "options.level: unknown option of player mcts; only `engine "),
    ({"player": "python:mybot"}, "player: expected python:MODULE.CLASS, got no class"),
    ({"player": "python:no_bot.Bot"}, "player: ModuleNotFoundError: No module named 'no_bot'"),
    ({"player": "python:own_bots.Bot"}, "player: AttributeError: module 'own_bots' has no attribute 'Bot'"),
    ({"player": "python:own_bots.Last", "options": {"x": 1}}, "options.x: unknown option of player python:own_bots."),
]


def test_players_of_openspiel_are_checked_before_the_start(bench: Bench) -> None:
    (bench.folder / "own_bots.py").write_text(BOTS, "utf-8")
    named = [{"name": f"p{place}", **entry} for place, (entry, _) in enumerate(SPIEL)]
    sound: Tables = {"name": "sound", "player": "python:own_bots.Last"}
    bench.write([*named, sound], tournament={"game": "openspiel:hex"}, limit={"nodes": 9, "startup_s": PATIENCE})
    with pytest.raises(UsageError) as caught:
        refuse_unknown(load(bench.path))
    lines = sorted(str(caught.value).splitlines())
    assert len(lines) == len(SPIEL), lines
    for place, (line, (_, wrong)) in enumerate(zip(lines, SPIEL, strict=True)):
        assert line.startswith(f"{bench.path}: players 'p{place}'.{wrong}")


def test_a_limit_below_a_search_of_openspiel_is_refused(bench: Bench) -> None:
    players: list[Tables] = [{"name": "a", "player": "random"}, {"name": "b", "player": "mcts"}]
    with pytest.raises(
        UsageError, match=r": limit.nodes: expected 2 at least, got 1: player 'b' is mcts of OpenSpiel$"
    ):
        load(bench.write(players, tournament={"game": "openspiel:hex"}, limit={"nodes": 1}))
    assert load(bench.write(players, limit={"nodes": 1})).limit.nodes == 1, "ours has no such limit"


def test_the_options_of_players_of_a_game_of_ones_own_are_checked(bench: Bench) -> None:
    wrong: list[Tables] = [{"name": "a", "player": "random", "options": {"seed": "x"}}, player("b")]
    limit = {"nodes": 9, "startup_s": PATIENCE}
    with forgotten():
        found = load(bench.write(wrong, tournament={"game": BREAKTHROUGH}, limit=limit))
        with pytest.raises(UsageError, match=r"players 'a'.options.seed: expected a whole number from -1"):
            refuse_unknown(found)


def test_unknown_options_are_left_to_the_player(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Foreign programs, and ours without the list, report their options themselves when they start."""
    theirs = player("a", options={"zzz": 1})
    monkeypatch.setattr(known_options, "engine_program", lambda: str(Path(__file__)))
    assert offered(5.0, "uttt") == {}
    refuse_unknown(load(bench.write([theirs, NEGAMAX])))


def test_an_unknown_player_is_refused_by_name(bench: Bench) -> None:
    wrong = r"schedule.toml: players 'b'.player: unknown player 'mtcs'; did you mean 'mcts'\? \(known: random, osp,"
    with pytest.raises(UsageError, match=wrong):
        refuse_unknown(load(bench.write([player("a"), {"name": "b", "player": "mtcs"}])))


def test_a_player_that_takes_no_model_is_refused_beside_one(bench: Bench) -> None:
    (bench.folder / "net.onnx").touch()
    wrong: Tables = {"name": "b", "player": "mcts", "model": "net.onnx"}
    with pytest.raises(UsageError, match=r"schedule.toml: players 'b'.model: player mcts takes no model, got '/.*'"):
        refuse_unknown(load(bench.write([{**wrong, "name": "a", "player": "checkpoint"}, wrong])))


def test_foreign_programs_need_no_list_of_options(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_options, "offered", None)
    refuse_unknown(load(bench.write([player("a", options={"zzz": 1}), player("b")])))


def test_unknown_players_are_shown_with_the_other_errors_of_a_schedule(bench: Bench) -> None:
    """Also beside an unknown key of the same player, and for one without a name."""
    entries: list[Tables] = [
        {"name": "a", "player": "mtcs", "optoins": {"x": 1}},
        {"name": "b", "player": "negamax", "options": {"deph": 3}, "elo": "high"},
        {"player": "rnadom"},
    ]
    bench.write(entries, rating={"modle": "davidson"})
    words = [*COMMAND, "run", str(bench.path), "--results", str(bench.results)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    lines = [line.removeprefix(f"error: {bench.path}: ").partition(" (known: ")[0] for line in done.stderr.splitlines()]
    assert lines == [
        "rating.modle: unknown key; did you mean 'model'?",
        "players 'a'.optoins: unknown key; did you mean 'options'?",
        "players 'b'.elo: expected a number, got 'high'",
        "players[3].name: missing",
        "players 'a'.player: unknown player 'mtcs'; did you mean 'mcts'?",
        "players 'b'.options.deph: unknown option of player negamax; did you mean 'depth'?",
        "players[3].player: unknown player 'rnadom'; did you mean 'random'?",
    ]
