"""The start of nodes on this machine, without Ray: each is reported, one that ends is named, an end waits for none."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.patience import wait_until
from tournament.cluster import local_nodes
from tournament.cluster.local_nodes import HEAD, LocalNodes

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


def test_each_node_is_reported_and_an_end_waits_for_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program"
    program.write_text(PROGRAM.format(folder=tmp_path), "utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(local_nodes, "sys", SimpleNamespace(executable=str(program)))
    warnings: list[str] = []
    settled: list[tuple[int, bool]] = []
    nodes = LocalNodes(5, 1)
    try:
        nodes._start(HEAD, "--head")
        nodes.start_nodes(
            lambda: len(list(tmp_path.glob("runs-*"))),
            warnings.append,
            lambda number, runs: settled.append((number, runs)),
        )
        wait_until(lambda: len(settled) == 3)
    finally:
        nodes.start_no_more()
        nodes.__exit__()
    assert warnings == ["local node 2 does not start: no room here"]
    assert settled == [(1, True), (2, False), (3, True), (4, False)]
