"""Shards of a schedule: each game is in one of them, and a plan that needs results has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.schedule.sharding import sharded, whole
from fiedler.tournament.schedule.validation import load


def schedule(pairing: dict[str, Any], **more: Any) -> Schedule:
    tables = {
        "tournament": {"name": "night", "game": "tictactoe"},
        "limit": {"nodes": 1},
        "pairing": pairing,
        "players": [{"name": name, "player": "random", **more} for name in "abc"],
    }
    return msgspec.convert(tables, Schedule)


def test_each_game_is_in_one_shard() -> None:
    shards = [sharded(schedule({"method": "round-robin"}), f"{number}/16") for number in range(1, 17)]
    games = range(1, 30_001)
    for game in games[:100]:
        assert sum(one.plays(game) for one in shards) == 1
    assert [sum(map(one.plays, games)) for one in shards] == [1875] * 16


def test_a_shard_is_a_run_of_its_own() -> None:
    options = schedule({"method": "gauntlet"})
    one = sharded(options, "3/16")
    assert one.tournament.name == "night.shard-3-of-16"
    assert whole(one) == options
    assert all(options.plays(game) for game in range(1, 20))


@pytest.mark.parametrize("text", ["5/4", "0/4", "3", "3/", "a/b", "-1/2", "1/2000", "1/10000", "", "1/4 "])
def test_another_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as error:
        sharded(schedule({"method": "round-robin"}), text)
    assert str(error.value) == f"--shard: expected I/N with 1 ≤ I ≤ N ≤ 1000, as 3/16, got {text!r}"


@pytest.mark.parametrize("method", ["adaptive", "ladder", "swiss", "knockout", "sprt"])
def test_a_plan_that_needs_results_has_no_shards(method: str) -> None:
    expected = "expected a method with a fixed plan (meeting-graph, round-robin and gauntlet)"
    with pytest.raises(UsageError) as error:
        sharded(schedule({"method": method}), "1/2")
    wrong = f"pairing.method: {expected}, got '{method}', whose plan needs the results of all games"
    assert str(error.value) == f"--shard: schedule: {wrong}"


def test_a_stopping_rule_needs_the_results_of_all_games() -> None:
    stop = {"top": 1, "confidence": 0.95}
    with pytest.raises(UsageError, match=r"pairing\.stop: expected none, since its decision needs the results"):
        sharded(schedule({"method": "round-robin", "stop": stop}), "1/2")


def test_engines_found_at_a_broker_may_differ_from_shard_to_shard() -> None:
    with pytest.raises(UsageError, match=r"players\.discover: expected none, since the engines found may differ"):
        sharded(schedule({"method": "round-robin"}, discover={"name": "club-*"}), "1/2")


def test_the_shard_is_no_key_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text('[tournament]\nname = "t"\ngame = "uttt"\n[limit]\nnodes = 1\n[shard]\nnumber = 1\n', "utf-8")
    with pytest.raises(UsageError, match="shard: unknown table or key"):
        load(file)
