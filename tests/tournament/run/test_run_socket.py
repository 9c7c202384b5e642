"""Unix sockets in the folder of a run, also on a system that has no short way to a long path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fiedler.tournament.run.run_socket import connected, listening
from tests.patience import PATIENCE

LONG = 120
"""Characters of a folder whose sockets are too long for the system."""


def greet(folder: Path) -> None:
    with listening(folder, "live.sock") as listener:
        listener.setblocking(True)
        with connected(folder, "live.sock", PATIENCE) as one:
            one.sendall(b"hello")
            other, _ = listener.accept()
            with other:
                assert other.recv(5) == b"hello"
    assert not (folder / "live.sock").exists()


def test_a_long_path_has_a_socket(tmp_path: Path) -> None:
    (folder := tmp_path / (LONG * "f")).mkdir()
    greet(folder)


def test_a_system_without_o_path_has_sockets_on_short_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_PATH")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").mkdir()
    greet(Path("short"))
    (folder := tmp_path / (LONG * "f")).mkdir()
    with pytest.raises(OSError, match="path too long"), listening(folder, "live.sock"):
        pass
