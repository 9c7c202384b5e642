"""Valid schedules: defaults, resolution, warnings."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from fiedler.support.errors import UsageError
from fiedler.support.player_spec import PlayerSpec
from fiedler.tournament.graph import Criterion
from fiedler.tournament.pairing.graph import choose_pairs
from fiedler.tournament.run import draft
from fiedler.tournament.schedule.schedule import CRITERIA, Schedule
from fiedler.tournament.schedule.validation import NO_KEYS, load
from tests.folders import DOCS
from tests.tournament.schedules import Tables, tables, toml

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


def test_a_player_may_stand_beside_its_models(tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(b"")
    net = str(tmp_path / "net.onnx")
    entries = [{"player": "checkpoint", "models": "*.onnx"}, {"name": "b", "player": "checkpoint", "model": "net.onnx"}]
    schedule = loaded(tmp_path, tables([A, *entries]))
    assert [player.spec for player in schedule.players[1:]] == [PlayerSpec("checkpoint", net)] * 2
    wrong = {**entries[1], "options": {"model": "other.onnx"}}
    assert ": players 'b'.options.model: expected none beside model, got 'other.onnx'" in complaint(
        tmp_path, tables([A, wrong])
    )


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


def test_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    assert loaded(tmp_path, "\ufeff" + toml(tables([A, B]))).names == ("a", "b")


def test_every_key_of_a_schedule_is_documented() -> None:
    text = (DOCS / "schedule.md").read_text("utf-8")
    for table in (field.type for field in msgspec.structs.fields(Schedule) if field.name not in ("players", *NO_KEYS)):
        for field in msgspec.structs.fields(table):
            assert re.search(rf"`{field.name}`", text), field.name


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
    assert draft.prepare(schedule).warnings == ([f"limit.reconnect_s: it saves no game: {end}"] if end else [])
