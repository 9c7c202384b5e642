"""The keys that need rules, in a game whose players alone know them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.schedule.validation import load
from tests.tournament.schedules import Tables, tables, toml

A, B = ({"name": name, "command": ["true"]} for name in "ab")
WHY = "with game = 'generic', whose rules the players alone know"


def complaints(folder: Path, players: list[Tables], **changes: Tables) -> list[str]:
    path = folder / "s.toml"
    table = {"game": "generic", **changes.pop("tournament", {})}
    adjudication = {"max_plies": 100, **changes.pop("adjudication", {})}
    path.write_text(toml(tables(players, tournament=table, adjudication=adjudication, **changes)), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load(path)
    return [line.removeprefix(f"{path}: ") for line in str(caught.value).splitlines()]


def test_a_valid_schedule(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    adjudication = {"max_plies": 4096, "resign_score": 500, "draw_score": 5}
    path.write_text(toml(tables([A, B], tournament={"game": "generic"}, adjudication=adjudication)), encoding="utf-8")
    assert load(path).tournament.disputes == "continue"


WRONG = {
    "plies": ({"openings": {"plies": 2}}, f"openings.plies: expected none {WHY}, got 2"),
    "file": ({"openings": {"file": "renju26"}}, f"openings.file: expected none {WHY}, got 'renju26'"),
    "proof": ({"adjudication": {"proof": True}}, "adjudication.proof: expected one of our games, got 'generic'"),
    "length": (
        {"adjudication": {"max_plies": 4097}},
        "adjudication.max_plies: expected a number from 1 to 4096, got 4097: generic has no longest game",
    ),
    "word": (
        {"tournament": {"disputes": "stopp"}},
        "tournament.disputes: expected 'continue' or 'stop', got 'stopp'; did you mean 'stop'?",
    ),
    "another game": (
        {"tournament": {"disputes": "stop", "game": "uttt"}},
        "tournament.disputes: only with game = 'generic', got it with 'uttt'",
    ),
}


@pytest.mark.parametrize(("changes", "line"), WRONG.values(), ids=WRONG)
def test_a_key_that_needs_rules_is_refused_by_name(tmp_path: Path, changes: Tables, line: str) -> None:
    assert complaints(tmp_path, [A, B], **changes) == [line]


def test_a_length_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(toml(tables([A, B], tournament={"game": "generic"})), encoding="utf-8")
    with pytest.raises(UsageError, match=r"adjudication\.max_plies: expected a number from 1 to 4096, got none"):
        load(path)


@pytest.mark.parametrize("protocol", ["uci", "gtp", "gomocup", "rowcol"])
def test_other_protocols_have_no_questions(tmp_path: Path, protocol: str) -> None:
    wrong = f"players 'a'.protocol: expected 'ugi' {WHY}, got {protocol!r}, which has no words for questions"
    assert wrong in complaints(tmp_path, [{**A, "protocol": protocol}, B], limit={"movetime_ms": 100})


def test_built_in_players_are_refused(tmp_path: Path) -> None:
    ours = {"name": "c", "player": "random"}
    assert complaints(tmp_path, [A, ours]) == [
        f"players 'c'.player: expected command, address or dial_in {WHY}, got a player of one game"
    ]
