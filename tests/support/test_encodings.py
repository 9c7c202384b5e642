"""Every command prints at a terminal of any encoding: a character that it lacks is replaced, and JSON is UTF-8."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE

PGN = '[White "Łukasz"]\n[Black "B"]\n[Result "1-0"]\n\n1-0\n'
COMMANDS = [
    ("fiedler.tournament.cli", "design --players 6 --pairs 8"),
    ("fiedler.tournament.cli", "rank games.pgn --los"),
    ("fiedler.training.cli", "list"),
    ("fiedler.engine.cli", "games"),
    ("fiedler.tournament.cli", "rank Łukasz.pgn"),
]


def said(module: str, words: list[str], encoding: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    (folder / "games.pgn").write_text(PGN, "utf-8")
    program = f"from {module} import main; main()"
    environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "1", "PYTHONPATH": ":".join(filter(None, sys.path))}
    command = [sys.executable, "-c", program, *words]
    return subprocess.run(command, capture_output=True, cwd=folder, env=environment, timeout=PATIENCE, check=False)


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
@pytest.mark.parametrize(("module", "words"), COMMANDS, ids=[words for _, words in COMMANDS])
def test_no_terminal_gives_a_traceback(module: str, words: str, encoding: str, tmp_path: Path) -> None:
    done = said(module, words.split(), encoding, tmp_path)
    assert b"Traceback" not in done.stderr, done.stderr.decode("utf-8", "replace")
    assert done.returncode == (2 if "Łukasz" in words else 0)


def test_a_character_that_the_terminal_lacks_is_a_question_mark(tmp_path: Path) -> None:
    assert b"?ukasz" in said("fiedler.tournament.cli", ["rank", "games.pgn"], "latin-1", tmp_path).stdout


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-8"])
def test_json_is_utf_8_on_every_terminal(encoding: str, tmp_path: Path) -> None:
    done = said("fiedler.tournament.cli", ["rank", "games.pgn", "--json"], encoding, tmp_path)
    assert {one["name"] for one in json.loads(done.stdout.decode())["players"]} == {"Łukasz", "B"}
