"""The Debian packages of the tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools import packages


def test_missing_programs_are_named_by_their_packages() -> None:
    programs = {"sh": "dash", "no-such-program": "b", "nor-such-a-one": "a", "another": "a"}
    assert packages.missing(programs) == ["a", "b"]


def test_without_root_one_line_names_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(packages, "PROGRAMS", {"no-such-program": "b", "nor-such-a-one": "a"})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert packages.main() == 2
    line = "error: the tests need a b: sudo apt-get install -y --no-install-recommends a b\n"
    assert capsys.readouterr() == ("", line)


def test_a_failure_of_apt_get_shows_its_output(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    apt = tmp_path / "apt-get"
    apt.write_text("#!/bin/sh\necho E: no network\nexit 100\n", "utf-8")
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert packages.install(["a"]) == 1
    line = "error: apt-get install -y --no-install-recommends a failed\n"
    assert capsys.readouterr().err == f"E: no network\n{line}"
