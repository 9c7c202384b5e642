"""Exit codes and errors of one line, as every command of the project has them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import click
import pytest

from fiedler.support import provenance
from fiedler.support.console import command_line
from fiedler.support.errors import UsageError, UsageErrors, WorkError
from fiedler.support.provenance import commit
from tests.patience import PATIENCE


def ending(body: Callable[[], None], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["command", *arguments])
    with pytest.raises(SystemExit) as exit_:
        command_line(click.command()(body))
    assert isinstance(exit_.value.code, int)
    return exit_.value.code


def raising(error: BaseException) -> Callable[[], None]:
    def body() -> None:
        raise error

    return body


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (UsageErrors(["a: one\tthing", "b: two"]), 2, "error: a: one thing\nerror: b: two\n"),
        (UsageError("schedule.toml:3: bad\nkey"), 2, "error: schedule.toml:3: bad key\n"),
        (UsageError(f"a {'x' * 100_000} b"), 2, f"error: a {'x' * 1997}…{'x' * 1997} b\n"),
        (WorkError("the disk is full"), 1, "error: the disk is full\n"),
        (KeyboardInterrupt(), 130, "error: interrupted\n"),
        (OSError(28, "No space left on device"), 1, "error: cannot write the output: no space left on device\n"),
        (OSError(28, "No space left on device", "x.csv"), 1, "error: cannot write x.csv: no space left on device\n"),
        (PermissionError(13, "Permission denied", "/x"), 2, "error: /x: cannot be opened: permission denied\n"),
        (OSError(36, "File name too long", "aa"), 2, "error: aa: cannot be opened: file name too long\n"),
        (MemoryError("std::bad_alloc"), 1, "error: not enough memory\n"),
        (click.ClickException("no such thing"), 2, "error: no such thing\n"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(
    error: BaseException, code: int, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ending(raising(error), monkeypatch) == code
    assert capsys.readouterr().err.lstrip("\n") == line


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (UsageErrors(["a: one", "b: two"]), 2, "error: a: one\nerror: b: two\n"),
        (UsageError("a: one"), 2, "error: a: one\n"),
        (WorkError("it failed"), 1, "error: it failed\n"),
    ],
)
def test_the_notes_of_an_error_are_printed_as_they_are(
    error: Exception, code: int, lines: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error.add_note("find it: check 'two  blanks'")
    assert ending(raising(error), monkeypatch) == code
    assert capsys.readouterr().err == f"{lines}find it: check 'two  blanks'\n"


def test_success_and_wrong_option(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert ending(lambda: None, monkeypatch) == 0
    assert ending(lambda: None, monkeypatch, "--nonsense") == 2
    assert "--nonsense" in capsys.readouterr().err


@pytest.mark.parametrize("bug", [ZeroDivisionError(), FileNotFoundError(2, "No such file")])
def test_a_bug_surfaces(bug: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["command"])
    with pytest.raises(type(bug)):
        command_line(click.command()(raising(bug)))


COMPLAINING = """
import click
from fiedler.support.errors import UsageError
from fiedler.support.console import command_line

@click.command()
def command():
    raise {error}

command_line(command)
"""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only some systems have it")
@pytest.mark.parametrize(("error", "code"), [("UsageError('wrong')", 2), ("KeyboardInterrupt", 130)])
def test_the_exit_code_is_the_same_without_standard_error(error: str, code: int) -> None:
    with Path("/dev/full").open("wb") as nowhere:
        words = [sys.executable, "-c", COMPLAINING.format(error=error)]
        assert subprocess.run(words, stderr=nowhere, timeout=PATIENCE, check=False).returncode == code


INTERRUPTED_BY_AN_IMPORT = """
import sys

class Finder:
    def find_spec(self, name, path, target=None):
        if name == "click":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder())
from fiedler.{module}.start import main
main()
"""


@pytest.mark.parametrize("module", ["engine", "tournament", "training"])
def test_an_interrupt_during_the_imports_of_a_command_is_one_line(module: str) -> None:
    words = [sys.executable, "-c", INTERRUPTED_BY_AN_IMPORT.format(module=module)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")


@pytest.mark.parametrize("program", ["engine", "tournament", "train"])
def test_version_names_the_commit(program: str) -> None:
    module = {"train": "training"}.get(program, program)
    said = subprocess.run(
        [sys.executable, "-c", f"from fiedler.{module}.cli import main; main()", "--version"],
        check=True, capture_output=True, text=True, timeout=PATIENCE,
    ).stdout  # fmt: skip
    known = commit()
    assert said.endswith(f"version {metadata.version('fiedler')}{f' (commit {known})' if known else ''}\n")


def test_an_installed_program_names_the_commit_of_its_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tmp_path / "commit.txt"
    built.write_text("0123abc", encoding="utf-8")
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    monkeypatch.setattr(provenance, "BUILT_FROM", built)
    assert provenance.commit.__wrapped__() == "0123abc"
    built.unlink()
    assert provenance.commit.__wrapped__() is None
