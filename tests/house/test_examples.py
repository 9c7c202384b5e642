"""The examples answer bad input by the error form of their protocol, and bad words by one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.folders import ROOT
from tests.patience import PATIENCE

PYTHON = [sys.executable, "-S", "-E"]
HOST = "127.0.0.1:1"


def ran(file: str, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    command = [*PYTHON, str(ROOT / "examples" / file), *words]
    return subprocess.run(command, input=said, capture_output=True, text=True, timeout=PATIENCE, check=False)


INPUTS = {
    "ugi": ("ugi_random.py", "setoption name seed value abc\nisready\n", ["readyok"]),
    "uci: seed": ("uci_random.py", "setoption name seed value abc\nisready\n", ["readyok"]),
    "uci: go": ("uci_random.py", f"position startpos moves {'a ' * 6}\ngo ponder wtime x movetime y\n", ["bestmove"]),
    "gomocup: stones": ("gomocup_random.py", "START 9\nBOARD\n1,1,1\nx\n2,2,2\nDONE\n", ["OK", "ERROR"]),
    "gomocup: size": ("gomocup_random.py", "START 99999\nBEGIN\n", ["ERROR", ""]),
    "gomocup: end in BOARD": ("gomocup_random.py", "BOARD\n1,1,1\n", [""]),
    "rowcol-list: count": ("rowcol_list_random.py", "-1 -1\nx\n-1 -1\n1\n4 4\n", ["4 4"]),
    "rowcol-list: end": ("rowcol_list_random.py", "-1 -1\n", []),
}


@pytest.mark.parametrize(("file", "said", "answers"), INPUTS.values(), ids=INPUTS)
def test_bad_input_ends_no_example(file: str, said: str, answers: list[str]) -> None:
    done = ran(file, said=said)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == len(answers), lines
    assert all(line.startswith(answer) for line, answer in zip(lines, answers, strict=True)), lines


WORDS: dict[str, tuple[list[str], str]] = {
    "no words": ([], "the following arguments are required: where, name, token_file, command"),
    "no port": (["here", "far", "token", "--", "true"], "expected HOST:PORT, got 'here'"),
    "no program": ([HOST, "far", "token", "--", "/no/such"], "there is no program '/no/such'"),
    "no token file": ([HOST, "far", "no-token", "--", "true"], "no-token: [Errno 2] No such file or directory"),
    "no token": ([HOST, "far", "empty", "--", "true"], "empty: expected a token, got an empty file"),
    "no authority": ([HOST, "far", "token", "--ca", "no-ca", "--", "true"], "token or no-ca: [Errno 2] No such file"),
}


@pytest.mark.parametrize(("words", "error"), WORDS.values(), ids=WORDS)
def test_wrong_words_are_one_line(
    words: list[str], error: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("token").write_text("s3cret\n", encoding="utf-8")
    Path("empty").touch()
    done = ran("dial_in.py", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith(f"dial_in.py: error: {error}")
    assert "Traceback" not in done.stderr


def test_a_player_without_a_port_prints_its_usage() -> None:
    done = ran("makemove_random.py")
    assert (done.returncode, done.stderr) == (1, "usage: makemove_random.py PORT SECONDS\n")
