"""The numbers of a run at Weights & Biases, offline, as its own library reads them."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fiedler.support.errors import UsageError
from fiedler.training.loop.events import scalars
from fiedler.training.loop.tracker import ID, Tracker
from fiedler.training.recipe.recipe import TrackerTable
from fiedler.training.recipe.registry import from_json
from tests.patience import wait_until
from tests.training.test_picture import log

HEAD, BLOCK, FULL, LAST = 7, 32768, 1, 4


def recipe(**table: str) -> Any:
    wanted = {
        "system": "td", "name": "tracked", "game": "tictactoe", "iterations": 3, "wandb": table,
        "selfplay": {"games": 10, "epsilon": 0.3, "final_epsilon": 0.1, "opening_plies": 8, "opening_share": 1.0},
        "learning": {"rate": 0.5, "final_rate": 0.1},
    }  # fmt: skip
    return from_json(json.dumps(wanted))


def portions(data: bytes) -> Iterator[bytes]:
    """The records of a log file, which has the form of LevelDB's: blocks of 32 KiB, after a header of 7 bytes."""
    at, whole = HEAD, b""
    while at + HEAD <= len(data):
        if (left := BLOCK - at % BLOCK) < HEAD:
            at += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, at)
        whole += data[at + HEAD : at + HEAD + length]
        at += HEAD + length
        if kind in {FULL, LAST}:
            yield whole
            whole = b""


def records(folder: Path) -> list[dict[str, float]]:
    """The rows of the newest run in a folder."""
    from wandb.proto.wandb_internal_pb2 import Record

    file = max(folder.glob("wandb/offline-run-*/*.wandb"), key=lambda path: path.stat().st_mtime_ns)
    every = map(Record.FromString, portions(file.read_bytes()))
    histories = [one.history for one in every if one.WhichOneof("record_type") == "history"]
    return [{item.key or item.nested_key[0]: json.loads(item.value_json) for item in one.item} for one in histories]


@pytest.mark.slow
@pytest.mark.programs
def test_every_iteration_is_there_and_a_resumed_run_has_the_same_id(tmp_path: Path) -> None:
    pytest.importorskip("wandb", exc_type=ImportError)
    entries = log(3)
    first = Tracker(recipe(mode="offline"), tmp_path)
    first.update(entries[:1])
    first.update(entries)
    first.close()
    wait_until(lambda: len(records(tmp_path)) == 3)  # another process of the library writes the file
    rows = records(tmp_path)
    assert [row["_step"] for row in rows] == [1, 2, 3]
    for row, entry in zip(rows, entries, strict=True):
        assert {key: row[key] for key, _ in scalars(entry)} == pytest.approx(dict(scalars(entry)))
    name = (tmp_path / ID).read_text("utf-8")
    again = Tracker(recipe(mode="offline"), tmp_path)
    again.update(entries)
    again.close()
    assert (tmp_path / ID).read_text("utf-8") == name
    wait_until(lambda: [row["_step"] for row in records(tmp_path)] == [1, 2, 3])
    assert len([*tmp_path.glob("wandb/offline-run-*")]) == 2


def test_a_recipe_without_the_table_needs_no_library(tmp_path: Path) -> None:
    plain = msgspec.structs.replace(recipe(), wandb=None)
    Tracker(plain, tmp_path).update(log(1))
    assert [*tmp_path.iterdir()] == []


def test_a_missing_library_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(UsageError, match=r"train needs wandb .*install: .* -m pip install 'fiedler\[wandb\]'"):
        Tracker(recipe(), tmp_path)


def test_another_table_continues_the_same_run() -> None:
    assert recipe().differences(recipe(mode="offline")) == []
    assert recipe().wandb == TrackerTable()
