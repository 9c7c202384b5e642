"""The Debian packages of the tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests import programs
from tools import packages


def test_missing_programs_are_named_by_their_packages() -> None:
    programs = {"sh": "dash", "no-such-program": "b", "nor-such-a-one": "a", "another": "a"}
    assert packages.missing(programs) == ["a", "b"]


@pytest.mark.parametrize(
    ("words", "code", "sort", "tense"),
    [
        ([], 0, "warning", "are left out"),
        (["--left-out"], 2, "error", "were left out; the list above counts them"),
    ],
)
def test_without_root_one_line_names_the_command(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    sort: str,
    tense: str,
) -> None:
    monkeypatch.setattr(packages, "PROGRAMS", {"no-such-program": "b", "nor-such-a-one": "a"})
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sys, "argv", ["packages.py", *words])
    assert packages.main() == code
    way = "to run them, too: sudo apt-get install -y --no-install-recommends a b"
    assert capsys.readouterr() == ("", f"{sort}: the tests that need a b {tense}; {way}\n")


def test_a_test_without_its_program_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(packages.PROGRAMS, "no-such-program", "a-package")
    with pytest.raises(pytest.skip.Exception, match="needs the Debian package a-package"):
        programs.need("no-such-program")


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
