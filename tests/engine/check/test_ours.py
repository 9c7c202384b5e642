"""Our own engines and examples pass in every dialect; the command, its JSON and its exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.check.examination import examine
from engine.check.plans import PLANS
from engine.check.report import CheckReport
from engine.check.subject import subject_of
from engine.reach import Reach
from games import game
from protocol import DIALECTS
from support.errors import UsageError
from tests.certificates import write_certificates
from tests.engine.check.hurry import PYTHON, all_checked, checked, hurried
from tests.engine.engine_process import ENGINE, engine, serving
from tests.folders import ROOT
from tests.patience import PATIENCE

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


def test_every_dialect_has_a_plan_and_an_example() -> None:
    assert {*PLANS} == {*DIALECTS} == {*EXAMPLES}


@pytest.fixture(scope="module")
def examples() -> dict[str, CheckReport]:
    """The reports of the examples, by their protocol."""

    def check(protocol: str) -> CheckReport:
        file, game_id, words = EXAMPLES[protocol]
        return checked([*PYTHON, str(ROOT / "examples" / file), *words], protocol, game_id)

    return all_checked(EXAMPLES, check)


@pytest.fixture(scope="module")
def servers() -> dict[str, CheckReport]:
    """The reports of our servers, and of our player that connects, by their protocol."""

    def check(protocol: str) -> CheckReport:
        if protocol == "makemove":
            words = ["--game", "uttt", "--player", "random", "--protocol", protocol, "--dial", "127.0.0.1:{port}"]
            return checked([ENGINE, "serve", *words], protocol, "uttt")
        game_id = "renju15" if protocol == "gomocup" else "uttt"
        player = "mcts" if protocol == "ugi" else "random"
        with serving("--game", game_id, "--player", player, "--protocol", protocol) as server:
            subject = subject_of([], server.address, protocol, game(game_id), PATIENCE)
            return examine(subject, lambda _done, _of: None)

    return all_checked(DIALECTS, check)


@pytest.mark.parametrize("protocol", EXAMPLES)
def test_the_examples_pass(examples: dict[str, CheckReport], protocol: str) -> None:
    report = examples[protocol]
    assert (report.dialect, report.game, report.passed) == (protocol, EXAMPLES[protocol][1], True), report
    skipped = {step.name for step in report.steps if step.passed is None}
    assert skipped == ({"time limits", "stop"} if protocol == "gtp" else set())
    assert [step.n for step in report.steps] == [*range(1, len(report.steps) + 1)]


@pytest.mark.parametrize("protocol", LISTENING)
def test_our_servers_pass(servers: dict[str, CheckReport], protocol: str) -> None:
    assert {step.passed for step in servers[protocol].steps} == {True}, servers[protocol]
    assert servers[protocol].steps[-1].got == "it plays in another session"


def test_a_server_with_token_and_tls(tmp_path: Path) -> None:
    write_certificates(tmp_path)
    token = tmp_path / "token"
    token.write_text("s3cret\n")
    token.chmod(0o600)
    guarded = ["--token-file", str(token), "--cert", str(tmp_path / "both.pem")]
    with serving("--game", "tictactoe", "--player", "random", *guarded) as server:
        reach = Reach(token, tls=False, ca=tmp_path / "ca.pem")
        with hurried():
            assert examine(subject_of([], server.address, "ugi", None, PATIENCE, reach), lambda _done, _of: None).passed
        without = engine("check", "--game", "tictactoe", "--address", server.address, "--ca", str(tmp_path / "ca.pem"))
    assert without.returncode == 1
    assert "token" in without.stdout.splitlines()[1]


def test_our_player_that_connects_passes(servers: dict[str, CheckReport]) -> None:
    assert servers["makemove"].passed, servers["makemove"]
    assert servers["makemove"].steps[-1].got == "it connected again"


def test_the_command() -> None:
    example = [*PYTHON, str(ROOT / "examples" / "ugi_random.py")]
    done = engine("check", "--json", "--game", "uttt", "--timeout", f"{PATIENCE}", "--", *example)
    document = json.loads(done.stdout)
    assert [*document] == ["dialect", "game", "passed", "steps"]
    assert [*document["steps"][0]] == ["n", "name", "passed", "expected", "got"]
    assert (document["dialect"], document["game"]) == ("ugi", "uttt")
    assert document["passed"] == all(step["passed"] for step in document["steps"]) == (done.returncode == 0)
    assert done.returncode == 0, document


def test_a_failed_step_is_exit_code_1() -> None:
    done = engine("check", "--game", "uttt", "--", *PYTHON, "-c", "raise SystemExit('error: no book')")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "ugi, uttt",
        "  1  FAILED   handshake: exited with status 1, saying: error: no book",
        "              expected: ugiok after ugi, readyok after isready",
        "failed: step 1 of 13; the 12 steps after step 1 were not asked",
    ]


BAD: list[tuple[Sequence[str], str | None, str, str, str]] = [
    ([], None, "ugi", "uttt", "expected one engine: -- COMMAND …, or --address HOST:PORT"),
    (["true"], "127.0.0.1:1", "ugi", "uttt", "expected one engine: -- COMMAND …, or --address HOST:PORT"),
    (["true"], None, "makemove", "", "COMMAND: expected {port} in it: its program opens the connection"),
    ([], "127.0.0.1:1", "makemove", "", "--protocol makemove: expected -- COMMAND with {port}"),
    (["true"], None, "rowcol", "connect4", "--protocol: expected one of ugi, uci, gtp"),
    (["true"], None, "ugi", "", "--game: expected the game, since this engine does not report it"),
    (["/no/such/program"], None, "ugi", "uttt", "COMMAND: cannot start '/no/such/program'"),
]


@pytest.mark.parametrize(("command", "address", "protocol", "game_id", "error"), BAD)
def test_a_wrong_subject_is_refused(
    command: Sequence[str], address: str | None, protocol: str, game_id: str, error: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(error)):
        subject_of(command, address, protocol, game(game_id) if game_id else None, PATIENCE).link()


def test_a_bad_command_line_is_exit_code_2() -> None:
    done = engine("check", "--tls", "--", "true")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: --token-file, --tls, --ca: only with --address\n"


def test_several_games_have_the_same_start() -> None:
    command = [ENGINE, "serve", "--game", "gomoku15", "--player", "random", "--stdio"]
    expected = "--game: expected one of gomoku15, standard15, renju15, since this engine does not report it"
    with pytest.raises(UsageError, match=f"^{expected}$"):
        subject_of(command, None, "ugi", None, PATIENCE)
