"""The model files of a node: bounded, checked, and safe from other runs."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from fiedler.support.errors import WorkError
from fiedler.tournament.cluster.model_cache import ModelCache
from tests.tournament.cluster.direct import cached

MIB = 1 << 20


def named(data: bytes, own: str) -> str:
    return f"{hashlib.sha256(data).hexdigest()}/{own}"


def keep(cache: ModelCache, data: bytes, own: str, *needed: str) -> str:
    """Have a file kept, and return its name."""
    name = named(data, own)
    cache.begin(name, len(data), [name, *needed])
    cache.append(name, data)
    cache.finish(name)
    return name


def test_files_that_are_needed_now_stay_in_a_cache_that_is_too_small(tmp_path: Path) -> None:
    cache = ModelCache(tmp_path, 1)
    first = keep(cache, b"a" * MIB, "a")
    second = keep(cache, b"b" * MIB, "b", first)
    assert cache.missing([first, second]) == []


def test_a_hundred_files_fit(tmp_path: Path) -> None:
    cache = ModelCache(tmp_path, 1)
    files = {named(bytes([number]), f"{number}"): bytes([number]) for number in range(100)}
    assert cache.missing(files) == list(files)
    for name, data in files.items():
        cache.begin(name, len(data), files)
        cache.append(name, data)
        cache.finish(name)
    assert cache.missing(files) == []


def test_the_files_of_another_run_stay_until_it_has_ended(tmp_path: Path) -> None:
    other = ModelCache(tmp_path, 1)
    keep(other, b"a" * MIB, "a")
    ours = ModelCache(tmp_path, 1)
    keep(ours, b"b" * MIB, "b")
    assert cached(tmp_path) == ["a", "b"]
    other.close()
    keep(ours, b"c" * MIB, "c")
    assert cached(tmp_path) == ["b", "c"]


def test_a_file_that_the_transfer_has_changed_is_not_kept(tmp_path: Path) -> None:
    cache = ModelCache(tmp_path, 1)
    name = named(b"right", "a")
    cache.begin(name, 5, [name])
    cache.append(name, b"wrong")
    with pytest.raises(WorkError, match=r"^a: the transfer has changed it: expected .*…, got .*…$"):
        cache.finish(name)
    assert cached(tmp_path) == []


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    cache = ModelCache(tmp_path / "models", 1)
    name = named(b"a", "a")
    cache.begin(name, 1, [name])
    cache._partial(name).unlink()
    cache._partial(name).symlink_to("/dev/full")
    with pytest.raises(WorkError, match=r"models: cannot keep a model: [Nn]o space left on device"):
        cache.append(name, b"a")
    assert cached(tmp_path) == []
