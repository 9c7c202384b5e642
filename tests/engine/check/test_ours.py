"""Our own engines and examples pass in every dialect; the command, its JSON and its exit codes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from engine.check import replies
from engine.check.examination import examine
from engine.check.plans import PLANS
from engine.check.report import StepResult
from engine.check.subject import subject_of
from engine.reach import Reach
from games import game
from protocol import DIALECTS
from tests.certificates import write_certificates
from tests.engine.engine_process import ENGINE, engine, serving
from tests.folders import ROOT
from tests.patience import PATIENCE

PYTHON = [sys.executable, "-S", "-E"]
EXAMPLES = {
    "ugi": ("ugi_random.py", "uttt", []),
    "uci": ("uci_random.py", "connect4", []),
    "gtp": ("gtp_random.py", "gomoku9", []),
    "gomocup": ("gomocup_random.py", "gomoku15", []),
    "rowcol": ("rowcol_random.py", "uttt", []),
    "rowcol-list": ("rowcol_list_random.py", "uttt", []),
    "makemove": ("makemove_random.py", "uttt", ["{port}", "{movetime_s}"]),
}
LISTENING = [name for name, dialect in DIALECTS.items() if not dialect.dials_in]


@pytest.fixture(autouse=True)
def _short_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "GAME_SECONDS", 0.3)


def steps(protocol: str, game_id: str, command: list[str], address: str | None = None) -> list[StepResult]:
    report = examine(subject_of(command, address, protocol, game(game_id), PATIENCE), lambda _done, _of: None)
    assert (report.dialect, report.game, report.passed) == (protocol, game_id, True), report
    return [*report.steps]


def test_every_dialect_has_a_plan_and_an_example() -> None:
    assert {*PLANS} == {*DIALECTS} == {*EXAMPLES}


@pytest.mark.parametrize("protocol", EXAMPLES)
def test_the_examples_pass(protocol: str) -> None:
    file, game_id, words = EXAMPLES[protocol]
    found = steps(protocol, game_id, [*PYTHON, str(ROOT / "examples" / file), *words])
    skipped = {step.name for step in found if step.passed is None}
    assert skipped == ({"time limits", "stop"} if protocol == "gtp" else set())
    assert [step.n for step in found] == [*range(1, len(found) + 1)]


@pytest.mark.parametrize("protocol", LISTENING)
def test_our_servers_pass(protocol: str) -> None:
    game_id = "renju15" if protocol == "gomocup" else "uttt"
    with serving("--game", game_id, "--player", "random", "--protocol", protocol) as server:
        found = steps(protocol, game_id, [], server.address)
    assert {step.passed for step in found} == {True}
    assert found[-1].got == "it plays in another session"


def test_a_server_with_token_and_tls(tmp_path: Path) -> None:
    write_certificates(tmp_path)
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    token.chmod(0o600)
    guarded = ["--token-file", str(token), "--cert", str(tmp_path / "both.pem")]
    with serving("--game", "tictactoe", "--player", "random", *guarded) as server:
        reach = Reach(token, tls=False, ca=tmp_path / "ca.pem")
        assert examine(subject_of([], server.address, "ugi", None, PATIENCE, reach), lambda _done, _of: None).passed
        without = engine("check", "--game", "tictactoe", "--address", server.address, "--ca", str(tmp_path / "ca.pem"))
    assert without.returncode == 1
    assert "token" in without.stdout.splitlines()[1]


def test_our_player_that_connects_passes() -> None:
    words = ["--game", "uttt", "--player", "random", "--protocol", "makemove", "--dial", "127.0.0.1:{port}"]
    found = steps("makemove", "uttt", [ENGINE, "serve", *words])
    assert found[-1].got == "it connected again"


def test_the_command() -> None:
    """A searching player, on its pipes; the game is the one that it reports."""
    served = [ENGINE, "serve", "--game", "connect4", "--player", "mcts", "--stdio"]
    done = engine("check", "--json", "--timeout", f"{PATIENCE}", "--", *served)
    document = json.loads(done.stdout)
    assert [*document] == ["dialect", "game", "passed", "steps"]
    assert [*document["steps"][0]] == ["n", "name", "passed", "expected", "got"]
    assert (document["dialect"], document["game"]) == ("ugi", "connect4")
    assert document["passed"] == all(step["passed"] for step in document["steps"]) == (done.returncode == 0)
    assert done.returncode == 0, document


def test_a_failed_step_is_exit_code_1(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("import sys\nfor line in sys.stdin:\n    print('ugiok')\n")
    done = engine("check", "--game", "uttt", "--timeout", "500ms", "--", *PYTHON, str(bot))
    assert done.returncode == 1
    *_, expected, summary = done.stdout.splitlines()
    assert "flush standard output after every line" in done.stdout
    assert expected.strip() == "expected: ugiok after ugi, readyok after isready"
    assert summary == "failed: step 1 of 13; the 12 steps after it were not asked"


BAD = [
    (["--tls", "--", "true"], "error: --token-file, --tls, --ca: only with --address"),
    ([], "error: expected one engine: -- COMMAND …, or --address HOST:PORT"),
    (["--address", "127.0.0.1:1", "--", "true"], "error: expected one engine: -- COMMAND …, or --address HOST:PORT"),
    (
        ["--protocol", "makemove", "--", "true"],
        "error: COMMAND: expected {port} in it: its program opens the connection",
    ),
    (
        ["--protocol", "makemove", "--address", "127.0.0.1:1"],
        "error: --protocol makemove: expected -- COMMAND with {port}",
    ),
    (["--game", "connect4", "--protocol", "rowcol", "--", "true"], "error: --protocol: expected one of ugi, uci, gtp"),
    (["--", "true"], "error: --game: expected the game, since this engine does not report it"),
    (["--game", "uttt", "--", "/no/such/program"], "error: COMMAND: cannot start '/no/such/program'"),
]


@pytest.mark.parametrize(("words", "error"), BAD, ids=[" ".join(words) for words, _ in BAD])
def test_a_bad_command_line_is_exit_code_2(words: list[str], error: str) -> None:
    done = engine("check", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(error)
    assert done.stderr.count("\n") == 1


def test_several_games_have_the_same_start() -> None:
    done = engine("check", "--", ENGINE, "serve", "--game", "gomoku15", "--player", "random", "--stdio")
    assert done.returncode == 2
    assert (
        done.stderr
        == "error: --game: expected one of gomoku15, standard15, renju15, since this engine does not report it\n"
    )
