"""The one line for each invalid value of a schedule."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fiedler.protocol import DIALECTS
from fiedler.support.errors import UsageError
from fiedler.tournament.run import draft
from fiedler.tournament.schedule.size import MAX_GAMES, MAX_PLAYERS, most_games
from fiedler.tournament.schedule.validation import load
from tests.tournament.schedule.test_schedule import MEETING, A, B, C, complaint, loaded
from tests.tournament.schedules import Tables, tables, toml

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
    (
        {"pairing": {**MEETING, "prior_games": "results/run/ranking.json"}},
        ": pairing.prior_games: expected an array, got 'results/run/ranking.json'",
    ),
    (
        {"pairing": {**MEETING, "prior_games": [["a", 120.5, 30.2]]}},
        ": pairing.prior_games[1][2]: expected a text, got 120.5",
    ),
    ({"pairing": {"method": "adaptive"}}, ": pairing.games: missing: the number of games of an adaptive tournament"),
    ({"pairing": {"method": "adaptive", "games": 1}}, ": pairing.games: expected at least 2, since every opening is"),
    ({"pairing": {"pairs": 2, "stop": {"eror": 3}}}, ": pairing.stop.eror: unknown key; did you mean 'error'?"),
    (
        {"pairing": {"method": "round-robin", "sprt": {"modle": "x"}}},
        ": pairing.sprt.modle: unknown key; did you mean 'model'",
    ),
    ({"openings": {"plies": 2}, "adjudication": {"max_plies": 2}}, ": adjudication.max_plies: expected more than "),
    ({"rating": {"posterior": "curves"}}, ": rating.posterior: expected "),
    ({"rating": {"posterior": "curve"}}, ": rating.posterior: expected at least 10 players, got 3 players"),
    ({"rating": {"series": ["net-"]}}, ": rating.series: expected rating.posterior = 'curve' beside it, got none"),
    ({"rating": {"posterior": "population", "series": ["net-"]}}, ": rating.series: expected rating.posterior = "),
    (
        {"rating": {"posterior": "curve", "backend": "bayeselo"}},
        ": rating.posterior: expected rating.backend = 'builtin', ",
    ),
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
    ({"tournament": {"rules": {"komi": 6.5}}}, ": tournament.rules.komi: unknown key; the game has no rules to choose"),
    *(
        ({"tournament": {"game": "go9", "rules": {key: value}}}, f": tournament.rules.{key}: {wrong}")
        for key, value, wrong in (
            ("komi", 7.3, "expected a multiple of 0.5 from -361 to 361, got 7.3"),
            ("komi", "x", "expected a multiple of 0.5 from -361 to 361, got 'x'"),
            ("komi", 1e9, "expected a multiple of 0.5 from -361 to 361, got 1000000000.0"),
            ("suicide", 1, "expected true or false, got 1"),
            ("kmoi", 7, "unknown key; did you mean 'komi'?"),
        )
    ),
    ({"adjudication": {"max_plies": 0}}, ": adjudication.max_plies: expected a whole number >= 1, got 0"),
    ({"adjudication": {"proof": 1}}, ": adjudication.proof: expected true or false, got 1"),
    *(
        (
            {"tournament": {"game": game}, "adjudication": {"proof": True, "max_plies": 80}},
            f": adjudication.proof: {game} has no proofs",
        )
        for game in ("uttt-majority", "chess", "chess960", "go9")
    ),
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
        [A, {"player": "mcts", "address": "h:1"}],
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
        draft.prepare(load(tmp_path / "s.toml"))
    assert str(caught.value).removeprefix(str(tmp_path / "s.toml")).startswith(message)


@pytest.mark.parametrize("text", ["seed = " + "1" * 5000, "x = " + "[" * 5000])
def test_errors_of_the_parser_are_one_line(tmp_path: Path, text: str) -> None:
    assert complaint(tmp_path, text).startswith(": cannot be read: ")


@pytest.mark.parametrize("missing", ["tournament", "limit", "players"])
def test_missing_table(tmp_path: Path, missing: str) -> None:
    content = tables([A, B])
    del content[missing]
    assert complaint(tmp_path, content) == f": expected a table [{missing}]"
