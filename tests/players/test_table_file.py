"""Table files: arrays return unchanged; every damaged, foreign or unfit file is refused in one sentence."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.games import game
from fiedler.players import about
from fiedler.players.model_file import read_model
from fiedler.players.table_file import (
    MAX_HEADER,
    Array,
    ArrayHeader,
    TableHeader,
    TablePurpose,
    dump,
    load,
    load_bytes,
    metadata,
)
from fiedler.support.errors import UsageError

ABOUT = {
    "fiedler": "1", "game": "tictactoe", "player": "random", "name": "small", "recipe": "{}", "commit": "abc",
    "seconds": "1",
}  # fmt: skip
ARRAYS: dict[str, Array] = {
    "keys": np.array([3, 5, 2**40], np.uint64),
    "values": np.array([[0.5, -1], [0, 1], [0.25, 0.125]], np.float32),
    "empty": np.empty((0, 7), np.int8),
}
PURPOSE = TablePurpose(game("tictactoe"), "random", {"keys": ("uint64", ("n",)), "values": ("float32", ("n", 2))})
GOOD = dump(ABOUT, ARRAYS)


def written(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "a.table"
    path.write_bytes(data)
    return path


def with_header(change: Callable[[Any], None], data: bytes = GOOD) -> bytes:
    """The file with another header, its checksum not changed."""
    line, body = data.split(b"\n", 1)
    header = json.loads(line)
    change(header)
    return json.dumps(header).encode() + b"\n" + body


def refusal(tmp_path: Path, data: bytes, purpose: TablePurpose = PURPOSE) -> str:
    path = written(tmp_path, data)
    with pytest.raises(UsageError) as refused:
        load(path, purpose)
    text = str(refused.value)
    assert text.startswith(f"model {path}: ")
    assert "\n" not in text
    assert len(text) < len(str(path)) + 250
    return text.removeprefix(f"model {path}: ")


def test_arrays_and_metadata_return_unchanged(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    table = load(path, PURPOSE)
    assert (table.name, table.about, list(table.arrays)) == ("small", ABOUT, list(ARRAYS))
    for name, array in ARRAYS.items():
        assert (table.arrays[name].dtype, table.arrays[name].shape) == (array.dtype, array.shape)
        assert table.arrays[name].tolist() == array.tolist()
        assert table.arrays[name].flags.aligned
        assert table.arrays[name].flags.writeable
    assert metadata(path) == about(path) == ABOUT


def test_a_file_is_a_line_of_json_and_raw_little_endian_arrays() -> None:
    line, body = GOOD.split(b"\n", 1)
    assert json.loads(line)["arrays"][1] == {"name": "values", "dtype": "float32", "shape": [3, 2]}
    assert body == ARRAYS["keys"].astype("<u8").tobytes() + ARRAYS["values"].astype("<f4").tobytes()
    assert dump(ABOUT, {name: array.astype(array.dtype.newbyteorder(">")) for name, array in ARRAYS.items()}) == GOOD
    assert dump(ABOUT, {"turned": np.asfortranarray(ARRAYS["values"])}) == dump(ABOUT, {"turned": ARRAYS["values"]})


TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64")


@given(st.dictionaries(st.text(max_size=5), st.tuples(st.sampled_from(TYPES), st.lists(st.integers(0, 3), max_size=4))))
def test_any_arrays_return_unchanged(kinds: dict[str, tuple[str, list[int]]]) -> None:
    random = np.random.default_rng(0)
    arrays: dict[str, Array] = {
        name: np.asarray(random.integers(0, 100, shape)).astype(dtype) for name, (dtype, shape) in kinds.items()
    }
    found = load_bytes(dump({}, arrays), "a").arrays
    assert {name: (one.dtype.name, one.tolist()) for name, one in found.items()} == {
        name: (one.dtype.name, one.tolist()) for name, one in arrays.items()
    }


def test_every_changed_bit_is_refused() -> None:
    for place in range(len(GOOD)):
        for bit in range(8):
            damaged = bytearray(GOOD)
            damaged[place] ^= 1 << bit
            with pytest.raises(UsageError, match=r"^model a: "):
                load_bytes(bytes(damaged), "a")


def test_every_other_length_is_refused(tmp_path: Path) -> None:
    for length in range(len(GOOD)):
        with pytest.raises(UsageError, match=r"^model a: "):
            load_bytes(GOOD[:length], "a")
    assert refusal(tmp_path, GOOD + b"x") == f"damaged, expected {len(GOOD)} bytes, got {len(GOOD) + 1}"
    with pytest.raises(UsageError, match="damaged, expected"):
        metadata(written(tmp_path, GOOD[:-1]))


@given(st.binary(max_size=300))
def test_garbage_is_refused(data: bytes) -> None:
    for garbage in (data, data + b"\n" + data, GOOD.split(b"\n")[0] + b"\n" + data):
        with pytest.raises(UsageError, match=r"^model a: "):
            load_bytes(garbage, "a")


class Harmful:
    def __reduce__(self) -> Any:
        return (pytest.fail, ("a file was unpickled",))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a table, or damaged (its first line does not end)"),
        (pickle.dumps(Harmful()), "not a table"),
        (pickle.dumps(Harmful()) + b"\n", "not a table"),
        (b"{}\n", "not a table, or damaged (Object missing required field `about`)"),
        (b"[" * 60_000 + b"\n", "not a table"),
        (b"{" * (MAX_HEADER + 1), f"not a table: expected a header of at most {MAX_HEADER} bytes, got more"),
        (b" " * MAX_HEADER + GOOD, f"not a table: expected a header of at most {MAX_HEADER} bytes, got more"),
        (b"\xff\xfe\n", "not a table"),
    ],
)
def test_foreign_files_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    assert refusal(tmp_path, data).startswith(message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h["arrays"][0].update(dtype="object"), "Invalid enum value 'object'"),
        (lambda h: h["arrays"][0].update(shape=[-3]), "Expected `int` >= 0"),
        (lambda h: h["arrays"][0].update(shape=[2**41]), "<= 1099511627776"),
        (lambda h: h["arrays"][0].update(shape=[2**40, 2**40, 0]), "expected at most 1099511627776 entries"),
        (lambda h: h["arrays"][0].update(shape=[1] * 9), "length <= 8"),
        (lambda h: h["arrays"][0].update(shape=[2**40]), "damaged, expected 8796093022"),
        (lambda h: h["arrays"][1].update(name="keys"), "two arrays have one name"),
        (lambda h: h.update(arrays=h["arrays"] * 30), "length <= 64"),
        (lambda h: h["about"].update(name="other"), "does not match its checksum"),
        (lambda h: h["about"].update(name=1), "Expected `str`, got `int`"),
        (lambda h: h.update(sha256="0" * 64), "does not match its checksum"),
        (lambda h: h.pop("sha256"), "does not match its checksum"),
        (lambda h: h.update(more=1), "unknown field `more`"),
    ],
)
def test_wrong_headers_are_refused(tmp_path: Path, change: Callable[[Any], None], message: str) -> None:
    assert message in refusal(tmp_path, with_header(change))


def forged(arrays: dict[str, Array]) -> bytes:
    return dump(ABOUT, ARRAYS | arrays)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (dump({}, {}), "not one of this project's: its metadata has no entry 'fiedler'"),
        (dump(ABOUT | {"fiedler": "2"}, ARRAYS), "made for format '2', expected '1'"),
        (dump(ABOUT | {"game": "connect4"}, ARRAYS), "made for game 'connect4', expected 'tictactoe'"),
        (dump(ABOUT | {"player": "x" * 1000}, ARRAYS), f"made for player '{'x' * 39}…', expected 'random'"),
        (dump(ABOUT, {"keys": ARRAYS["keys"]}), "player random needs the array 'values'"),
        (forged({"keys": np.array([1, 2, 3], np.int64)}), "array 'keys' is int64 3, expected uint64 n"),
        (forged({"values": np.zeros((2, 2), np.float32)}), "array 'values' is float32 2×2, expected float32 n×2"),
        (forged({"values": np.zeros((3, 3), np.float32)}), "array 'values' is float32 3×3, expected float32 n×2"),
        (forged({"keys": np.array(3, np.uint64)}), "array 'keys' is uint64 single, expected uint64 n"),
        (forged({"values": np.full((3, 2), np.nan, np.float32)}), "array 'values' has a number that is not finite"),
    ],
)
def test_another_purpose_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    assert message in refusal(tmp_path, data)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.table", tmp_path):
        for read in (lambda path: load(path, PURPOSE), metadata):
            with pytest.raises(UsageError, match=r": (no such file|is a directory)"):
                read(path)


def test_a_pipe_and_a_device_are_refused(tmp_path: Path) -> None:
    """A pipe would wait for its other end, and a device has no end."""
    os.mkfifo(tmp_path / "pipe.table")
    for path, kind in ((tmp_path / "pipe.table", "pipe"), (Path("/dev/zero"), "device")):
        for read in (lambda path: load(path, PURPOSE), metadata, read_model):
            with pytest.raises(UsageError, match=f"{path}: expected a regular file, got a {kind}"):
                read(path)


def test_a_large_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    with path.open("r+b") as file:
        file.truncate(2**40)  # no blocks
    with pytest.raises(UsageError, match="damaged, expected"):
        load(path, PURPOSE)


def test_too_much_metadata_cannot_be_written() -> None:
    with pytest.raises(UsageError, match="header of at most 65536 bytes"):
        dump({"recipe": "x" * MAX_HEADER}, {})
    with pytest.raises(UsageError, match="Invalid enum value 'object'"):
        dump({}, {"keys": np.array([object()])})


def test_a_digest_belongs_to_header_and_arrays() -> None:
    header = TableHeader({}, [ArrayHeader("a", "uint8", (2,))])
    assert header.digest(b"ab") == TableHeader({}, header.arrays, sha256="x").digest(b"ab")
    assert len({header.digest(b"ab"), header.digest(b"ac"), TableHeader({"a": ""}, header.arrays).digest(b"ab")}) == 3
