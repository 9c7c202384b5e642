"""Valid schedules, and the one line for each invalid value."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from protocol import DIALECTS
from support.complaints import MOST_SHOWN
from support.errors import UsageError
from support.toml import MOST_UNKNOWN
from tests.folders import DOCS
from tests.tournament.schedules import Tables, tables, toml
from tournament.graph import Criterion
from tournament.pairing.graph import choose_pairs
from tournament.run import manager
from tournament.schedule.pairs import number_of_pairs
from tournament.schedule.schedule import CRITERIA, Schedule
from tournament.schedule.size import MAX_GAMES, MAX_PLAYERS, most_games
from tournament.schedule.validation import load

A, B, C = ({"name": name, "player": "random"} for name in "abc")
MEETING = {"method": "meeting-graph", "pairs": 2}


def loaded(folder: Path, content: Tables | str) -> Schedule:
    path = folder / "s.toml"
    path.write_text(content if isinstance(content, str) else toml(content), encoding="utf-8")
    return load(path)


def complaint(folder: Path, content: Tables | str) -> str:
    with pytest.raises(UsageError) as caught:
        choose_pairs(loaded(folder, content))
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(folder / "s.toml"))


def test_defaults_and_resolution(tmp_path: Path) -> None:
    schedule = loaded(tmp_path, tables([A, B]))
    assert schedule.names == ("a", "b")
    assert (schedule.limit.margin_ms, schedule.limit.stall_s) == (50, 60.0)
    assert (schedule.limit.lag_credit_ms, schedule.limit.reconnect_s) == (0, 0.0)
    assert (schedule.rating.backend, schedule.openings.plies) == ("builtin", 0)
    assert schedule.folder == str(tmp_path)
    assert msgspec.convert(msgspec.to_builtins(schedule), Schedule) == schedule


def test_a_short_name_stands_for_the_id_of_its_game(tmp_path: Path) -> None:
    short, whole = (loaded(tmp_path, tables([A, B], tournament={"game": name})) for name in ("c4", "connect4"))
    assert short == whole
    assert short.tournament.game == "connect4"
    expected = "limit.nodes: expected movetime_ms, or own_limit = true for the player"  # it has the checks of the game
    gomocup = {"name": "c", "command": ["c"], "protocol": "gomocup"}
    assert expected in complaint(tmp_path, tables([A, gomocup], limit={"nodes": 9}, tournament={"game": "gomoku"}))


def test_models_become_players_named_after_their_files(tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    for name in ("uttt-2.onnx", "uttt-1.onnx", "other.onnx"):
        (tmp_path / "nets" / name).write_bytes(b"")
    entry = {"models": "nets/uttt*.onnx", "options": {"simulations": 10}}
    schedule = loaded(tmp_path, tables([A, entry]))
    assert schedule.names == ("a", "uttt-1", "uttt-2")
    assert schedule.players[1].model == str(tmp_path / "nets" / "uttt-1.onnx")
    assert schedule.players[2].options == {"simulations": 10}


def test_two_runs_with_the_same_file_names_differ_by_their_prefix(tmp_path: Path) -> None:
    for run in ("wide", "deep"):
        (tmp_path / run).mkdir()
        for number in ("0001", "0002"):
            (tmp_path / run / f"{number}.onnx").write_bytes(b"")
    entries = [{"models": f"{run}/*.onnx"} for run in ("wide", "deep")]
    clash = complaint(tmp_path, tables(entries))
    assert "players '0001'.name: an earlier player has this name; `prefix` beside `models` makes names differ" in clash
    wide, deep = entries
    schedule = loaded(tmp_path, tables([wide, {**deep, "prefix": "deep-"}]))
    assert schedule.names == ("0001", "0002", "deep-0001", "deep-0002")
    assert schedule.players[3].model == str(tmp_path / "deep" / "0002.onnx")
    assert ": players 'b'.prefix: only with models, which is missing" in complaint(
        tmp_path, tables([A, {**B, "prefix": "x-"}])
    )


@pytest.mark.parametrize("method", ["knockout", "sprt"])
def test_methods_that_need_all_their_players(tmp_path: Path, method: str) -> None:
    content = tables([A, {**B, "required": False}], pairing={"method": method})
    assert complaint(tmp_path, content) == f": players 'b'.required: expected true with method = '{method}'"


def test_criteria_are_those_of_the_graph() -> None:
    assert get_args(Criterion) == CRITERIA


SYNTAX = [
    ("[tournament]\nname = \n", ":2:8: Invalid value"),
    ("[tournament\n", ":1:12: Expected ']' at the end of a table declaration"),
    ('[tournament]\nname = "x', ":2:10: "),
    ("[tournament]\nseed = 1\nseed = 2\n", ":3:9: Cannot overwrite a value"),
]


@pytest.mark.parametrize(("text", "message"), SYNTAX)
def test_syntax_error_has_line_and_column(tmp_path: Path, text: str, message: str) -> None:
    assert complaint(tmp_path, text).startswith(message)


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere.toml: cannot be read: no such file or directory"):
        load(tmp_path / "nowhere.toml")
    (tmp_path / "s.toml").write_bytes(b"\xff")
    with pytest.raises(UsageError, match=r"expected UTF-8 text, got byte 0xff at 0"):
        load(tmp_path / "s.toml")


WRONG: list[tuple[Tables, str]] = [
    ({"tornament": {}}, ": tornament: unknown table or key; did you mean 'tournament'?"),
    ({"tournament": {"gamesperpair": 2}}, ": tournament.gamesperpair: unknown key; did you mean 'games_per_pair'?"),
    ({"tournament": {"zzz": 2}}, ": tournament.zzz: unknown key; known: name, game, games_per_pair, seed, concurrency"),
    ({"tournament": {"game": "utt"}}, ": tournament.game: unknown game 'utt'; did you mean 'uttt'?"),
    ({"tournament": {"games_per_pair": 3}}, ": tournament.games_per_pair: expected an even number"),
    ({"tournament": {"games_per_pair": "4"}}, ": tournament.games_per_pair: expected a whole number, got '4'"),
    ({"tournament": {"games_per_pair": 0}}, ": tournament.games_per_pair: expected a whole number >= 1, got 0"),
    ({"tournament": {"seed": 2**63}}, ": tournament.seed: "),
    ({"tournament": {"name": "../x"}}, ": tournament.name: expected up to 100 letters, digits"),
    ({"limit": {}}, ": limit: expected exactly one of movetime_ms, nodes, depth, base_ms, got none"),
    (
        {"limit": {"nodes": 1, "depth": 1}},
        ": limit: expected exactly one of movetime_ms, nodes, depth, base_ms, got nodes",
    ),
    ({"limit": {"nodes": 1, "increment_ms": 1}}, ": limit.increment_ms: only with base_ms, got it with nodes"),
    ({"limit": {"movetime_ms": 0}}, ": limit.movetime_ms: expected a whole number >= 1, got 0"),
    ({"limit": {"nodes": 1, "lag_credit_ms": -1}}, ": limit.lag_credit_ms: expected a whole number >= 0, got -1"),
    ({"limit": {"nodes": 1, "reconnect_s": -1}}, ": limit.reconnect_s: expected a number >= 0.0, got -1"),
    ({"pairing": {"method": "swis"}}, ": pairing.method: expected 'meeting-graph' or 'adaptive' or 'ladder' or"),
    ({"pairing": {"method": "round-robin", "rounds": 3}}, ": pairing.rounds: only with method = 'swiss', got it with"),
    ({"pairing": {"method": "adaptive"}}, ": pairing.games: missing: the number of games of an adaptive tournament"),
    ({"pairing": {"method": "adaptive", "games": 1}}, ": pairing.games: expected at least 2, since every opening is"),
    ({"pairing": {"pairs": 2, "stop": {"eror": 3}}}, ": pairing.stop.eror: unknown key; did you mean 'error'?"),
    (
        {"pairing": {"method": "round-robin", "sprt": {"modle": "x"}}},
        ": pairing.sprt.modle: unknown key; did you mean 'model'",
    ),
    ({"openings": {"plies": 2}, "adjudication": {"max_plies": 2}}, ": adjudication.max_plies: expected more than "),
    ({"pairing": {"method": "sprt"}}, ": players: expected two for method = 'sprt', got 3"),
    ({"pairing": {"pairs": 2, "stop": {"top": 3}}}, ": pairing.stop.top: expected fewer than the 3 players, got 3"),
    ({"pairing": {"pairs": 2, "stop": {}}}, ": pairing.stop: expected exactly one of top, error, got none"),
    ({"pairing": {"method": "round-robin", "pairs": 3}}, ": pairing.pairs: only with method = 'meeting-graph'"),
    (
        {"pairing": {"method": "round-robin", "challengers": ["a"]}},
        ": pairing.challengers: only with method = 'gauntlet'",
    ),
    ({"pairing": {"method": "gauntlet", "challengers": ["d"]}}, ": pairing.challengers: unknown player 'd'"),
    ({"pairing": {"pairs": 2, "stop": 1}}, ": pairing.stop: expected a table, got 1"),
    (
        {"pairing": {"pairs": 2, "games": 9}},
        ": pairing: expected exactly one of pairs, degree, games, got pairs and games",
    ),
    ({"pairing": {**MEETING, "criterion": "conectivity"}}, "did you mean 'connectivity'?"),
    ({"pairing": {**MEETING, "degree_cap": "all"}}, ": pairing.degree_cap: expected 'near-equal', 'none' or a number"),
    ({"pairing": {**MEETING, "required": [["a", "x"]]}}, ": pairing.required: unknown player 'x'"),
    ({"pairing": {**MEETING, "forbidden": [["a", "a"]]}}, ": pairing.forbidden: a player cannot meet itself: 'a'"),
    (
        {"pairing": {**MEETING, "prior_games": [["a", "b"]]}},
        ": pairing.prior_games[1]: expected an array of length 3, got ['a', 'b']",
    ),
    ({"pairing": {**MEETING, "style_sd": -1}}, ": pairing.style_sd: expected a number >= 0.0, got -1"),
    ({"pairing": {"method": "swiss", "style_sd": 9}}, ": pairing.style_sd: only with method = 'meeting-graph' or 'ad"),
    ({"pairing": {**MEETING, "pairs": 1}}, ": pairing.pairs: 1 pair cannot connect 3 players, at least 2 are needed"),
    ({"pairing": {"games": 3}}, ": pairing.games: 1 pair cannot connect 3 players, at least 2 are needed"),
    ({"pairing": {"pairs": 4}}, ": pairing.pairs: 3 players make only 3 pairs, got 4"),
    ({"pairing": {"degree": 3}}, ": pairing.degree: 3 players have at most 2 opponents, got 3"),
    ({"pairing": {"degree": 1}}, ": pairing.degree: 3 players with 1 opponent each make no whole number of pairs"),
    ({"pairing": {**MEETING, "required": [["a", "b"]], "forbidden": [["b", "a"]]}}, ": pairing: pair a - b is both "),
    (
        {"pairing": {"pairs": 2, "degree_cap": 1}},
        ": pairing: 2 pairs asked for, but degree_cap 1 leaves room for only 1",
    ),
    ({"limit": {"nodes": [1]}}, ": limit.nodes: expected a whole number, got [1]"),
    ({"openings": {"plies": 2, "file": "x"}}, ": openings: expected one of plies, file, got both"),
    ({"adjudication": {"max_plie": 9}}, ": adjudication.max_plie: unknown key; did you mean 'max_plies'?"),
    ({"adjudication": {"max_plies": 0}}, ": adjudication.max_plies: expected a whole number >= 1, got 0"),
    ({"adjudication": {"proof": 1}}, ": adjudication.proof: expected true or false, got 1"),
    ({"adjudication": {"resign_moves": 2}}, ": adjudication.resign_moves: only with resign_score, which is missing"),
    ({"adjudication": {"resign_moves": 3}}, ": adjudication.resign_moves: only with resign_score, which is missing"),
    ({"adjudication": {"draw_after": 0}}, ": adjudication.draw_after: only with draw_score, which is missing"),
    ({"openings": {"tolerance": 0.1}}, ": openings.tolerance: only with balance, which is missing"),
    ({"adjudication": {"draw_after": 2}}, ": adjudication.draw_after: only with draw_score, which is missing"),
    (
        {"adjudication": {"draw_score": 20, "resign_score": 20}},
        ": adjudication.draw_score: expected less than resign_score = 20, got 20",
    ),
    ({"openings": {"file": "x.txt"}}, ": openings.file: no such file: "),
    ({"openings": {"file": "renju27"}}, "renju27; did you mean 'renju26'?"),
    ({"rating": {"backend": "elo"}}, ": rating.backend: expected 'builtin' or 'bayeselo', got 'elo'"),
    ({"tournament": {"concurrency": 193}}, ": tournament.concurrency: expected at most 192, got 193"),
    ({"rating": {"draw_elo": 0}}, ": rating.draw_elo: expected a number of Elo above 0 or 'fit', got 0.0"),
    ({"rating": {"advantage": "fti"}}, ": rating.advantage: expected a number of Elo or 'fit', got 'fti'"),
    ({"rating": {"model": "davidsen"}}, ": rating.model: expected 'bayeselo' or 'davidson', got 'davidsen'; "),
    (
        {"rating": {"model": "davidson", "backend": "bayeselo"}},
        ": rating.model: expected 'bayeselo', the only model of ",
    ),
    ({"rating": {"anchor": {"A": 1500}}}, ": rating.anchor: unknown player 'A'"),
    ({"rating": {"anchor": {"a": 1, "b": 2}, "backend": "bayeselo"}}, ": rating.anchor: expected at most one player"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[message for _, message in WRONG])
def test_wrong_key(tmp_path: Path, change: Tables, message: str) -> None:
    assert message in complaint(tmp_path, tables([A, B, C], **change))


HUGE = 2_000_000_000
TOO_MANY: list[tuple[Tables, str]] = [
    ({"tournament": {"games_per_pair": HUGE}}, ": tournament.games_per_pair: expected a whole number <= 1000000000"),
    (
        {"tournament": {"games_per_pair": 10**6}, "pairing": {"method": "round-robin"}},
        ": tournament.games_per_pair: expected at most 1000000 games in all, got 3000000",
    ),
    (
        {"tournament": {"games_per_pair": 10**6}, "pairing": {"method": "gauntlet"}},
        ": tournament.games_per_pair: expected at most 1000000 games in all, got 2000000",
    ),
    (
        {"tournament": {"games_per_pair": 10**6}, "pairing": {"method": "knockout"}},
        ": tournament.games_per_pair: expected at most 1000000 games in all, got 2000000",
    ),
    (
        {"tournament": {"games_per_pair": 10**6}, "pairing": {"method": "ladder"}},
        ": tournament.games_per_pair: expected at most 1000000 games in all, got 3000000",
    ),
    (
        {"tournament": {"games_per_pair": 10**6}, "pairing": {"degree": 2}},
        ": tournament.games_per_pair: expected at most 1000000 games in all, got 3000000",
    ),
    (
        {"pairing": {"method": "swiss", "rounds": 600_000}},
        ": pairing.rounds: expected at most 1000000 games in all, got 1200000",
    ),
    (
        {"pairing": {"method": "adaptive", "games": 10**9}},
        ": pairing.games: expected at most 1000000 games in all, got 1000000000",
    ),
    (
        {"pairing": {"games": 10**9, "criterion": "precision"}},
        ": pairing.games: expected at most 1000000 games in all, got 1000000000",
    ),
    ({"tournament": {"bench_after": 10**30}}, ": tournament.bench_after: expected a whole number <= 1000000000"),
    ({"limit": {"nodes": 1, "margin_ms": 10**12}}, ": limit.margin_ms: expected a whole number <= 2147483647"),
    ({"openings": {"plies": 2, "start": 10**9}}, ": openings.start: expected a whole number <= 1000000"),
]


@pytest.mark.parametrize(("change", "message"), TOO_MANY, ids=[message for _, message in TOO_MANY])
def test_a_size_is_refused_before_anything_is_planned(tmp_path: Path, change: Tables, message: str) -> None:
    assert complaint(tmp_path, tables([A, B, C], **change)).startswith(message)


@pytest.mark.parametrize(
    "change",
    [
        {"pairing": {"games": 10**9}},
        {"tournament": {"games_per_pair": 333_332}, "pairing": {"method": "round-robin"}},
    ],
)
def test_a_budget_of_more_games_than_can_be_played_is_none_too_large(tmp_path: Path, change: Tables) -> None:
    assert most_games(loaded(tmp_path, tables([A, B, C], **change))) <= MAX_GAMES


def test_too_many_players_are_refused(tmp_path: Path) -> None:
    many = [{"name": str(number), "player": "random"} for number in range(MAX_PLAYERS + 1)]
    message = complaint(tmp_path, tables(many, pairing={"method": "knockout"}))
    assert message == f": players: expected at most {MAX_PLAYERS}, got {MAX_PLAYERS + 1}"


PLAYERS: list[tuple[list[Tables], str]] = [
    ([A], ": players: expected at least two, got 1"),
    ([A, {**A}], ": players 'a'.name: an earlier player has this name"),
    ([A, {"player": "random"}], ": players[2].name: missing"),
    ([A, {"name": " b", "player": "random"}], ": players ' b'.name: expected 1 to 64 printable characters"),
    (
        [A, {"name": "b"}],
        ": players 'b': expected exactly one of player, model, models, command, address, listen, dial_in, discover",
    ),
    ([A, {**B, "address": "h:1"}], ": players 'b': expected exactly one of player, model, models, command, address"),
    ([A, {"name": "b", "address": "host"}], ": players 'b'.address: expected HOST:PORT with a port from 1 to 65535"),
    ([A, {"name": "b", "address": "h:65536"}], ": players 'b'.address: expected HOST:PORT"),
    ([A, {"name": "b", "command": []}], ": players 'b'.command: expected a program and its arguments"),
    ([A, {"name": "b", "command": "x"}], ": players 'b'.command: expected an array, got 'x'"),
    ([A, {"name": "b", "model": "x.onnx"}], ": players 'b'.model: no such file: "),
    ([A, {"models": "x*.onnx"}], ": players 'x*.onnx'.models: no file matches 'x*.onnx' in "),
    ([A, {**B, "protocol": "rowcool"}], f": players 'b'.protocol: expected {' or '.join(map(repr, DIALECTS))}, got "),
    ([A, {**B, "opions": {}}], ": players 'b'.opions: unknown key; did you mean 'options'?"),
    ([A, {**B, "elo_sd": 0}], ": players 'b'.elo_sd: expected a number > 0.0, got 0"),
    ([A, {**B, "elo_sd": 50}], ": players 'b'.elo_sd: expected an elo beside it, of this player or another, got none"),
    ([A, {**B, "options": {"depth": 3, "book": [1]}}], ": players 'b'.options.book: expected "),
    ([A, {**B, "options": 3}], ": players 'b'.options: expected a table, got 3"),
    ([A, {**B, "dial_in": True}], ": players 'b': expected exactly one of player, model, models, command, address"),
    ([A, {"name": "b  c", "dial_in": True}], ": players 'b  c'.name: expected words with single blanks with dial_in"),
    ([A, {**B, "token_file": "t"}], ": players 'b'.token_file: only with address, which is missing"),
    ([A, {**B, "tls": True}], ": players 'b'.tls: only with address, which is missing"),
    ([A, {"name": "b", "address": "h:1", "ca": "x"}], ": players 'b'.ca: only with tls, which is missing"),
    ([A, {"discover": {}, "ca": "x"}], ": players[2].ca: only with tls, which is missing"),
    (
        [A, {"player": "mcts", "model": "x"}],
        ": players[2]: expected exactly one of player, model, models, command, address",
    ),
    ([A, {"name": "b", "address": "h:1", "token_file": "t"}], ": players 'b'.token_file: no such file: "),
    (
        [A, {"name": "b", "address": "h:1", "token_file": "."}],
        ": players 'b'.token_file: expected a regular file, got a folder",
    ),
    (
        [A, {"name": "b", "model": "/dev/zero"}],
        ": players 'b'.model: expected a regular file, got a pipe or a device: ",
    ),
    ([A, {"name": "b", "address": "h:1", "tls": True, "ca": "x"}], ": players 'b'.ca: no such file: "),
]


@pytest.mark.parametrize(("players", "message"), PLAYERS, ids=[message for _, message in PLAYERS])
def test_wrong_player(tmp_path: Path, players: list[Tables], message: str) -> None:
    assert complaint(tmp_path, tables(players)).startswith(message)


def complaints(folder: Path, content: Tables) -> list[str]:
    with pytest.raises(UsageError) as caught:
        loaded(folder, content)
    return [line.removeprefix(f"{folder / 's.toml'}: ") for line in str(caught.value).splitlines()]


def test_all_errors_of_a_schedule_are_shown_at_once(tmp_path: Path) -> None:
    content = tables([A, {**B, "isolate": True, "restart": "often"}, {"name": "d"}, {**C, "comand": ["x"]}])
    content["tournament"] = {"name": "a/b", "game": "tictactoe", "games_per_pair": 3}
    content["pairing"] = {"method": "gauntlet", "challengers": ["z", "a"], "rounds": 3}
    content["rating"] = {"modle": "davidson"}
    content["adjudication"] = {"resign_moves": 2}
    assert complaints(tmp_path, content) == [
        "players 'c'.comand: unknown key; did you mean 'command'?",
        "rating.modle: unknown key; did you mean 'model'?",
        "adjudication.resign_moves: only with resign_score, which is missing",
        "players 'd': expected exactly one of player, model, models, command, address, listen, dial_in, discover, "
        "got none",
        "tournament.name: expected up to 100 letters, digits, '.', '_', '-', got 'a/b'",
        "tournament.games_per_pair: expected an even number (each opening is played with both colours), got 3",
        "players 'b'.restart: expected 'never' or 'game', got 'often'",
        "pairing.rounds: only with method = 'swiss', got it with 'gauntlet'",
        "pairing.challengers: unknown player 'z'",
    ]


def test_programs_that_are_not_there_are_shown_with_the_other_errors(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("")
    players: list[Tables] = [
        {"name": "a", "command": ["./none"]},
        {"name": "b", "command": ["no-such-program", "-x"]},
        {"name": "c", "command": ["./data.txt"]},
        {"name": "later", "command": ["./none"], "required": False},
        {"name": "there", "command": ["python3"]},
    ]
    path = tmp_path / "schedule.toml"
    path.write_text(toml(tables(players)), encoding="utf-8")
    assert load(path, plays=True).names == ("a", "b", "c", "later", "there"), "perhaps they have no games left"
    path.write_text(toml(tables(players, limit={"nodes": 0})), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(path, plays=True)
    first, *others = str(caught.value).splitlines()
    assert first.startswith(f"{path}: limit.nodes: ")
    assert others == [
        f"{path}: players 'a'.command: cannot start './none': no such file or directory",
        f"{path}: players 'b'.command: cannot start 'no-such-program': no such file or directory",
        f"{path}: players 'c'.command: cannot start './data.txt': permission denied",
    ]


def test_all_wrong_values_are_shown_at_once(tmp_path: Path) -> None:
    content = tables([{**A, "elo": "high"}, {**B, "elo_sd": -1, "tls": 2}])
    content["tournament"] = {"game": 5, "concurrency": 0, "sed": 1}
    assert complaints(tmp_path, content) == [
        "tournament.sed: unknown key; did you mean 'seed'?",
        "tournament.game: expected a text, got 5",
        "tournament.concurrency: expected a whole number >= 1, got 0",
        "tournament: missing required field name",
        "players 'a'.elo: expected a number, got 'high'",
        "players 'b'.elo_sd: expected a number > 0.0, got -1",
        "players 'b'.tls: expected true or false, got 2",
    ]


def test_wrong_values_do_not_hide_the_errors_of_other_tables(tmp_path: Path) -> None:
    entries: list[Tables] = [A, {**A, "elo": 5}, {"name": "b", "command": "x"}, {"name": "c", "model": "c.onnx"}]
    content = {**tables(entries), "limit": {"nodes": "many"}, "pairing": {"method": "swis"}}
    content["tournament"] = {"name": "x", "game": "tictactoe", "games_per_pair": 3}
    assert complaints(tmp_path, content) == [
        "limit.nodes: expected a whole number, got 'many'",
        "players 'b'.command: expected an array, got 'x'",
        f"players 'c'.model: no such file: {tmp_path / 'c.onnx'}",
        "tournament.games_per_pair: expected an even number (each opening is played with both colours), got 3",
        "players 'a'.name: an earlier player has this name",
        "pairing.method: expected 'meeting-graph' or 'adaptive' or 'ladder' or 'round-robin' or 'gauntlet' or 'swiss' "
        "or 'knockout' or 'sprt', got 'swis'; did you mean 'swiss'?",
    ]


def test_values_of_one_table_are_wrong_each_by_itself(tmp_path: Path) -> None:
    content = tables([A, {"nam": "b"}], openings={"file": "none.txt", "plies": -2, "order": "first"})
    content["tournament"] = {"name": "a/b", "game": "chess", "games_per_pair": 0, "sed": 1}
    content["pairing"] = {"method": "swis", "rounds": 0}
    found = complaints(tmp_path, content)
    assert [line.partition(": ")[0] for line in found] == [
        "tournament.sed",
        "players[2].nam",
        "tournament.games_per_pair",
        "pairing.rounds",
        "openings.plies",
        "players[2]",
        "tournament.name",
        "tournament.game",
        "pairing.method",
        "openings.file",
        "openings.order",
    ]


def test_an_error_is_not_followed_by_its_consequences(tmp_path: Path) -> None:
    """A misspelt key is not also missing; players of files that do not exist are not also unknown."""
    content = {**tables([A, B]), "limit": {"movetime": 20}}
    assert complaints(tmp_path, content) == ["limit.movetime: unknown key; did you mean 'movetime_ms'?"]
    assert complaints(tmp_path, tables([A, {"name": "f", "comand": ["x"]}])) == [
        "players 'f'.comand: unknown key; did you mean 'command'?"
    ]
    content = {**tables([A, {"models": "x*.onnx"}]), "rating": {"anchor": {"x1": 0.0}}}
    assert [line.partition(": ")[0] for line in complaints(tmp_path, content)] == ["players 'x*.onnx'.models"]
    content = {**tables([A, B]), "limits": {"nodes": 2}}
    del content["limit"]
    assert complaints(tmp_path, content) == [
        "limits: unknown table or key; did you mean 'limit'?",
        "expected a table [limit]; did you mean 'limits'?",
    ]


TOML_ONLY = [
    ({"rating": {"anchor": {"a": math.nan}}}, ": rating.anchor.a: expected a number >= -10000.0"),
    ({"rating": {"advantage": math.nan}}, ": rating.advantage: expected a number >= -10000.0"),
    ({"rating": {"prior": math.inf}}, ": rating.prior: expected a number <= 1000000000.0"),
    ({"players": [A, {**B, "elo": math.nan}]}, ": players 'b'.elo: expected a number >= -10000.0"),
    ({"players": [A, {**B, "elo": 1e300}]}, ": players 'b'.elo: expected a number <= 10000.0"),
    ({"pairing": {"degree": 1, "style_sd": math.inf}}, ": pairing.style_sd: expected a number <= 10000.0, got inf"),
    ({"players": [A, {"models": ""}]}, ": players ''.models: expected a pattern of file names, as nets/*.onnx, got ''"),
    ({"players": [A, {"models": "/"}]}, ": players '/'.models: expected a pattern of file names"),
    ({"players": [A, {"models": "a**b"}]}, ": players 'a**b'.models: expected a pattern of file names"),
    ({"players": [A, {"name": "b", "address": "h:" + "9" * 5000}]}, ": players 'b'.address: expected HOST:PORT"),
    ({"openings": {"plies": 10**15}}, ": openings.plies: every game of tictactoe is over after 1000000000000000 plies"),
]


@pytest.mark.parametrize(("change", "message"), TOML_ONLY, ids=[message for _, message in TOML_ONLY])
def test_odd_values(tmp_path: Path, change: Tables, message: str) -> None:
    text = toml({**tables([A, B]), **change}).replace("NaN", "nan").replace("Infinity", "inf")
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        manager.prepare(load(tmp_path / "s.toml"))
    assert str(caught.value).removeprefix(str(tmp_path / "s.toml")).startswith(message)


@pytest.mark.parametrize("text", ["seed = " + "1" * 5000, "x = " + "[" * 5000])
def test_errors_of_the_parser_are_one_line(tmp_path: Path, text: str) -> None:
    assert complaint(tmp_path, text).startswith(": cannot be read: ")


def test_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    assert loaded(tmp_path, "\ufeff" + toml(tables([A, B]))).names == ("a", "b")


@pytest.mark.parametrize("missing", ["tournament", "limit", "players"])
def test_missing_table(tmp_path: Path, missing: str) -> None:
    content = tables([A, B])
    del content[missing]
    assert complaint(tmp_path, content) == f": expected a table [{missing}]"


PAIRINGS: list[tuple[Tables, int]] = [
    ({"method": "round-robin"}, 10),
    ({"method": "gauntlet"}, 4),
    ({"method": "gauntlet", "challengers": ["p0", "p1"]}, 7),
    ({"pairs": 6}, 6),
    ({"degree": 2}, 5),
    ({"games": 13}, 6),
    ({"games": 1000}, 10),
    ({"games": 1000, "forbidden": [["p0", "p2"], ["p2", "p0"]]}, 9),
    ({"pairs": 5, "criterion": "precision", "degree_cap": "none"}, 5),
    ({"pairs": 4, "required": [["p0", "p1"]], "forbidden": [["p0", "p2"]], "prior_games": [["p3", "p4", 9]]}, 4),
]


@pytest.mark.parametrize(("pairing", "number"), PAIRINGS)
def test_number_of_pairs(tmp_path: Path, pairing: Tables, number: int) -> None:
    players = [{"name": f"p{place}", "player": "random"} for place in range(5)]
    schedule = loaded(tmp_path, tables(players, pairing=pairing))
    pairs = choose_pairs(schedule)
    assert len(pairs) == number_of_pairs(schedule) == number
    assert len({frozenset(pair) for pair in pairs}) == number
    assert {name for pair in pairs for name in pair} == set(schedule.names)
    assert all(frozenset(pair) != {"p0", "p2"} or not pairing.get("forbidden") for pair in pairs)


@pytest.mark.parametrize(
    ("pairing", "pairs"), [({}, 120), ({"method": "meeting-graph"}, 120), ({"forbidden": [["p0", "p1"]]}, 119)]
)
def test_a_few_players_all_meet_by_default(tmp_path: Path, pairing: Tables, pairs: int) -> None:
    players = [{"name": f"p{place}", "player": "random"} for place in range(17)]
    schedule = loaded(tmp_path, tables(players[:16], pairing=pairing))
    assert len(choose_pairs(schedule)) == number_of_pairs(schedule) == pairs
    got = "got none: only 16 players or fewer all meet by default, and there are 17"
    assert complaint(tmp_path, tables(players, pairing=pairing)) == (
        f": pairing: expected exactly one of pairs, degree, games, {got}"
    )


def test_a_schedule_without_a_table_of_pairing_is_complete(tmp_path: Path) -> None:
    content = tables([A, B, C])
    del content["pairing"]
    assert len(choose_pairs(loaded(tmp_path, content))) == 3


def test_kept_pairs_stay_in_place(tmp_path: Path) -> None:
    players = [{"name": f"p{place}", "player": "random", "elo": 10 * place} for place in range(6)]
    few = loaded(tmp_path, tables(players[:4], pairing={"pairs": 4}))
    kept = choose_pairs(few)
    assert choose_pairs(few, kept) == kept
    more = loaded(tmp_path, tables(players, pairing={"pairs": 8}))
    assert choose_pairs(more, kept)[:4] == kept


def test_newcomers_join_a_regular_graph(tmp_path: Path) -> None:
    players = [{"name": f"p{place}", "player": "random"} for place in range(12)]
    kept = choose_pairs(loaded(tmp_path, tables(players[:10], pairing={"degree": 4})))
    found = choose_pairs(loaded(tmp_path, tables(players, pairing={"degree": 4})), kept)
    assert found[:20] == kept
    assert len({frozenset(pair) for pair in found}) == 24
    assert {name for pair in found[20:] for name in pair} >= {"p10", "p11"}
    with pytest.raises(UsageError, match="raise degree_cap"):
        choose_pairs(loaded(tmp_path, tables(players, pairing={"degree": 4, "degree_cap": 4})), kept)


def test_every_key_of_a_schedule_is_documented() -> None:
    text = (DOCS / "schedule.md").read_text("utf-8")
    for table in (
        field.type for field in msgspec.structs.fields(Schedule) if field.name not in ("players", "folder", "file")
    ):
        for field in msgspec.structs.fields(table):
            assert re.search(rf"`{field.name}`", text), field.name


def test_of_very_many_unknown_keys_the_first_ones_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        loaded(tmp_path, "".join(f"k{number} = 1\n" for number in range(10_000)))
    assert len(str(error.value).splitlines()) == MOST_UNKNOWN


HEAD = '[tournament]\nname = "t"\ngame = "uttt"\n[limit]\nnodes = 1\n'


def test_of_very_many_errors_the_first_ones_are_shown(tmp_path: Path) -> None:
    """Each entry is looked at by itself, and a nearest name is looked for a few times only."""
    wrong = "".join(f'[[players]]\nname = "p{number}"\nplayer = "random"\nelo = "x"\n' for number in range(3000))
    with pytest.raises(UsageError) as error:
        loaded(tmp_path, HEAD + wrong)
    lines = str(error.value).splitlines()
    assert any(line.endswith("players 'p0'.elo: expected a number, got 'x'") for line in lines)
    assert len(lines) == MOST_SHOWN + 1
    assert re.fullmatch(r"and 2,?90\d more errors", lines[-1])


def test_a_wrong_entry_hides_no_error_of_a_later_one(tmp_path: Path) -> None:
    entries = '[[players]]\nname = "c"\nelo = "x"\n[[players]]\nplayer = "random"\nelo = "y"\n'
    with pytest.raises(UsageError) as error:
        loaded(tmp_path, entries)
    assert "players 'c'.elo: expected a number, got 'x'" in str(error.value)
    assert "elo: expected a number, got 'y'" in str(error.value)


def test_unknown_players_by_the_thousand_are_counted(tmp_path: Path) -> None:
    pairs = ", ".join(f'["x{number}", "y{number}"]' for number in range(1000))
    many = "".join(f'[[players]]\nname = "p{number}"\nplayer = "random"\n' for number in range(500))
    with pytest.raises(UsageError) as error:
        loaded(tmp_path, f'{HEAD}[pairing]\nmethod = "meeting-graph"\ndegree = 3\nrequired = [{pairs}]\n{many}')
    lines = str(error.value).splitlines()
    assert "pairing.required: unknown player 'x0'" in lines[0]
    assert lines[-1].endswith("more errors")


def test_more_players_than_a_tournament_has_are_one_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"players: expected at most 20000, got 2\d{4}$"):
        loaded(tmp_path, "[[players]]\n" * 21_000)


FAR = {"name": "far", "address": "localhost:1", "protocol": "rowcol"}


@pytest.mark.parametrize(
    ("players", "seconds", "end"),
    [
        ([A, B], 30, "expected a player with address, listen or dial_in, got none"),
        ([A, FAR], 30, "the players elsewhere speak rowcol, which cannot resume a game"),
        ([A, {**FAR, "protocol": "ugi"}], 30, ""),
        ([A, B], 0, ""),
    ],
)
def test_a_wait_that_saves_no_game_warns(tmp_path: Path, players: list[Tables], seconds: float, end: str) -> None:
    limit = {"movetime_ms": 1000, "reconnect_s": seconds}
    schedule = loaded(tmp_path, tables(players, tournament={"game": "uttt"}, limit=limit))
    assert manager.prepare(schedule).warnings == ([f"limit.reconnect_s: it saves no game: {end}"] if end else [])
