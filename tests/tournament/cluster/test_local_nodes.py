"""The start of nodes on this machine, without Ray: each is reported, one that ends is named, an end waits for none."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from fiedler.tournament.cluster import local_nodes
from fiedler.tournament.cluster.local_nodes import HEAD, LocalNodes
from tests.patience import wait_until

pytestmark = pytest.mark.programs
PROGRAM = """#!/bin/sh
case "$*" in
*127.0.0.4*) echo no room here; exit 1;;
*127.0.0.6*|*--head*) ;;
*) touch "{folder}/runs-$$";;
esac
exec sleep 3600
"""
"""In place of Ray: the second node ends, the fourth never comes, the others do."""
RAYS_WORDS = """Traceback (most recent call last):
Exception: The current node timed out during startup. This could happen because some of the raylet failed to startup.
"""


def test_each_node_is_reported_and_an_end_waits_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program"
    program.write_text(PROGRAM.format(folder=tmp_path), "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(local_nodes, "sys", SimpleNamespace(executable=str(program)))
    warnings: list[str] = []
    settled: list[tuple[int, bool]] = []
    nodes = LocalNodes(5, 1)
    try:
        nodes._start(0, HEAD, "--head")
        nodes.start_nodes(
            lambda: len(list(tmp_path.glob("runs-*"))),
            warnings.append,
            lambda number, runs: settled.append((number, runs)),
        )
        wait_until(lambda: len(settled) == 3)
    finally:
        nodes.start_no_more()
        nodes.__exit__()
    cause = "its program exited with status 1, saying: no room here"
    assert warnings == [f"local node 2 (127.0.0.4) does not start: {cause}; the others play"]
    assert settled == [(1, True), (2, False), (3, True), (4, False)]


@pytest.mark.parametrize(
    ("words", "number", "expected"),
    [
        (
            RAYS_WORDS,
            2,
            "Ray has given up waiting for it: this machine is too busy, or short of memory; the others play",
        ),
        (
            "OSError: [Errno 98] Address already in use",
            2,
            "another program has taken its port meanwhile; the others play",
        ),
        (
            "ValueError: no such option",
            1,
            "its program exited with status 3, saying: ValueError: no such option; "
            "the games are played here after wait_s; the same command on an idle machine has nodes",
        ),
    ],
)
def test_a_node_that_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, number: int, expected: str
) -> None:
    """A program in the place of Ray's prints its words and ends."""
    ray = tmp_path / "ray"
    ray.write_text(f"#!{sys.executable}\nimport sys\nsys.stderr.write({words!r})\nsys.exit(3)\n", "utf-8")
    ray.chmod(0o755)
    warned: list[str] = []
    nodes = LocalNodes(number, 1)
    monkeypatch.setattr(sys, "executable", str(ray))
    try:
        nodes.start_nodes(lambda: 0, warned.append, lambda _number, _runs: None)
        assert nodes._starting is not None
        nodes._starting.join()
    finally:
        monkeypatch.undo()
        nodes.__exit__()
    assert warned[0] == f"local node 1 (127.0.0.3) does not start: {expected}"
    assert len(warned) == number
