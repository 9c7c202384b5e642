"""The errors of a schedule, shown at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fiedler.support.complaints import MOST_SHOWN
from fiedler.support.errors import UsageError
from fiedler.support.toml import MOST_UNKNOWN
from fiedler.tournament.schedule.programs import missing_programs
from fiedler.tournament.schedule.validation import load
from tests.tournament.schedule.test_schedule import A, B, C, loaded
from tests.tournament.schedules import Tables, tables, toml


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
        "or player with model or models, got none",
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
    assert load(path, beside=missing_programs).names == ("a", "b", "c", "later", "there"), (
        "perhaps they have no games left"
    )
    path.write_text(toml(tables(players, limit={"nodes": 0})), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(path, beside=missing_programs)
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
    content["tournament"] = {"name": "a/b", "game": "checkers", "games_per_pair": 0, "sed": 1}
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
