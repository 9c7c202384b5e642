"""Games that begin elsewhere, whose sides do not take turns, or that have no longest game: the players and the limit of
plies that they need.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fiedler import games
from fiedler.protocol import DIALECTS, MAX_MOVES
from fiedler.support.errors import UsageError
from fiedler.tournament.schedule import game_keys
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.schedule.validation import load
from tests.kalah import KALAH
from tests.take import TAKE
from tests.tournament.schedules import player, tables, toml

LISTENING = {"makemove": {"listen": "127.0.0.1:4090"}}
LONG = replace(TAKE, id="long", most_plies=17_695)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    for game in (KALAH, LONG):
        games.register(game)
    yield
    for game in (KALAH, LONG):
        del games.REGISTERED[game.id]


def loaded(folder: Path, game: str, dialect: str = "ugi", **changes: Any) -> Schedule:
    other = {"name": "other", "protocol": dialect, **LISTENING.get(dialect, {"address": "127.0.0.1:1"})}
    path = folder / "s.toml"
    path.write_text(toml(tables([player("a"), other], tournament={"game": game}, **changes)), "utf-8")
    return load(path)


def complaints(folder: Path, game: str, dialect: str = "ugi", **changes: Any) -> list[str]:
    with pytest.raises(UsageError) as caught:
        loaded(folder, game, dialect, **changes)
    return [line.removeprefix(f"{folder / 's.toml'}: ") for line in str(caught.value).splitlines()]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_without_words_for_a_start_is_refused(tmp_path: Path, dialect: str) -> None:
    openings = {"file": "lines.txt"}
    (tmp_path / "lines.txt").write_text("a1 # X;no start\nO;.../.../X.. a2\n", "utf-8")
    if dialect in ("ugi", "uci"):
        assert loaded(tmp_path, "tictactoe", dialect, openings=openings).openings.file == "lines.txt"
        return
    place = tmp_path / "lines.txt"
    line = f"players 'other'.protocol: expected 'ugi' or 'uci': {dialect} has no words for the start of {place}:2"
    assert line in complaints(tmp_path, "tictactoe", dialect, openings=openings)
    (tmp_path / "lines.txt").write_text("a1\n", "utf-8")
    assert loaded(tmp_path, "tictactoe", "gtp", openings=openings).openings.file == "lines.txt"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_file_is_read_only_for_a_dialect_without_words_for_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str
) -> None:
    """A file of many games takes seconds."""
    reads: list[Path] = []

    def first_start(_: games.AnyGame, path: Path) -> str:
        reads.append(path)
        return ""

    monkeypatch.setattr(game_keys, "first_start", first_start)
    (tmp_path / "lines.txt").write_text("a1\n", "utf-8")
    with suppress(UsageError):  # some dialects have no openings either
        loaded(tmp_path, "tictactoe", dialect, openings={"file": "lines.txt"})
    assert len(reads) == (dialect not in ("ugi", "uci"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_without_words_for_a_second_move_in_a_row_is_refused(tmp_path: Path, dialect: str) -> None:
    limit = {"adjudication": {"max_plies": 100}}
    if dialect in ("ugi", "uci"):
        assert loaded(tmp_path, "kalah", dialect, **limit).tournament.game == "kalah"
        return
    wrong = f"the sides of kalah do not take turns, which {dialect} has no words for"
    line = f"players 'other'.protocol: expected 'ugi' or 'uci': {wrong}"
    assert line in complaints(tmp_path, "kalah", dialect, **limit)


@pytest.mark.parametrize(
    ("game", "why"), [("kalah", "kalah has no longest game"), ("long", "a game of long may have 17,695 plies")]
)
def test_a_game_longer_than_a_position_needs_a_limit_of_plies(tmp_path: Path, game: str, why: str) -> None:
    line = f"adjudication.max_plies: expected a number from 1 to {MAX_MOVES}, got "
    assert complaints(tmp_path, game) == [f"{line}none: {why}"]
    assert complaints(tmp_path, game, adjudication={"max_plies": MAX_MOVES + 1}) == [f"{line}{MAX_MOVES + 1}: {why}"]
    assert loaded(tmp_path, game, adjudication={"max_plies": MAX_MOVES}).adjudication.max_plies == MAX_MOVES
    assert loaded(tmp_path, "uttt").adjudication.max_plies is None
