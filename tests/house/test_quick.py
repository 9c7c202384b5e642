"""The plugin of `make check`: what it leaves out, what it refuses, and that it hides no failure."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.folders import ROOT
from tests.patience import PATIENCE

INI = "[pytest]\naddopts = --import-mode=importlib\nmarkers =\n  slow: x\n  programs: x\n"
START = "__import__('subprocess').run(['true'])"
TESTS = f"""
import pytest

def test_of_this_process():
    assert True

def test_that_fails():
    assert 1 == 2

def test_that_needs_a_program():
    {START}

def test_that_gets_along_without_the_program():
    try:
        {START}
    except RuntimeError:
        pass

def test_that_fails_for_another_reason_too():
    try:
        {START}
    except RuntimeError:
        pass
    assert 3 == 4

def test_that_imports_torch():
    __import__("torch")

@pytest.fixture(scope="module")
def program():
    {START}

def test_with_a_fixture(program):
    pass

def test_with_the_same_fixture(program):
    pass

@pytest.mark.programs
def test_marked():
    assert False

@pytest.mark.slow
def test_slow():
    assert False
"""
FILES = {
    "pytest.ini": INI,
    "test_few.py": TESTS,
    "test_starts.py": "import subprocess\ndef test():\n    assert False\n",
    "test_learns.py": "__import__('torch')\ndef test():\n    assert False\n",
    "test_broken.py": "import no_such_module\n",
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output of pytest with the plugin."""
    folder = tmp_path_factory.mktemp("quick")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.quick", "-p", "no:asyncio", "-c", "pytest.ini", "-rA"]
    command += ["--continue-on-collection-errors"]
    environment = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=2 * PATIENCE, check=False
    )
    assert done.returncode == 1, done.stderr
    return done.stdout


def outcomes(said: str, outcome: str) -> set[str]:
    lines = [line.split() for line in said.splitlines() if line.startswith(outcome)]
    return {words[1].rpartition("::")[2] for words in lines}


def test_tests_of_this_process_run(said: str) -> None:
    assert outcomes(said, "PASSED") == {"test_of_this_process"}


def test_a_refused_test_fails_even_if_it_gets_along(said: str) -> None:
    failed = {"test_that_needs_a_program", "test_that_gets_along_without_the_program", "test_that_imports_torch"}
    assert outcomes(said, "FAILED") == {*failed, "test_that_fails", "test_that_fails_for_another_reason_too"}
    hint = "subprocess.Popen true was refused: a test that needs it has the mark `programs`"
    assert said.count(hint) >= 3
    assert "import torch was refused" in said


def test_a_refused_fixture_is_an_error_of_each_test(said: str) -> None:
    assert outcomes(said, "ERROR") == {"test_with_a_fixture", "test_with_the_same_fixture", "test_broken.py"}


def test_another_failure_stays_in_sight(said: str) -> None:
    assert "assert 1 == 2" in said
    assert "assert 3 == 4" in said
    assert "No module named 'no_such_module'" in said


def test_marked_tests_and_modules_that_start_programs_are_left_out(said: str) -> None:
    assert "2 deselected" in said
    assert "test_starts.py" not in said
    assert "SKIPPED [1] test_learns.py:0: it imports torch" in said
